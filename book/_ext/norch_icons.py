"""The icons of the book's pages, drawn here: lines on a square of 16, in the colour of the words.

The theme names an icon by a class of an icon font; `drawn` puts the drawing in its place.
"""

import re

from sphinx.errors import ExtensionError

ICONS = {
    "angle-left": "M10 3 5 8l5 5",
    "angle-right": "M6 3l5 5-5 5",
    "arrow-up": "M8 14V3M3 8l5-5 5 5",
    "bars": "M2 4h12M2 8h12M2 12h12",
    "chevron-down": "M3 6l5 5 5-5",
    "circle-half-stroke": "M8 2a6 6 0 1 0 .01 0zM8 2v12M10 3v10M12 5v6",
    "download": "M8 2v8M4 6.5l4 4 4-4M2 14h12",
    "expand": "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4",
    "file": "M4 2h5l3 3v9H4zM9 2v3h3",
    "file-pdf": "M4 2h5l3 3v9H4zM9 2v3h3M6 8h4M6 11h4",
    "list": "M2 4h1M6 4h8M2 8h1M6 8h8M2 12h1M6 12h8",
    "magnifying-glass": "M7 2a5 5 0 1 0 .01 0zM11 11l3 3",
    "moon": "M13 10A6 6 0 0 1 6 3a6 6 0 1 0 7 7z",
    "sun": "M8 5a3 3 0 1 0 .01 0zM8 1v2M8 13v2M1 8h2M13 8h2M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1",
}
FONT = re.compile(
    r'<(i|span)(?P<before> [^>]*?)? class="(?P<classes>[^"]*\bfa[srb]?(?:-solid)? [^"]*)"'
    r"(?P<more>[^>]*)></\1>"
)


def drawing(found: re.Match[str]) -> str:
    """Return the drawing for one icon of the font; one that is not drawn yet stops the build."""
    words = found["classes"].split()
    name = next((one[3:] for one in words if one.startswith("fa-") and one[3:] in ICONS), None)
    if name is None:
        raise ExtensionError(f"[book] norch_icons draws no icon for {found['classes']!r}")
    others = (found["before"] or "") + found["more"]
    kept = " ".join(one for one in words if not re.fullmatch("fa[srb]?|fa-.*", one))
    return (
        f'<svg class="{f"icon {kept}".strip()}"{others} viewBox="0 0 16 16" '
        f'aria-hidden="true"><path d="{ICONS[name]}"/></svg>'
    )


def drawn(text: str) -> str:
    """Return a page with drawings where the theme has letters of an icon font."""
    return FONT.sub(drawing, text)
