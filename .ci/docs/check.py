"""Checks a site that Sphinx has built: check.py REPOSITORY FOLDER.

Every link within the site leads to a file and to an anchor of it, every link to a file of the repository to one that
there is, no page loads anything from elsewhere, and the search knows every page.
"""
import html.parser
import json
import pathlib
import sys
import urllib.parse

FORGE = "https://github.com/gorocm/gorocm/"


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        if a.get("id"):
            self.ids.add(a["id"])
        if tag == "a" and a.get("href"):
            self.links.append(a["href"])
        for name in ("src", "href"):
            if tag != "a" and a.get(name) and "rel" not in a or tag == "link" and a.get("rel") == "stylesheet":
                self.loads.append(a.get(name) or "")


def main(root, out):
    root, out = pathlib.Path(root).resolve(), pathlib.Path(out).resolve()
    pages = {p: Page(p.read_text()) for p in out.rglob("*.html")}
    bad = []
    for path, page in pages.items():
        for link in page.links:
            target, _, anchor = link.partition("#")
            if target.startswith(FORGE):
                kind, _, rest = target[len(FORGE):].partition("/main/")
                if kind in ("blob", "tree") and not (root / urllib.parse.unquote(rest)).exists():
                    bad.append(f"{path}: the repository has no {rest}")
                continue
            if "://" in target or target.startswith(("mailto:", "data:")):
                continue
            to = (path.parent / urllib.parse.unquote(target)).resolve() if target else path
            if to.is_dir():
                to /= "index.html"
            if not to.exists():
                bad.append(f"{path}: no file for {link}")
            elif anchor and to in pages and urllib.parse.unquote(anchor) not in pages[to].ids:
                bad.append(f"{path}: no anchor for {link}")
        bad += [f"{path}: loads {u}" for u in page.loads if u.startswith(("http:", "https:", "//"))]
    index = (out / "searchindex.js").read_text()
    names = json.loads(index[index.index("{"):index.rindex("}") + 1])["docnames"]
    for page in sorted((root / "docs").glob("*.md")):
        if f"docs/{page.stem}" not in names:
            bad.append(f"the search does not know docs/{page.name}")
    print("\n".join(bad) or f"{len(pages)} pages, {sum(len(p.links) for p in pages.values())} links")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
