"""Makes one PDF of the built book's chapters: `make book-pdf`; the pages are printed by Chromium.

The order is that of the book's list of pages, without the library, whose pages are for looking up.
Each page becomes an entry of the outline, and links between pages become links inside the file.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, NameObject

BOOK = Path(__file__).resolve().parent
HTML = BOOK / "_build" / "html"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 300  # seconds for one page; ends only a hang


def pages() -> list[Path]:
    """Return the built pages in the order of the book."""
    listed = re.findall(r"(?:root|file): (\S+)", (BOOK / "_toc.yml").read_text(encoding="utf-8"))
    return [HTML / f"{name}.html" for name in listed if not name.startswith("library")]


def title(page: Path) -> str:
    """Return the heading of a built page: its title up to the dash before the book's name."""
    found = re.search(r"<title>(.*?)</title>", page.read_text(encoding="utf-8"), re.DOTALL)
    return unescape(found.group(1)).partition(" \u2014 ")[0].strip() if found else page.stem


def printed(chromium: str, page: Path, folder: Path) -> PdfReader:
    """Print a page; its mathematics and drawings get the time that they need."""
    out = folder / f"{page.stem}.pdf"
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
    flags += [f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=20000"]
    command = [chromium, *flags, f"--print-to-pdf={out}", page.as_uri()]
    env = {**os.environ, "TMPDIR": "/tmp"}  # Chromium's socket there has a path of 107 letters
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env=env)
    if not out.exists():
        raise SystemExit(f"[book-pdf] Chromium did not print {page.name}: {done.stderr[-300:]}")
    return PdfReader(out)


def target(address: str) -> Path | None:
    """Return the file that a printed link leads to, if it is a page of the book."""
    parts = urlsplit(address)
    return Path(unquote(parts.path)) if parts.scheme == "file" else None


def join(readers: dict[Path, PdfReader]) -> PdfWriter:
    """Put the pages behind each other, with an outline, and turn their links inward."""
    writer, starts = PdfWriter(), {}
    for page, reader in readers.items():
        starts[page] = len(writer.pages)
        for sheet in reader.pages:
            writer.add_page(sheet)
        writer.add_outline_item(title(page), starts[page])
    for sheet in writer.pages:
        for one in list(sheet.get("/Annots", [])):
            point_inward(one.get_object(), starts, writer)
    return writer


def point_inward(link: DictionaryObject, starts: dict[Path, int], writer: PdfWriter) -> None:
    """Let a link to a page of the book lead to its place in the file, or nowhere if it has none."""
    page = target(str(link.get("/A", {}).get("/URI", "")))
    if page is not None:
        del link["/A"]
    if page in starts:
        place = [writer.pages[starts[page]].indirect_reference, NameObject("/Fit")]
        link[NameObject("/Dest")] = ArrayObject(place)


def main(out: Path) -> None:
    """Print all pages and write the PDF."""
    chromium = next(filter(None, map(shutil.which, NAMES)), None)
    if chromium is None:
        raise SystemExit("[book-pdf] Chromium prints the pages, and there is none: install it")
    with tempfile.TemporaryDirectory() as folder:
        readers = {page: printed(chromium, page, Path(folder)) for page in pages()}
        writer = join(readers)
        writer.add_metadata({"/Title": "norch"})
        writer.write(out)
    print(f"wrote {out}: {len(writer.pages)} pages of {len(readers)} chapters")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
