"""Fetch Pyodide, Python for a browser, into a folder: `make book` runs `fetch_pyodide.py FOLDER`.

npm has it, and PyPI has an older one inside the wheel of flet-web; whichever answers first. Every
file is held to its hash, and nothing is fetched twice. Where neither answers in time the book is
built without: this says so in a line, and the pages say how to run things elsewhere.
"""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

PATIENCE = 60  # seconds for one registry
NPM, PYPI = "pyodide@0.29.4", "flet-web==0.80.5"
HASHES = {
    NPM: {  # Pyodide 0.29.4, Python 3.13
        "package.json": "c8d63a47f6649f02d365024ca23fac299f58df1c9d9f0d2b21441209c013a270",
        "pyodide-lock.json": "14d2c2dba101277999e17135e653d8f15389ad1437f53eae213bf0c3cdff723d",
        "pyodide.asm.js": "fe75e97ef2c7a10c41f23b96344c553c7c1c62821bb206080dbb24941c06d5f3",
        "pyodide.asm.wasm": "10090fe41e019ae669d512e1f747021a8db2aaab0f6dd6f85fa9368c55d681e3",
        "pyodide.js": "7be9e63eddf6bd8786a5ab71c8689c35731d187e3415fe58d7cb95423b50421a",
        "python_stdlib.zip": "92cb24faa546818f3ef4050fd5bd2b6487bd2042efed2113af141d035f30efb4",
    },
    PYPI: {  # Pyodide 0.27.7, Python 3.12
        "package.json": "bf221f60c881626236d3501375a97753672a7fa6fed70e469e083f157c8a30d4",
        "pyodide-lock.json": "9c45b916001a750f4102fc287494f3eab215909c7535c626a20db80fd6333e2c",
        "pyodide.asm.js": "6b4c90de5b7172873f04f21884d0e9d2274e305fe32116558fe3e4fbe3618d51",
        "pyodide.asm.wasm": "a50dd1843f805a0b7c45b61037ee0d7b26dfe85efe0e18ef95a34ad24e401f5f",
        "pyodide.js": "b4cb23a53aba19c221659b9fb40a2f18281d685691dc06647fb0afd0681baf98",
        "python_stdlib.zip": "16611534726e5d8ac2bd8f926410b2dcb8d6f49aa24913463533b457a2115c16",
    },
}


class Missing(Exception):
    """A registry that cannot be used; the words say why."""


def run(command: list[str], folder: Path, patience: float | None = None) -> None:
    """Run a registry's client, and end it with all it started when its time is up."""
    patience = patience or PATIENCE
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        said = process.communicate(timeout=patience)[1].strip().splitlines()
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise Missing(f"no answer within {patience} seconds") from None
    if process.returncode:
        raise Missing(said[0] if said else f"exit code {process.returncode}")


def from_npm(folder: Path) -> Path:
    """Fetch with npm; return where the files lie."""
    npm = shutil.which("npm")
    if not npm:
        raise Missing("npm is not installed")
    run([npm, "pack", NPM, "--fetch-retries=0", "--loglevel=error"], folder)
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        for member in archive.getmembers():
            if member.isfile() and Path(member.name).name in HASHES[NPM]:
                (folder / Path(member.name).name).write_bytes(archive.extractfile(member).read())
    return folder


def from_pypi(folder: Path) -> Path:
    """Fetch with uv, or with pip where uv is not wanted; return where the files lie."""
    uv = Path(sys.executable).with_name("uv")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--retries=0"]
    by_uv = [str(uv), "pip", "install", "--quiet", "--python", sys.executable]
    install = by_uv if uv.exists() else pip
    run([*install, "--no-deps", "--target", str(folder / "wheel"), PYPI], folder)
    return folder / "wheel" / "flet_web" / "web" / "pyodide"


def check_hashes(source: Path, hashes: dict[str, str]) -> dict[str, bytes]:
    """Return the files, after a look at their hashes."""
    files = {name: (source / name).read_bytes() for name in hashes}
    for name, wanted in hashes.items():
        if hashlib.sha256(files[name]).hexdigest() != wanted:
            raise Missing(f"{name} is not the file that was tried")
    return files


def fetch(target: Path, sources: dict[str, Callable[[Path], Path]]) -> str:
    """Fetch from the first source that has it; return what to say."""
    said = []
    for name, source in sources.items():
        with tempfile.TemporaryDirectory() as folder:
            try:
                files = check_hashes(source(Path(folder)), HASHES[name])
            except (Missing, OSError, StopIteration) as error:
                said.append(f"{name}: {error}")
                continue
        target.mkdir(parents=True, exist_ok=True)
        for file, data in files.items():
            (target / file).write_bytes(data)
        return f"[book] Python for the pages: {name}"
    reasons = "; ".join(said)
    return f"[book] no Python for the pages, which say how to run things here ({reasons})"


def main(target: Path) -> None:
    """Fetch, unless all is there."""
    for hashes in HASHES.values():
        with suppress(Missing, OSError):
            check_hashes(target, hashes)
            return
    print(fetch(target, {NPM: from_npm, PYPI: from_pypi}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
