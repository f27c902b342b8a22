"""The index of the search: every name of the library, every section of the book with its prose.

It is a script, because a page that was opened as a file may read no other file. Only search.html
loads it. Code and outputs are left out: names of the library stand there with their sentences, and
of its pages the headings and what is said below them before the names.
"""

import ast
import json
import re
import shutil
from collections.abc import Iterator
from itertools import groupby, takewhile
from pathlib import Path

from docutils import nodes
from norch_sources import ROOT, Entry, reference
from sphinx.application import Sphinx
from sphinx.config import Config

HERE = ROOT / "book" / "search"
SILENT = (nodes.raw, nodes.literal_block, nodes.comment, nodes.math, nodes.math_block)


def is_silent(node: nodes.Node) -> bool:
    """Say whether a node is no prose, or folded away: hints, solutions, answers; an example; or the
    glossary, whose terms stand in the index one by one.
    """
    if not isinstance(node, nodes.Element):
        return False
    folded = node.get("design_component") == "dropdown"
    apart = {"glossary", "library-example"} & {*node.get("classes", [])}
    return isinstance(node, SILENT) or folded or bool(apart)


def told(node: nodes.Element) -> Iterator[nodes.Node]:
    """Yield what stands in a node; of a list of names, what is said before the first of them."""
    names = "library" in node.get("classes", [])
    yield from takewhile(lambda one: not (names and isinstance(one, nodes.raw)), node.children)


def said(node: nodes.Node) -> Iterator[str]:
    """Yield the words of a node, without code, pictures, mathematics and the sections inside."""
    if isinstance(node, nodes.Text):
        yield node.astext()
    elif not is_silent(node):
        for child in told(node):
            if not isinstance(child, nodes.section):
                yield from said(child)
        if not isinstance(node, nodes.Inline):
            yield " "


def sections(page: nodes.document) -> list[tuple[str, str, str]]:
    """Return the sections of a page: their place, their heading, their prose; terms too."""
    found = []
    for section in page.findall(nodes.section):
        title = next(iter(section.findall(nodes.title))).astext()
        text = " ".join("".join(said(section)).split()).removeprefix(title).strip()
        top = section.parent is page
        found.append(("" if top else section["ids"][0], title, text))
    for item in page.findall(nodes.definition_list_item):  # a term of the glossary is a place
        terms = [one for one in item.findall(nodes.term) if one["ids"]]
        text = " ".join("".join(said(item.children[-1])).split())
        found += [(one["ids"][0], one.astext(), text) for one in terms]
    return found


def sentence(entry: Entry) -> str:
    """Return the first sentence of a name's docstring."""
    text = (ast.get_docstring(entry.found.definition) or "").partition("\n\n")[0]
    return " ".join(text.replace("`", "").split())


def index(app: Sphinx) -> dict[str, list]:
    """Return what the search looks into."""
    names = sorted(app.env.found_docs)
    found = {"pages": [], "names": [], "sections": []}
    for number, name in enumerate(names):
        title = re.sub(r"\s+", " ", app.env.titles[name].astext())
        found["pages"].append([name, title])
        entries = [one for one in reference() if one.page == name]
        for module, own in groupby(entries, key=lambda one: one.module):  # its name stands once
            found["names"].append([module, number, [[one.name, sentence(one)] for one in own]])
        found["sections"] += [[number, *one] for one in sections(app.env.get_doctree(name))]
    return found


def write(app: Sphinx, failure: Exception | None) -> None:
    """Write the index, and the script that looks into it, beside the other scripts."""
    if failure or app.builder.format != "html":
        return
    folder = Path(app.outdir) / "_static"
    shutil.copy(HERE / "search.js", folder)
    text = json.dumps(index(app), ensure_ascii=False, separators=(",", ":"))
    (folder / "search_index.js").write_text(f"window.norchSearch = {text};\n", encoding="utf-8")


def configure(app: Sphinx, config: Config) -> None:
    """Let the page of the search be ours."""
    config.templates_path.append(str(HERE))
    config.html_additional_pages["search"] = "search.html"


def leave_index(app: Sphinx) -> None:
    """Let Sphinx write no index of its own: nothing would load it."""
    app.builder.search = False


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx what is here."""
    app.connect("config-inited", configure)
    app.connect("builder-inited", leave_index)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True}
