"""Makes one PDF of the built book: `make book-pdf`; the pages are printed by Chromium.

Title page, contents with page numbers, then the pages in the order of the book's list, each sheet
with a running head and its number; links between pages become links inside the file, headings its
outline. The library is left out, and says so: its pages are for looking up, not for paper.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from html import escape, unescape
from pathlib import Path
from typing import NamedTuple

from pdf_places import places, point_inward
from pypdf import PageObject, PdfReader, PdfWriter

BOOK = Path(__file__).resolve().parent
HTML = BOOK / "_build" / "html"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 300  # seconds for one page; ends only a hang
STYLE = """
@page { size: A4; margin: 0; }
body { margin: 0; font-family: sans-serif; color: #1d2433; }
a { color: inherit; text-decoration: none; }
.title { height: 270mm; padding: 75mm 25mm 0; box-sizing: border-box; break-after: page; }
.title h1 { font-size: 46pt; margin: 0 0 6mm; }
.title p { font-size: 15pt; line-height: 1.5; max-width: 120mm; }
.title small { font-size: 10pt; color: #5b6579; }
.list { padding: 0 25mm; }
.list h2 { font-size: 20pt; margin: 0 0 5mm; }
.list a { display: flex; gap: 2mm; font-size: 10pt; line-height: 1.55; break-inside: avoid; }
.list .page { font-weight: bold; margin-top: 2mm; break-after: avoid; }
.list .part { padding-left: 7mm; }
.list i { flex: 1; border-bottom: 1px dotted #8a94a8; margin-bottom: 1.4mm; }
.head { position: relative; height: 296.9mm; break-after: page; font-size: 9pt; color: #4f596c; }
.head span { position: absolute; top: 10mm; left: 18mm; }
.head b { position: absolute; bottom: 9mm; width: 100%; text-align: center; font-weight: normal; }
"""
LIST_MARGIN = "@page { margin: 22mm 0 20mm; } @page :first { margin: 0; }"


class Entry(NamedTuple):
    """A line of the contents: a page or one of its sections, and the sheet that it begins on."""

    page: Path
    title: str
    sheet: int  # counted from 0 in the whole file
    is_page: bool


def pages() -> list[Path]:
    """Return the built pages in the order of the book."""
    listed = re.findall(r"(?:root|file): (\S+)", (BOOK / "_toc.yml").read_text(encoding="utf-8"))
    return [HTML / f"{name}.html" for name in listed if not name.startswith("library")]


def title(page: Path) -> str:
    """Return the heading of a built page: its title up to the dash before the book's name."""
    found = re.search(r"<title>(.*?)</title>", page.read_text(encoding="utf-8"), re.DOTALL)
    return unescape(found.group(1)).partition(" \u2014 ")[0].strip() if found else page.stem


def printed(chromium: str, page: Path, folder: Path) -> PdfReader:
    """Print a page; its drawings get the time that they need."""
    out = folder / f"{page.stem}.pdf"
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
    flags += ["--generate-pdf-document-outline", f"--user-data-dir={folder / 'profile'}"]
    flags += ["--virtual-time-budget=20000"]
    command = [chromium, *flags, f"--print-to-pdf={out}", page.as_uri()]
    env = {**os.environ, "TMPDIR": "/tmp"}  # Chromium's socket there has a path of 107 letters
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env=env)
    if not out.exists():
        raise SystemExit(f"[book-pdf] Chromium did not print {page.name}: {done.stderr[-300:]}")
    return PdfReader(out)


def sheets(reader: PdfReader) -> list[PageObject]:
    """Return a printed page's sheets, without empty ones at its end."""
    found = list(reader.pages)
    while len(found) > 1 and not found[-1].extract_text().strip() and not found[-1].images:
        found.pop()
    return found


def drawn(chromium: str, name: str, body: str, folder: Path) -> PdfReader:
    """Print a page of our own."""
    path = folder / f"{name}.html"
    more = LIST_MARGIN if name == "front" else ""
    head = f'<!doctype html><meta charset="utf-8"><style>{STYLE}{more}</style>'
    path.write_text(f"{head}<body>{body}</body>", encoding="utf-8")
    return printed(chromium, path, folder)


def sections(reader: PdfReader) -> list[tuple[str, int]]:
    """Return a printed page's sections, and the sheet of it that each begins on."""
    found, tops = [], reader.outline
    inside = next((one for one in tops if isinstance(one, list)), [])
    for one in inside:
        if not isinstance(one, list):
            found.append((str(one.title).strip(), reader.get_destination_page_number(one)))
    return found


def entries(readers: dict[Path, PdfReader], before: int) -> list[Entry]:
    """Return the lines of the contents, where so many sheets come before the first page."""
    found, start = [], before
    for page, reader in readers.items():
        found.append(Entry(page, title(page), start, True))
        found += [Entry(page, name, start + sheet, False) for name, sheet in sections(reader)]
        start += len(sheets(reader))
    return found


def front(lines: list[Entry], version: str) -> str:
    """Return the title page and the contents."""
    shown = "".join(
        f'<a class="{"page" if one.is_page else "part"}" '
        f'href="{one.page.as_uri()}#sheet={one.sheet}">'
        f"{escape(one.title)}<i></i>{one.sheet + 1}</a>"
        for one in lines
    )
    left_out = "The library's reference is not printed: it is for looking up, in the book's pages."
    return (
        '<div class="title"><h1>norch</h1><p>PyTorch rebuilt from scratch, small enough to read'
        f"</p><p><small>{escape(version)}</small></p></div>"
        f'<div class="list"><h2>Contents</h2>{shown}<p><small>{left_out}</small></p></div>'
    )


def version_of(page: Path) -> str:
    """Return what the foot of a built page says about the version."""
    found = re.search(r"norch \d+(?:\.\d+)+(?:, commit \w+)?", page.read_text(encoding="utf-8"))
    return found[0] if found else "norch"


def heads(lines: list[Entry], count: int) -> str:
    """Return a running head and a number for each sheet from the first page on."""
    first, shown = lines[0].sheet, []
    for sheet in range(first, count):
        name = [one.title for one in lines if one.is_page and one.sheet <= sheet][-1]
        begins = any(one.is_page and one.sheet == sheet for one in lines)
        head = "" if begins else f"<span>{escape(name)}</span>"  # its heading stands there itself
        shown.append(f'<div class="head">{head}<b>{sheet + 1}</b></div>')
    return "".join(shown)


def join(readers: dict[Path, PdfReader], cover: PdfReader, lines: list[Entry]) -> PdfWriter:
    """Put all sheets behind each other, with an outline, and turn their links inward."""
    writer, parent = PdfWriter(), None
    for reader in (cover, *readers.values()):
        for sheet in sheets(reader):
            writer.add_page(sheet)
    for one in lines:
        made = writer.add_outline_item(
            one.title, page_number=one.sheet, parent=None if one.is_page else parent
        )
        parent = made if one.is_page else parent
    turn_inward(writer, readers, {one.page: one.sheet for one in lines if one.is_page})
    return writer


def turn_inward(writer: PdfWriter, readers: dict[Path, PdfReader], starts: dict[Path, int]) -> None:
    """Let the links of all sheets lead into the file, whose pages begin on these sheets."""
    ends = [one - 1 for one in (*starts.values(), len(writer.pages))][1:]
    found = {
        page: places(page, readers[page], first, last)
        for (page, first), last in zip(starts.items(), ends, strict=True)
    }
    for number, sheet in enumerate(writer.pages):
        here = next((page for page in reversed(starts) if starts[page] <= number), None)
        for one in list(sheet.get("/Annots", [])):
            point_inward(one.get_object(), here, found, writer)


def main(out: Path) -> None:
    """Print all pages and write the PDF."""
    chromium = next(filter(None, map(shutil.which, NAMES)), None)
    if chromium is None:
        raise SystemExit("[book-pdf] Chromium prints the pages, and there is none: install it")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        readers = {page: printed(chromium, page, folder) for page in pages()}
        version = version_of(next(iter(readers)))
        trial = drawn(chromium, "front", front(entries(readers, 0), version), folder)
        lines = entries(readers, len(sheets(trial)))
        cover = drawn(chromium, "front", front(lines, version), folder)
        writer = join(readers, cover, lines)
        marks = drawn(chromium, "heads", heads(lines, len(writer.pages)), folder).pages
        add_heads(writer.pages[lines[0].sheet :], marks)
        writer.compress_identical_objects()
        writer.add_metadata({"/Title": "norch"})
        writer.write(out)
    print(f"wrote {out}: {len(writer.pages)} pages of {len(readers)} chapters")


def add_heads(sheets: list[PageObject], marks: list[PageObject]) -> None:
    """Put a head on each sheet."""
    for sheet, mark in zip(sheets, marks, strict=True):
        sheet.merge_page(mark)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
