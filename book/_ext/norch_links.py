"""Links that nobody has to write: terms of the glossary, every `chapter 4`, `exercise 2.3`, and
the paths of PyTorch's sources.

They are put into the chapters when the book is built; the notebooks stay as they are. A term links
from the chapter on that introduces it (its number stands in the glossary), once a page, and shows
its definition under the pointer. Headings, code, links and the titles of folded parts stay plain.
"""

import json
import re
from functools import cache

import norch_away
from docutils import nodes
from norch_glossary import EVERYDAY, LAST, Term, terms
from norch_times import ROOT
from sphinx.application import Sphinx

BOOK = ROOT / "book"
PAGES = ("chapters/", "faster", "planning", "primer")
PLAIN = (nodes.title, nodes.reference, nodes.literal, nodes.literal_block, nodes.raw, nodes.rubric)
PLAIN += (nodes.math, nodes.math_block, nodes.target, nodes.table)
ELSEWHERE = {"kernel": "chapters/05_nn", "cache": "chapters/07_attention"}  # another sense there
UNUSUAL = {"leaf": "(?<=the )leaves"}  # not the verb


@cache
def linked() -> list[Term]:
    """Return the terms that are linked, the longest first."""
    found = [one for one in terms() if one.name not in EVERYDAY]
    return sorted(found, key=lambda one: -len(one.name))


def pattern(term: Term) -> str:
    """Return what a term looks like in a sentence: also in the plural."""
    many = [UNUSUAL[term.name]] if term.name in UNUSUAL else []
    written = "|".join([rf"{re.escape(term.name)}(?:s|es)?", *many])
    return written if term.name.islower() else f"(?-i:{written})"  # ZeRO is no zero


@cache
def chapters() -> dict[str, str]:
    """Return the page of each chapter, and of each exercise, by its number."""
    found: dict[str, str] = {}
    for path in sorted((BOOK / "chapters").glob("*.ipynb")):
        name = f"chapters/{path.stem}"
        found.setdefault(str(int(path.stem[:2])), name)
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        text = "\n".join("".join(one["source"]) for one in cells)
        found |= dict.fromkeys(re.findall(r"```\{exercise\} (\d\.\d+)", text), name)
    return found


class Linker:
    """Puts the links into one page."""

    def __init__(self, app: Sphinx, docname: str) -> None:
        self.app, self.docname = app, docname
        number = re.match(r"chapters/(\d+)", docname)
        mine = int(number.group(1)) if number else LAST
        self.left = [
            one for one in linked() if one.chapter <= mine and ELSEWHERE.get(one.name) != docname
        ]
        self.anchors = app.env.get_domain("std").objects

    def words(self) -> re.Pattern[str]:
        """Return what is still looked for."""
        found = [rf"(?P<t{k}>{pattern(one)})" for k, one in enumerate(self.left)]
        numbered = r"(?P<place>(?:chapters?|exercises?) (?P<number>\d(?:\.\d+)?))"
        return re.compile(rf"(?<![\w-])(?:{'|'.join([numbered, *found])})(?![\w-])", re.IGNORECASE)

    def link(self, found: re.Match[str]) -> nodes.reference | None:
        """Return the link of a word, or nothing: to this page itself, or to what is not there."""
        if found["place"]:
            number = found["number"]
            page, meaning, css = chapters().get(number), "", "place-link"
            anchor = f"exercise-{number.replace('.', '-')}" if "." in number else ""
            if page == self.docname and not anchor:
                return None
        else:
            term = self.left.pop(int(found.lastgroup.removeprefix("t")))
            page, anchor = self.anchors.get(("term", term.name), (None, ""))
            meaning, css = term.meaning, "term-link"
        if page is None:
            return None
        there = self.app.builder.get_relative_uri(self.docname, page)
        uri = there + (f"#{anchor}" if anchor else "")
        one = nodes.reference("", found[0], refuri=uri, internal=True, classes=[css])
        if meaning:
            one["reftitle"] = meaning
        return one

    def text(self, node: nodes.Text) -> None:
        """Replace a piece of text by itself with links."""
        rest, made = node.astext(), []
        at = 0
        while found := self.words().search(rest, at):
            link = self.link(found)
            at = found.end()
            if link is not None:
                made += [nodes.Text(rest[: found.start()]), link]
                rest, at = rest[found.end() :], 0
        if made:
            node.parent.replace(node, [*made, nodes.Text(rest)])


def is_plain(node: nodes.Node) -> bool:
    """Say whether a text stands where no link belongs."""
    while node.parent is not None:
        node = node.parent
        if isinstance(node, PLAIN) or "title" in type(node).__name__:
            return True
    return False


def put_links(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the links into a page."""
    if app.builder.format == "html" and docname.startswith(PAGES):
        linker = Linker(app, docname)
        for node in [one for one in doctree.findall(nodes.Text) if not is_plain(one)]:
            linker.text(node)


def put_paths(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Make a link to PyTorch's sources of each path that stands alone as code."""
    for node in [*doctree.findall(nodes.literal)]:
        path = node.astext()
        if norch_away.PATH.fullmatch(path) and not isinstance(node.parent, nodes.reference):
            link = nodes.reference("", "", refuri=norch_away.address(path), internal=False)
            node.replace_self(link)
            link += node


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx what is here."""
    app.connect("doctree-resolved", put_links)
    app.connect("doctree-resolved", put_paths)
    return {"parallel_read_safe": True}
