"""The import rule and the order of the floors hold, and the linter that says so can say no.

The contracts stand in pyproject.toml. Violations are planted in a copy of the sources, never in the
tree.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = [*sorted((ROOT / "stages").glob("*/src/norch_*")), ROOT / "norch" / "src" / "norch"]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
FLOORS = [contract for contract in SETTINGS["contracts"] if "containers" in contract]
# The one import upward: what the word `Tensor` means to type checkers and readers below it.
DOOR = "norch_autograd.graph.tensor_base -> norch_autograd.tensor.tensor"
MOST_FILES = 24  # of one folder
FORMS = {
    "at module level": "import {}",
    "inside a function": "def planted():\n    import {}",
    "under TYPE_CHECKING": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import {}",
}
LINT = "from importlinter.cli import lint_imports_command as c; c()"
IMPORTS = """
import grimp, json, sys
for package in sys.argv[1:]:
    graph = grimp.build_graph(package, exclude_type_checking_imports=False, cache_dir=None)
    found = {m: sorted(graph.find_modules_directly_imported_by(m)) for m in graph.modules}
    print(json.dumps(found))
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a folder with all seven packages and the root's settings."""
    for package in PACKAGES:
        ignored = shutil.ignore_patterns("__pycache__", "*.so")
        shutil.copytree(package, tmp_path / package.name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def in_copy(folder: Path, program: str, *args: str) -> subprocess.CompletedProcess[str]:
    """Run a program on the copy. -S: without it the editable installs would lead to the tree."""
    found = os.pathsep.join([str(folder), sysconfig.get_path("purelib")])
    return subprocess.run(
        [sys.executable, "-S", "-c", program, *args],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": found},
        capture_output=True,
        text=True,
        check=False,
    )


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    return in_copy(folder, LINT, "--no-logo", "--no-cache")


def plant(folder: Path, module: str, line: str) -> None:
    """Write a line at the end of a module, named with dots; a new one if there is none."""
    path = folder / module.replace(".", "/")
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    with file.open("a") as source:
        source.write(f"\n{line}\n")


def file_circle(folder: Path, package: str) -> list[str]:
    """Return files of a package that import each other in a circle, the door aside."""
    result = in_copy(folder, IMPORTS, package)
    assert result.returncode == 0, result.stderr
    imported = {
        module: [other for other in others if f"{module} -> {other}" != DOOR]
        for module, others in json.loads(result.stdout).items()
    }
    try:
        TopologicalSorter(imported).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_the_tree_keeps_the_rule(copy: Path) -> None:
    result = lint(copy)
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"{len(SETTINGS['contracts'])} kept, 0 broken" in result.stdout


@pytest.mark.parametrize(
    ("module", "imported"),
    [
        ("norch_strides.layout", "norch_cpu_ops"),
        ("norch_cpu_ops", "norch_cuda"),
        ("norch_cuda", "norch_autograd"),
        ("norch_autograd", "norch_nn"),
        ("norch_nn", "norch_ddp"),
        ("norch_nn", "norch"),
        ("norch_ddp", "norch"),
    ],
)
def test_an_import_of_a_later_stage_is_found(copy: Path, module: str, imported: str) -> None:
    plant(copy, module, f"import {imported}")
    result = lint(copy)
    assert result.returncode == 1, result.stdout + result.stderr
    assert f"{module.split('.')[0]} is not allowed to import {imported}:" in result.stdout


def test_every_stage_with_many_folders_has_floors() -> None:
    """Any folder with more than four folders in it."""
    containers = {name for contract in FLOORS for name in contract["containers"]}
    for package in PACKAGES:
        for folder in [package, *filter(Path.is_dir, package.rglob("*"))]:
            inside = list(folder.glob("*/__init__.py"))
            name = ".".join(folder.relative_to(package.parent).parts)
            if package.name != "norch" and len(inside) > 4:
                assert name in containers, f"no contract orders the folders of {name}"


@pytest.mark.parametrize("contract", FLOORS, ids=lambda contract: contract["name"])
def test_the_order_is_of_all_folders_and_of_all_imports(contract: dict) -> None:
    """No file without a floor, none passed over by a wildcard; the door is the only exception."""
    assert contract["type"] == "layers"
    assert contract["exhaustive"] is True
    assert not contract.get("exhaustive_ignores")
    assert contract.get("ignore_imports", []) in ([], [DOOR])
    assert SETTINGS["exclude_type_checking_imports"] is False


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("contract", FLOORS, ids=lambda contract: contract["name"])
def test_an_import_of_a_higher_floor_is_found(copy: Path, contract: dict, form: str) -> None:
    floors = [name.strip() for layer in contract["layers"] for name in layer.split("|")]
    for container in contract["containers"]:
        low, high = f"{container}.{floors[-1]}", f"{container}.{floors[0]}"
        plant(copy, low, FORMS[form].format(high))
        result = lint(copy)
        assert result.returncode == 1, result.stdout + result.stderr
        assert f"{contract['name']} BROKEN" in result.stdout.replace("\n", " ")
        assert f"{low} -> {high} (l." in result.stdout


@pytest.mark.parametrize("contract", FLOORS, ids=lambda contract: contract["name"])
def test_a_file_without_a_floor_is_found(copy: Path, contract: dict) -> None:
    for container in contract["containers"]:
        plant(copy, f"{container}.planted", "")
        result = lint(copy)
        assert result.returncode == 1, result.stdout + result.stderr
        assert f"- {container}.planted" in result.stdout


def test_a_circle_of_folders_is_found(copy: Path) -> None:
    plant(copy, "norch_strides.planted_a", "import norch_strides.planted_b")
    plant(copy, "norch_strides.planted_b", "import norch_strides.planted_a")
    result = lint(copy)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "planted_a" in result.stdout


@pytest.mark.parametrize("package", [path.name for path in PACKAGES])
def test_no_file_imports_itself_in_a_circle(copy: Path, package: str) -> None:
    assert file_circle(copy, package) == []


@pytest.mark.parametrize("form", FORMS)
def test_a_circle_of_files_is_found(copy: Path, form: str) -> None:
    plant(copy, "norch_strides.planted_a", "import norch_strides.planted_b")
    plant(copy, "norch_strides.planted_b", FORMS[form].format("norch_strides.planted_a"))
    assert "norch_strides.planted_a" in file_circle(copy, "norch_strides")


def crowded(folder: Path) -> list[str]:
    """Return the folders of Python files that no reader takes in at a glance."""
    folders = {path.parent for path in folder.rglob("*.py")}
    return [
        f"{path.relative_to(folder)}: {len(list(path.glob('*.py')))} files"
        for path in sorted(folders)
        if len(list(path.glob("*.py"))) > MOST_FILES
    ]


def test_no_folder_is_crowded(copy: Path) -> None:
    assert crowded(copy) == []


def test_a_crowded_folder_is_found(copy: Path) -> None:
    for number in range(MOST_FILES):
        plant(copy, f"norch_strides.planted_{number}", "")
    assert any(line.startswith("norch_strides: ") for line in crowded(copy))
