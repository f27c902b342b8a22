"""Put MNIST's four files into a folder, for the page that trains: `fetch_mnist.py FOLDER`.

They come from `$NORCH_DATA`, a folder `shared/data` beside the clone, norch's cache, or one of the
addresses that norch downloads from; each is held to its hash. Needs no norch. Where MNIST is
nowhere the folder goes, and the page trains on small digits that norch carries.
"""

import ast
import gzip
import hashlib
import os
import shutil
import sys
import urllib.request
import zlib
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "extras" / "norchvision" / "src" / "norchvision" / "datasets" / "sources.py"
FOLDERS = ("", "mnist", "MNIST", "MNIST/raw")
PATIENCE = 20  # seconds for an address that does not answer
BROKEN = (OSError, EOFError, zlib.error, HTTPException)  # a file or an address that has nothing


def told(name: str) -> object:
    """Return a constant of norchvision's, which is read and not imported: that needs norch."""
    body = ast.parse(SOURCES.read_text(encoding="utf-8")).body
    for one in body:
        if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == name:
            return ast.literal_eval(one.value)
    raise LookupError(f"{SOURCES} has no constant {name}, which the book reads there")


def places() -> list[Path]:
    """Return the folders that may have the files."""
    cache = os.environ.get("NORCH_CACHE") or Path.home() / ".cache" / "norch"
    given = os.environ.get("NORCH_DATA") or ROOT.parent / "shared" / "data"
    return [Path(place) / folder for place in (given, cache) for folder in FOLDERS]


def kept(path: Path) -> bytes:
    """Return what a file holds, unpacked."""
    found = path.read_bytes()
    return gzip.decompress(found) if path.suffix == ".gz" else found


def sent(address: str) -> bytes:
    """Return what an address sends, unpacked."""
    with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
        return gzip.decompress(answer.read())


def candidates(name: str) -> Iterator[bytes]:
    """Yield what a file may hold, from the folders, then from the web; broken ones are passed."""
    for path in (folder / (name + end) for folder in places() for end in (".gz", "")):
        with suppress(*BROKEN):
            yield kept(path)
    for mirror in told("MIRRORS"):
        with suppress(*BROKEN):
            yield sent(f"{mirror}{name}.gz")


def fetched(name: str, wanted: str) -> bytes:
    """Return a file, compressed; OSError where nobody has the one that is meant."""
    for found in candidates(name):
        if hashlib.sha256(found).hexdigest() == wanted:
            return gzip.compress(found, mtime=0)
    raise OSError(f"{name} is neither in a folder nor to be had")


def main(target: Path) -> None:
    """Write the four files, or say why there are none."""
    hashes = told("SHA256")
    if all((target / f"{name}.gz").is_file() for name in hashes):
        return
    shutil.rmtree(target, ignore_errors=True)
    try:
        files = {name: fetched(name, wanted) for name, wanted in hashes.items()}
    except OSError as error:
        print(f"[book] no MNIST for the page that trains, which takes small digits: {error}")
        return
    target.mkdir(parents=True)
    for name, data in files.items():
        (target / f"{name}.gz").write_bytes(data)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
