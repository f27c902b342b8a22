"""The reference: `{library} norch.nn` lists a module's public names with their docstrings.

`{library} norch ops/linalg` lists those that are defined in a folder of a stage, `{library} norch
-ops/linalg` all but those, and `{library-names}` every name of all pages, with a field to search.
`norch` re-exports each name from a stage; norch_sources follows the name to the function or class
that it means. Under each stand an example, or the one of its family (`{library-example} title`),
the section that explains it, its exercises, its source and PyTorch's page.
"""

import ast
import re
from html import escape
from pathlib import Path
from typing import ClassVar

import norch_explained
import norch_listings
import norch_pytorch
from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from norch_examples import Example, examples
from norch_links import chapters
from norch_mentions import LIST, exercises, place_of
from norch_signatures import signature
from norch_sources import ROOT, Entry, called, file_of, reference, select, tree_of
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective


def told(entry: Entry) -> tuple[list[str], list[str]]:
    """Return the first sentence and the rest of one name as lines of MyST."""
    text = ast.get_docstring(entry.found.definition) or ""
    prose, _, example = text.partition(">>> ")
    first, _, more = prose.strip().partition("\n\n")
    lines = [*more.splitlines(), ""]
    if example:
        lines += ["```python", *f">>> {example}".splitlines(), "```", ""]
    return first.splitlines(), lines


def summary(module: str) -> str:
    """Return what a module's first sentence says it holds, without the stage that it comes from."""
    text = ast.get_docstring(tree_of(file_of(module))) or ""
    first = " ".join(text.partition("\n\n")[0].split())
    return re.sub(r":( re-exported)? from stages? .*", ".", first)


class ExampleDirective(SphinxDirective):
    """Show an example of a family of names; the entries that have none link to it."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar = {"also": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """Return the listing with its title."""
        code = "\n".join(self.content)
        one = Example(self.arguments[0], code, self.options.get("also", ""))
        box = nodes.container(classes=["library-example"], ids=[one.anchor])
        box += nodes.paragraph("", f"Example: {one.title}.")
        box += nodes.literal_block(code, code, language="pycon")
        if one.also:
            alike = nodes.paragraph("", "In the same way: ")
            alike += nodes.literal("", one.also.replace(" ", ", "))
            box += alike
        return [box]


class LibraryDirective(SphinxDirective):
    """List the public names of a module of norch, those of some folders, or (`-`) without them."""

    required_arguments = 1
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {"told": directives.flag}  # the page itself says what the module holds

    def run(self) -> list[nodes.Node]:
        """Return the list; each name is folded behind its arguments and its first sentence."""
        module, folders = self.arguments[0], " ".join(self.arguments[1:]).split()
        box = nodes.container(classes=["library"])
        if not folders and "told" not in self.options:
            words = StringList([summary(module)], source=str(file_of(module)))
            self.state.nested_parse(words, 0, box)
        count = len(box.children)
        for name, found in select(module, folders).items():
            entry = Entry(called(module), name, found, self.env.docname)
            for path in sources(entry):
                self.env.note_dependency(str(path))
            box += self.fold(entry)
        if len(box.children) == count:
            raise self.error(f"{module} has no documented names")
        return [box]

    def fold(self, entry: Entry) -> list[nodes.Node]:
        """Return one name, and tell Sphinx about it: its search, its index, other books' links."""
        name = entry.whole
        kind = "class" if isinstance(entry.found.definition, ast.ClassDef) else "function"
        self.env.get_domain("py").note_object(name, kind, name, location=self.get_location())
        head = f"<code>{escape(entry.name)}<i>{escape(signature(entry.found))}</i></code>"
        first, rest = (nodes.container(), nodes.container())
        for part, lines in zip((first, rest), told(entry), strict=True):
            source = str(entry.found.path)
            self.state.nested_parse(StringList(lines, source=source), self.content_offset, part)
        opened = f'<details class="name" id="{escape(name)}"><summary>{head}'
        return [
            nodes.raw("", opened, format="html"),
            *first.children,
            nodes.raw("", "</summary>", format="html"),
            *rest.children,
            EntryLinks(name=name),
            nodes.raw("", "</details>", format="html"),
        ]


class EntryLinks(nodes.General, nodes.Element):
    """Stands where the links of an entry come, until all pages are read."""


