"""`display` and the objects that are only shown: HTML, SVG, Markdown, Code, and `clear_output`.

A bundle says one thing in several forms: a dict of MIME types. `publish` gets each; whoever runs
cells sets it.
"""

from collections.abc import Callable, Mapping
from html import escape
from pprint import PrettyPrinter

WIDTH = 79  # columns of what is shown as text: IPython's
METHODS = {
    "text/html": "_repr_html_",
    "image/svg+xml": "_repr_svg_",
    "text/markdown": "_repr_markdown_",
}
Bundle = dict[str, str]


def _nowhere(bundle: Bundle) -> None:
    """Print what has no page to be shown in."""
    print(bundle.get("text/plain", ""))


publish: list[Callable[[Bundle], None]] = [_nowhere]


def text_of(value: object) -> str:
    """Return what stands for a value: a long list takes a line for each of its elements."""
    text = repr(value)
    if len(text) < WIDTH or type(value) not in (list, tuple, dict, set):
        return text
    return PrettyPrinter(width=WIDTH, sort_dicts=False).pformat(value)


def bundle_of(value: object) -> Bundle:
    """Return a value in all its forms."""
    bundle = {"text/plain": text_of(value)}
    if isinstance(value, type):  # the methods are its instances'
        return bundle
    for kind, name in METHODS.items():
        method = getattr(value, name, None)
        found = method() if callable(method) else None
        if found is not None:
            bundle[kind] = found
    return bundle


def display(*values: object, metadata: object = None, raw: bool = False, **more: object) -> None:
    """Show values here, in the middle of a cell."""
    for value in values:
        publish[0](dict(value) if raw and isinstance(value, Mapping) else bundle_of(value))


def clear_output(wait: bool = False) -> None:
    """Take away what the cell has shown so far."""
    publish[0]({})


class Shown:
    """A text that is shown as what it says."""

    def __init__(self, data: str) -> None:
        self.data = data

    def __repr__(self) -> str:
        return f"<IPython.core.display.{type(self).__name__} object>"


class HTML(Shown):
    """A piece of a page."""

    def _repr_html_(self) -> str:
        return self.data


class SVG(Shown):
    """A drawing."""

    def _repr_svg_(self) -> str:
        return self.data


class Markdown(Shown):
    """A text with marks, shown as it is."""

    def _repr_markdown_(self) -> str:
        return self.data


class Code(Shown):
    """A program's text."""

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.data)}</pre>"
