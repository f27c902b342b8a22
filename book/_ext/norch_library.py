"""The reference: `{library} norch.nn` lists a module's public names with their docstrings.

`{library} norch ops/linalg` lists those that are defined in a folder of a stage, `{library} norch
-ops/linalg` all but those, and `{library-names}` every name of all pages, with a field to search.
`norch` re-exports each name from a stage; norch_sources follows the name to the function or class
that it means.
"""

import ast
import re
from html import escape
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from norch_signatures import signature
from norch_sources import ROOT, Found, file_of, select, tree_of
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


def entry(name: str, found: Found) -> tuple[list[str], list[str]]:
    """Return the first sentence and the rest of one name as lines of MyST."""
    text = ast.get_docstring(found.definition) or ""
    prose, _, example = text.partition(">>> ")
    first, _, more = prose.strip().partition("\n\n")
    lines = [*more.splitlines(), ""]
    if example:
        lines += ["```python", *f">>> {example}".splitlines(), "```", ""]
    return first.splitlines(), [*lines, f"`{found.path.relative_to(ROOT).as_posix()}`"]


def summary(module: str) -> str:
    """Return what a module's first sentence says it holds, without the stage that it comes from."""
    text = ast.get_docstring(tree_of(file_of(module))) or ""
    first = " ".join(text.partition("\n\n")[0].split())
    return re.sub(r":( re-exported)? from stages? .*", ".", first)


def whole_name(module: str, name: str) -> str:
    """Return the whole name by which a program calls it."""
    return f"{module.replace('norch_autograd', 'norch')}.{name}"


class LibraryDirective(SphinxDirective):
    """List the public names of a module of norch, those of some folders, or (`-`) without them."""

    required_arguments = 1
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {"told": directives.flag}  # the page itself says what the module holds

    def run(self) -> list[nodes.Node]:
        """Return the list; each name is folded behind its arguments and its first sentence."""
        module, folders = self.arguments[0], self.arguments[1:] and self.arguments[1].split()
        box = nodes.container(classes=["library"])
        if not folders and "told" not in self.options:
            words = StringList([summary(module)], source=str(file_of(module)))
            self.state.nested_parse(words, 0, box)
        count = len(box.children)
        for name, found in select(module, folders).items():
            self.env.note_dependency(str(found.path))
            box += self.fold(whole_name(module, name), signature(found), found)
        if len(box.children) == count:
            raise self.error(f"{module} has no documented names")
        return [box]

    def fold(self, name: str, arguments: str, found: Found) -> list[nodes.Node]:
        """Return one name, and tell Sphinx about it: its search, its index, other books' links."""
        kind = "class" if isinstance(found.definition, ast.ClassDef) else "function"
        self.env.get_domain("py").note_object(name, kind, name, location=self.get_location())
        head = f"<code>{escape(name.rpartition('.')[2])}<i>{escape(arguments)}</i></code>"
        first, rest = (nodes.container(), nodes.container())
        for part, lines in zip((first, rest), entry(name, found), strict=True):
            self.state.nested_parse(StringList(lines, source=str(found.path)), 0, part)
        opened = f'<details class="name" id="{escape(name)}"><summary>{head}'
        return [
            nodes.raw("", opened, format="html"),
            *first.children,
            nodes.raw("", "</summary>", format="html"),
            *rest.children,
            nodes.raw("", "</details>", format="html"),
        ]


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
    app.add_directive("library", LibraryDirective)
    app.add_directive("library-names", NamesDirective)
    app.connect("doctree-resolved", write_names)
    return {"parallel_read_safe": True}
