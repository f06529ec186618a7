"""Sphinx's configuration for the site that .ci/site builds."""
project = "gorocm"
copyright = "the gorocm authors"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "gorocm"
html_copy_source = False
html_show_sphinx = False
myst_heading_anchors = 6
myst_enable_extensions = []
# languages of blocks that Pygments does not know
suppress_warnings = ["misc.highlighting_failure"]
highlight_language = "text"
html_theme_options = {"footer_icons": [], "top_of_page_buttons": [], "source_repository": "https://github.com/gorocm/gorocm",
                      "source_branch": "main", "source_directory": ""}


def setup(app):
    from sphinx.highlighting import lexer_classes
    from pygments.lexers.go import GoLexer

    lexer_classes["golang"] = GoLexer  # blocks that no test runs are marked so
