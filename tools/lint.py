"""Runs every check that needs no compiler and no test: `make lint`; with --fix, `make format`.

Each check is one line of output, `ok` or `FAILED`, with the tool's own words only where it failed
and the remarks of the tree ("note: ...").
The packages are read from their folders, never installed, so that lint is the quickest thing that
can fail.
"""

import argparse
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
# Packages with contracts of their own, on their floors.
FLOORS = [f"stages/{name}" for name in ("03_cuda", "04_autograd", "05_nn", "06_ddp")]
FLOORS += ["extras/norch_extras"]
ISSUE_CONFIG = ".github/ISSUE_TEMPLATE/config.yml"  # the one file there that is no form
SOURCES = [*sorted(ROOT.glob("stages/*/src")), *ROOT.glob("extras/*/src"), ROOT / "norch" / "src"]


def cpp_files() -> list[str]:
    """Return every C++ and CUDA source of the packages, their programs and the course."""
    kinds = {".h", ".cpp", ".cu", ".cuh"}
    places = (
        "stages/*/csrc/**/*",
        "stages/*/programs/*",
        "stages/*/tests/programs/*",
        "extras/*/src/**/headers/**/*",
        "extras/*/tests/programs/*",
        "course/norch_course/*",
    )
    paths = [path for place in places for path in ROOT.glob(place)]
    found = [path for path in paths if path.suffix in kinds]
    return [str(path.relative_to(ROOT)) for path in sorted(found)]


def checks() -> dict[str, list[str]]:
    """Return the commands of `make lint` by name."""
    rule = ["lint-imports", "--no-logo", "--no-cache"]  # a cache remembers renamed files
    faces = ["--quiet", "--no-respect-gitignore", "norch/src"]
    return {
        "faces of norch": ["python", "norch/write_faces.py"],  # first: the linters read them
        "faces, ruff check": ["ruff", "check", *faces],
        "faces, ruff format": ["ruff", "format", "--check", *faces],
        "ruff check": ["ruff", "check", "--quiet", "."],
        "ruff format": ["ruff", "format", "--check", "--quiet", "."],
        "indexes": ["python", "tools/names.py", "--check"],
        "clang-format": ["clang-format", "--dry-run", "-Werror", *cpp_files()],
        "mypy --strict": ["mypy"],
        "import rule": rule,
        **{
            f"floors of {stage}": [*rule, "--config", f"{stage}/pyproject.toml"] for stage in FLOORS
        },
        "floors of the C++": ["python", "tools/check_includes.py"],
        "tree": ["python", "tools/check_tree.py"],
        **workflows(),
        **host_files(),
        "the drawn floors": ["python", "tools/architecture.py", "--check"],
        "the table of sizes": ["python", "tools/weigh.py", "--check"],
    }


def workflows() -> dict[str, list[str]]:
    """Return the check of CI's files, where actionlint can be had: not on Macs with Intel."""
    if sys.platform == "darwin" and platform.machine() != "arm64":
        print("absent  actionlint: CI's workflows are checked on other machines", flush=True)
        return {}
    files = [str(path.relative_to(ROOT)) for path in (ROOT / ".github/workflows").glob("*.yml")]
    return {"workflows": ["actionlint", "-shellcheck=", *sorted(files)]}


def host_files() -> dict[str, list[str]]:
    """Return the checks of what a host reads beside workflows, by the schemas of its formats."""
    forms = sorted(set((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml")) - {ROOT / ISSUE_CONFIG})
    files = {
        "dependabot": [".github/dependabot.yml"],
        "github-issue-config": [ISSUE_CONFIG],
        "github-issue-forms": [str(path.relative_to(ROOT)) for path in forms],
        "citation-file-format": ["CITATION.cff"],
    }
    check = ["check-jsonschema", "--quiet", "--builtin-schema"]
    return {name: [*check, f"vendor.{name}", *paths] for name, paths in files.items()}


def fixes() -> dict[str, list[str]]:
    """Return the commands of `make format` by name."""
    return {
        "ruff check --fix": ["ruff", "check", "--fix", "--quiet", "."],
        "ruff format": ["ruff", "format", "--quiet", "."],
        "indexes": ["python", "tools/names.py"],
        "clang-format": ["clang-format", "-i", *cpp_files()],
    }


def passes(name: str, command: list[str]) -> bool:
    """Run one command; print its line, and its output if it failed or remarks something."""
    start = time.perf_counter()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, SOURCES))}
    program = [str(BIN / command[0]), *command[1:]]
    result = subprocess.run(
        program, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    verdict = "FAILED" if result.returncode else "ok"
    print(f"{verdict:6}  {name}  ({time.perf_counter() - start:.1f} s)", flush=True)
    if result.returncode or result.stdout.startswith("note: "):
        print(result.stdout + result.stderr)
    return result.returncode == 0


def main() -> None:
    """Run all commands, the failing ones included, and leave with 1 if any failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fix", action="store_true", help="format instead of checking")
    commands = fixes() if parser.parse_args().fix else checks()
    results = [passes(name, command) for name, command in commands.items()]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
