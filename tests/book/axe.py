"""axe-core, which finds what a page denies to those who read by ear, by keys or in high contrast.

npm has it; it is held to its hash and kept in `build/axe`. Where it cannot be had, tests that ask
for it are skipped and say why.
"""

import hashlib
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

import pytest

PACKAGE = "axe-core@4.14.1"
SHA256 = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"
HERE = Path(__file__).resolve().parents[2] / "build" / "axe" / "axe.min.js"
PATIENCE = 60  # seconds for a registry


def is_right(text: bytes) -> bool:
    """Tell whether this is the file that was tried."""
    return hashlib.sha256(text).hexdigest() == SHA256


def fetch() -> None:
    """Fetch it with npm."""
    npm = shutil.which("npm")
    if not npm:
        pytest.skip("npm is not installed: it fetches axe-core")
    with tempfile.TemporaryDirectory() as name:
        asked = [npm, "pack", PACKAGE, "--fetch-retries=0", "--loglevel=error"]
        try:
            subprocess.run(asked, cwd=name, check=True, capture_output=True, timeout=PATIENCE)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as wrong:
            pytest.skip(f"axe-core is not to be had: {wrong}")
        with tarfile.open(next(Path(name).glob("*.tgz"))) as archive:
            found = archive.extractfile("package/axe.min.js").read()
    assert is_right(found), f"{PACKAGE} is not the file that was tried"
    HERE.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=HERE.parent, delete=False) as whole:
        whole.write(found)
    Path(whole.name).replace(HERE)  # another worker may read or write it meanwhile


def source() -> str:
    """Return the script."""
    if not HERE.exists() or not is_right(HERE.read_bytes()):
        fetch()
    return HERE.read_text(encoding="utf-8")
