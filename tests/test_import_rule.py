"""The import rule holds, and the linter that says so can say no.

Violations are planted in a copy of the sources, never in the tree.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = [
    *sorted(ROOT.glob("stages/*/src/norch_*")),
    *sorted(ROOT.glob("extras/*/src/norch*")),
    *sorted((ROOT / "norch" / "src").glob("norch*")),
]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a folder with all packages and the root's settings."""
    for package in PACKAGES:
        ignored = shutil.ignore_patterns("__pycache__", "*.so")
        shutil.copytree(package, tmp_path / package.name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the linter on the copy. -S: without it the editable installs would lead to the tree."""
    program = [
        sys.executable,
        "-S",
        "-c",
        "from importlinter.cli import lint_imports_command as c; c()",
    ]
    found = os.pathsep.join([str(folder), sysconfig.get_path("purelib")])
    return subprocess.run(
        [*program, "--no-logo", "--no-cache"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": found},
        capture_output=True,
        text=True,
        check=False,
    )


def plant(folder: Path, module: str, line: str) -> None:
    with (folder / module).open("a") as file:
        file.write(f"\n{line}\n")


def test_the_tree_keeps_the_rule(copy: Path) -> None:
    result = lint(copy)
    assert result.returncode == 0, result.stdout + result.stderr
    with (copy / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    assert f"{len(contracts)} kept, 0 broken" in result.stdout


@pytest.mark.parametrize(
    ("module", "imported"),
    [
        ("norch_strides/layout.py", "norch_cpu_ops"),
        ("norch_cpu_ops/__init__.py", "norch_cuda"),
        ("norch_cuda/__init__.py", "norch_autograd"),
        ("norch_autograd/__init__.py", "norch_nn"),
        ("norch_nn/__init__.py", "norch_ddp"),
        ("norch_nn/__init__.py", "norch"),
        ("norch_ddp/__init__.py", "norch_extras"),
        ("norch_extras/__init__.py", "norchvision"),
        ("norchvision/__init__.py", "norch"),
    ],
)
def test_an_upward_import_is_found(copy: Path, module: str, imported: str) -> None:
    plant(copy, module, f"import {imported}")
    result = lint(copy)
    assert result.returncode == 1, result.stdout + result.stderr
    assert f"{Path(module).parts[0]} is not allowed to import {imported}:" in result.stdout


def test_an_upward_import_for_types_alone_is_found(copy: Path) -> None:
    lines = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import norch_nn"
    plant(copy, "norch_strides/layout.py", lines)
    result = lint(copy)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "norch_strides is not allowed to import norch_nn:" in result.stdout


def test_a_shelf_that_imports_another_is_found(copy: Path) -> None:
    plant(copy, "norch_extras/optim/fused.py", "def later():\n    import norch_extras.testing")
    result = lint(copy)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "norch_extras.optim.fused -> norch_extras.testing" in " ".join(result.stdout.split())


def test_a_cycle_inside_a_stage_is_found(copy: Path) -> None:
    plant(copy, "norch_strides/planted_a.py", "import norch_strides.planted_b")
    plant(copy, "norch_strides/planted_b.py", "import norch_strides.planted_a")
    result = lint(copy)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "planted_a" in result.stdout
