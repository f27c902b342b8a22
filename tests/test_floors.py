"""The floors of a package hold, types included, and the linter that says so can say no.

Each stage with floors has its contracts in its own pyproject.toml. Violations are planted in a
copy.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
STAGES = {
    "norch_cuda": ROOT / "stages" / "03_cuda",
    "norch_autograd": ROOT / "stages" / "04_autograd",
}

# Package, file that is changed, module that it must not import.
UPWARD = [
    ("norch_cuda", "arrays/array.py", "norch_cuda.operations"),
    ("norch_cuda", "runtime/backend.py", "norch_cuda.arrays.array"),
    ("norch_cuda", "launch/base.py", "norch_cuda.operations.matmul"),
    ("norch_cuda", "operations/matmul.py", "norch_cuda.operations.attention"),
    ("norch_cuda", "operations/sort.py", "norch_cuda.devices.device"),
    ("norch_autograd", "types/size.py", "norch_autograd.graph.node"),
    ("norch_autograd", "graph/node.py", "norch_autograd.engine.engine"),
    ("norch_autograd", "engine/engine.py", "norch_autograd.ops.shape.view"),
    ("norch_autograd", "ops/dtype/convert.py", "norch_autograd.ops.shape.view"),
    ("norch_autograd", "ops/elementwise/power.py", "norch_autograd.ops.reduction.sum"),
    ("norch_autograd", "ops/nn/softmax.py", "norch_autograd.creation.like"),
    ("norch_autograd", "creation/like.py", "norch_autograd.autograd.grad"),
    ("norch_autograd", "autograd/grad.py", "norch_autograd.tensor.tensor"),
    ("norch_autograd", "tensor/methods.py", "norch_autograd.compat.testing"),
]
PLACES = {
    "module": "import {0}",
    "function": "def planted():\n    import {0}",
    "types": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import {0}",
}


def copied(package: str, folder: Path) -> Path:
    """Copy a package and its contracts; return the folder of the copy."""
    ignored = shutil.ignore_patterns("__pycache__", "*.so")
    shutil.copytree(STAGES[package] / "src" / package, folder / package, ignore=ignored)
    shutil.copy(STAGES[package] / "pyproject.toml", folder)
    return folder


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the linter on the copy. -S: without it the editable installs would lead to the tree."""
    program = "from importlinter.cli import lint_imports_command as c; c()"
    found = os.pathsep.join([str(folder), sysconfig.get_path("purelib")])
    return subprocess.run(
        [sys.executable, "-S", "-c", program, "--no-logo", "--no-cache"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": found},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("package", STAGES)
def test_the_floors_hold(package: str, tmp_path: Path) -> None:
    result = lint(copied(package, tmp_path))
    assert result.returncode == 0, result.stdout + result.stderr
    assert "0 broken" in result.stdout


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("package", "file", "imported"), UPWARD)
def test_an_upward_import_is_found(
    package: str, file: str, imported: str, place: str, tmp_path: Path
) -> None:
    folder = copied(package, tmp_path)
    with (folder / package / file).open("a") as text:
        text.write("\n\n" + PLACES[place].format(imported) + "\n")
    result = lint(folder)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "is not allowed to import" in result.stdout


@pytest.mark.parametrize("package", STAGES)
def test_a_new_file_needs_a_floor(package: str, tmp_path: Path) -> None:
    folder = copied(package, tmp_path)
    (folder / package / "planted.py").write_text('"""On no floor."""\n')
    result = lint(folder)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "planted" in result.stdout


@pytest.mark.parametrize("package", STAGES)
def test_no_folder_holds_more_than_24_files(package: str) -> None:
    files = [p.parent for p in (STAGES[package] / "src" / package).rglob("*.py")]
    assert {str(folder): files.count(folder) for folder in files if files.count(folder) > 24} == {}


def test_the_page_shows_the_contracts() -> None:
    """docs/architecture.md is drawn from the contracts; a drawing that is not theirs is refused."""
    command = [sys.executable, str(ROOT / "tools" / "architecture.py"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
