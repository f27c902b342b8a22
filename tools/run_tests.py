"""Runs every test of the repository in one pytest session, so that one summary tells the whole.

`make test` calls this: the tests of the six stages, of norch and of the whole, the examples in the
docstrings of stages 1, 4, 5, 6 and of the extras, and the book's notebooks, each output compared
with the committed one. Arguments go to pytest.
"""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCTESTED = [f"stages/{name}/src" for name in ("01_strides", "04_autograd", "05_nn", "06_ddp")]
DOCTESTED += ["extras/norch_extras/src", "extras/norchvision/src"]
SANITIZER = "book/nbval.cfg"


def notebooks() -> list[str]:
    """Return the committed notebooks of the book, none of its built copies."""
    found = sorted((ROOT / "book").rglob("*.ipynb"))
    skipped = {"_build", ".ipynb_checkpoints"}
    return [str(path.relative_to(ROOT)) for path in found if not skipped & set(path.parts)]


def command(extra: list[str]) -> list[str]:
    """Return the pytest command of the whole suite."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        paths = tomllib.load(file)["tool"]["pytest"]["ini_options"]["testpaths"]
    nbval = ["--nbval", "--nbval-current-env"]
    if (ROOT / SANITIZER).exists():
        nbval += ["--nbval-sanitize-with", SANITIZER]
    pytest = [sys.executable, "-P", "-m", "pytest", "-q", "-m", "not slow", "--durations=15"]
    present = [path for path in paths if any((ROOT / path).glob("*.py"))]
    return [*pytest, "--doctest-modules", *nbval, *extra, *present, *DOCTESTED, *notebooks()]


def main() -> None:
    """Run the suite and leave with pytest's exit code."""
    environment = {**os.environ, "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    result = subprocess.run(command(sys.argv[1:]), cwd=ROOT, env=environment, check=False)
    sys.exit(result.returncode)


if __name__ == "__main__":
    main()
