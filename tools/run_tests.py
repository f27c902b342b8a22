"""Runs every test of the repository in one pytest session, so that one summary tells the whole.

`make test` calls this: the tests of the six stages, of norch and of the whole, the examples in the
docstrings of stages 1, 4, 5, 6 and of the extras, and the book's notebooks, each output compared
with the committed one. `make test-all` adds the tests marked `long`. Arguments go to pytest.
"""

import sys
import tomllib

from pytest_runs import ROOT, run_pytest

DOCTESTED = [f"stages/{name}/src" for name in ("01_strides", "04_autograd", "05_nn", "06_ddp")]
DOCTESTED += ["extras/norch_extras/src", "extras/norchvision/src"]
SANITIZER = "book/nbval.cfg"


def notebooks() -> list[str]:
    """Return the committed notebooks of the book, none of its built copies."""
    found = sorted((ROOT / "book").rglob("*.ipynb"))
    skipped = {"_build", ".ipynb_checkpoints"}
    return [str(path.relative_to(ROOT)) for path in found if not skipped & set(path.parts)]


def paths() -> list[str]:
    """Return all that is tested, what takes long first: workers then end together."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        folders = tomllib.load(file)["tool"]["pytest"]["ini_options"]["testpaths"]
    present = [path for path in folders if any((ROOT / path).glob("*.py"))]
    return [*notebooks(), *reversed(present), *DOCTESTED]


def main() -> None:
    """Run the suite and leave with pytest's exit code."""
    given = sys.argv[1:]
    chosen = "not slow" if "--all" in given else "not slow and not long"
    options = ["-m", chosen, "--doctest-modules", "--nbval", "--nbval-current-env"]
    options += ["--nbval-sanitize-with", SANITIZER]
    options += [word for word in given if word != "--all"]
    sys.exit(run_pytest(sys.executable, options, paths()))


if __name__ == "__main__":
    main()
