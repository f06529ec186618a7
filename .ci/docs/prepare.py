"""Copies the pages for Sphinx: prepare.py REPOSITORY FOLDER.

The pages stay as they are but for links: those to files that are no pages lead to the forge. The navigation is
docs/README.md: its headings are the sections. Pages that it does not list follow at the end.
"""
import pathlib
import re
import shutil
import sys

FORGE = "https://github.com/gorocm/gorocm/"
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
CODE = re.compile(r"^```.*?^```\s*$|`[^`\n]+`", re.M | re.S)


def pages(root):
    top = [root / n for n in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")]
    return top + sorted((root / "docs").glob("*.md"))


def rewritten(text, page, root, known):
    """The text of a page with links that lead somewhere on the site."""
    code = [m.span() for m in CODE.finditer(text)]

    def link(m):
        if any(start <= m.start() < end for start, end in code):  # brackets of Go
            return m.group(0)
        bang, label, target = m.groups()
        file, _, anchor = target.partition("#")
        if "://" in target or not file:
            return m.group(0)
        path = (page.parent / file).resolve()
        if path in known or bang:
            return m.group(0)
        if not path.exists():
            sys.exit(f"{page}: there is no {file}")
        kind = "tree" if path.is_dir() else "blob"
        return f"[{label}]({FORGE}{kind}/main/{path.relative_to(root)}{'#' + anchor if anchor else ''})"
    return LINK.sub(link, text)


def navigation(root, known):
    """Sections of pages, from docs/README.md."""
    index = root / "docs" / "README.md"
    sections, seen = [("", [index])], {root / "README.md", index}
    for part in index.read_text().split("\n## ")[1:]:
        caption, _, table = part.partition("\n")
        list = []
        for target in re.findall(r"\]\(([^()#\s]+\.md)", table):
            path = (index.parent / target).resolve()
            if path in known and path not in seen:
                seen.add(path)
                list.append(path)
        if list:
            sections.append((caption, list))
    rest = [p for p in known if p not in seen]
    return sections + ([("More", rest)] if rest else [])


def main(root, out):
    root, out = pathlib.Path(root).resolve(), pathlib.Path(out)
    known = [p.resolve() for p in pages(root)]
    for page in known:
        to = out / page.relative_to(root)
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(rewritten(page.read_text(), page, root, known))
    shutil.copytree(root / "docs" / "images", out / "docs" / "images")
    index = (out / "README.md").read_text()
    for caption, list in navigation(root, known):
        index += "\n```{toctree}\n:hidden:\n" + (f":caption: {caption}\n" if caption else "") + "\n"
        index += "".join(f"{p.relative_to(root)}\n" for p in list) + "```\n"
    (out / "README.md").unlink()
    (out / "index.md").write_text(index)
    for page in known:  # the README is the index
        to = out / page.relative_to(root)
        if to.exists():
            here = "](README.md" if page.parent == root else "](../README.md"
            to.write_text(to.read_text().replace(here, here.replace("README", "index")))


if __name__ == "__main__":
    main(*sys.argv[1:])