def sources(entry: Entry) -> list[Path]:
    """Return the files that an entry and its links are made of."""
    pages = [place_of(entry.whole)[0]] if place_of(entry.whole) else []
    pages += [page_of(number, entry) for number in exercises(entry.found)]
    notebooks = [ROOT / "book" / f"{page}.ipynb" for page in pages]
    return [entry.found.path, LIST, norch_pytorch.LIST, *notebooks]


def page_of(number: str, entry: Entry) -> str:
    """Return the page that shows an exercise."""
    if number not in chapters():
        raise ExtensionError(f"exercise {number} of {entry.whole} stands in no chapter")
    return chapters()[number]


def explained(app: Sphinx, entry: Entry) -> tuple[str, str] | None:
    """Return the words and the address of the section that explains an entry, if one does."""
    try:
        place = norch_explained.explaining(entry.whole, entry.found)
    except LookupError as error:
        raise ExtensionError(str(error)) from error
    if place is None:
        return None
    page, heading = place
    for section in app.env.get_doctree(page).findall(nodes.section):
        title = norch_explained.bare(next(iter(section.findall(nodes.title))).astext())
        if title == heading:
            way = app.builder.get_relative_uri(entry.page, page)
            words = f"{app.env.titles[page].astext()}: {title}"
            return words, f"{way}#{section['ids'][0]}"
    raise ExtensionError(f"{page} has no section {heading}, which explains {entry.whole}")


def links_of(app: Sphinx, entry: Entry) -> list[tuple[str, str, str]]:
    """Return the links of an entry: what stands before each, its words, its address."""
    found, way = entry.found, app.builder.get_relative_uri
    own = ">>> " in (ast.get_docstring(found.definition) or "")
    shown = [] if own else [one for one in examples(entry.page) if one.shows(entry)][:1]
    links = [("Example", one.title, f"#{one.anchor}") for one in shown]
    if place := explained(app, entry):
        links.append(("Explained in", *place))
    for number in exercises(found):
        anchor = f"exercise-{number.replace('.', '-')}"
        page = way(entry.page, page_of(number, entry))
        links.append(("Exercise", number, f"{page}#{anchor}"))
    file = found.path.relative_to(ROOT).as_posix()
    up = "../" * entry.page.count("/")
    links.append(("Source", file, up + norch_listings.address(found)))
    if address := norch_pytorch.page(entry.module, entry.name):
        theirs = norch_pytorch.their_name(address, entry.name)
        links.append(("PyTorch", theirs, address))
    return links


def write_links(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the links of each entry where they belong."""
    entries = {entry.whole: entry for entry in reference() if entry.page == docname}
    for place in list(doctree.findall(EntryLinks)):
        parts = [
            f'<li>{before} <a href="{escape(address)}">{escape(words)}</a></li>'
            for before, words, address in links_of(app, entries[place["name"]])
        ]
        text = f'<ul class="entry-links">{"".join(parts)}</ul>'
        place.replace_self(nodes.raw("", text, format="html"))


class NameList(nodes.General, nodes.Element):
    """Stands where the list of all names comes, until all pages are read."""


class NamesDirective(SphinxDirective):
    """List every public name, with a field that narrows the list down."""

    def run(self) -> list[nodes.Node]:
        """Return the place of the list."""
        return [NameList()]


def write_names(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the list of all names where a page wants it."""
    for place in doctree.findall(NameList):
        objects = app.env.get_domain("py").objects
        rows: dict[str, list[str]] = {}
        for name, one in sorted(objects.items(), key=lambda pair: pair[0].lower()):
            module, _, short = name.rpartition(".")
            link = f"{app.builder.get_relative_uri(docname, one.docname)}#{one.node_id}"
            rows.setdefault(module, []).append(f'<a href="{link}">{escape(short)}</a>')
        body = "".join(
            f'<div class="module"><h2>{module}</h2><p>{" ".join(links)}</p></div>'
            for module, links in sorted(rows.items())
        )
        place.replace_self(
            nodes.raw("", NAMES.format(count=len(objects), body=body), format="html")
        )


NAMES = """<div class="library-names"><label>a part of a name
<input type="search" autocomplete="off" placeholder="softmax" spellcheck="false"></label>
<p role="status" aria-live="polite">{count} names</p>{body}</div>"""


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx what is here."""
    app.add_node(NameList)
    app.add_node(EntryLinks)
    app.add_directive("library-example", ExampleDirective)
    app.add_directive("library", LibraryDirective)
    app.add_directive("library-names", NamesDirective)
    app.connect("doctree-resolved", write_names)
    app.connect("doctree-resolved", write_links)
    app.setup_extension("norch_listings")
    return {"parallel_read_safe": True}
