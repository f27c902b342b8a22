"""The reference: `{library} norch.nn` lists a module's public names with their docstrings.

`norch` re-exports each name from a stage; norch_sources follows the name to the function or class
that it means.
"""

import ast

from docutils import nodes
from docutils.statemachine import StringList
from norch_sources import ROOT, Found, public
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


def signature(found: Found) -> str:
    """Return the arguments as they are written, without types."""
    node = found.definition
    if isinstance(node, ast.ClassDef):
        made = [m for m in node.body if isinstance(m, ast.FunctionDef) and m.name == "__init__"]
        if not made:
            return ""
        node = made[0]
    arguments = ast.parse(ast.unparse(node)).body[0].args
    for one in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
        one.annotation = None
    for one in (arguments.vararg, arguments.kwarg):
        if one:
            one.annotation = None
    arguments.args = [one for one in arguments.args if one.arg != "self"]
    return f"({ast.unparse(arguments)})"


def entry(name: str, found: Found) -> list[str]:
    """Return one name as lines of MyST: signature, docstring, example."""
    text = ast.get_docstring(found.definition) or ""
    prose, _, example = text.partition(">>> ")
    place = found.path.relative_to(ROOT).as_posix()
    lines = [f"**`{name}{signature(found)}`**", "", *prose.strip().splitlines(), ""]
    if example:
        lines += ["```python", *f">>> {example}".splitlines(), "```", ""]
    return [*lines, f"`{place}`", ""]


class LibraryDirective(SphinxDirective):
    """List the public names of a module of norch."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the list."""
        module = self.arguments[0]
        box = nodes.container(classes=["library"])
        for name, found in public(module).items():
            self.env.note_dependency(str(found.path))
            lines = StringList(entry(name, found), source=str(found.path))
            self.state.nested_parse(lines, self.content_offset, box)
        if not box.children:
            raise self.error(f"{module} has no documented names")
        return [box]


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx what is here."""
    app.add_directive("library", LibraryDirective)
    return {"parallel_read_safe": True}
