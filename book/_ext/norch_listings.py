"""The sources as pages of the book: every file that the reference names, with numbered lines.

`source/stages/.../conv.py.html#L-41` opens at a definition, from files and from a host alike. The
pages are plain: no script, no menu, one style sheet; the search does not look into them.
"""

from html import escape
from pathlib import Path

from norch_sources import ROOT, Found, reference
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from pygments.styles import get_style_by_name
from sphinx.application import Sphinx

FOLDER = "source"
STYLES = {"light": "a11y-high-contrast-light", "dark": "a11y-high-contrast-dark"}
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex"><title>{path}</title>
<link rel="stylesheet" href="{up}source.css"></head>
<body><header><a href="{up}../library.html">The library</a> <h1>{path}</h1></header>
<main tabindex="0" aria-label="the file">{code}</main></body></html>
"""
LOOKS = """:root { color-scheme: light dark; }
body { margin: 0 1rem; font: 0.9rem/1.45 monospace; }
h1 { font-size: 1rem; overflow-wrap: anywhere; }
pre { margin: 0; counter-reset: line; }
main { overflow-x: auto; }
[id^="L-"]::before { counter-increment: line; content: counter(line); user-select: none; }
[id^="L-"]::before { display: inline-block; width: 4ch; margin-right: 2ch; text-align: right; }
span:target { outline: 2px solid; outline-offset: 2px; }
"""


def address(found: Found) -> str:
    """Return the address of a definition, from the root of the book."""
    return f"{FOLDER}/{found.path.relative_to(ROOT).as_posix()}.html#L-{found.line}"


def style_sheet() -> str:
    """Return the colours of code, light and dark."""
    found = LOOKS
    for name, style in STYLES.items():
        paper = f":root {{ background: {get_style_by_name(style).background_color}; }}"
        colours = f"{paper}\n{HtmlFormatter(style=style).get_style_defs()}"
        found += f"@media (prefers-color-scheme: {name}) {{\n{colours}\n}}\n"
    return found


def write(folder: Path, path: Path) -> None:
    """Write the page of one file."""
    inside = path.relative_to(ROOT)
    target = folder / f"{inside.as_posix()}.html"
    target.parent.mkdir(parents=True, exist_ok=True)
    formatter = HtmlFormatter(linespans="L")
    code = highlight(path.read_text(encoding="utf-8"), PythonLexer(stripnl=False), formatter)
    up = "../" * (len(inside.parts) - 1)
    target.write_text(PAGE.format(path=escape(inside.as_posix()), up=up, code=code), "utf-8")


def write_all(app: Sphinx, failure: Exception | None) -> None:
    """Write the pages of the files that the reference names, and their style sheet."""
    if failure or app.builder.format != "html":
        return
    folder = Path(app.outdir) / FOLDER
    for path in sorted({entry.found.path for entry in reference()}):
        write(folder, path)
    (folder / "source.css").write_text(style_sheet(), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx what is here."""
    app.connect("build-finished", write_all)
    return {"parallel_read_safe": True}
