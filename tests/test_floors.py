"""The floors of a package hold, types included, and the linter that says so can say no. No file of
any package imports itself in a circle, and no folder is crowded.

Each stage with floors has its contracts in its own pyproject.toml. The violations of a package are
planted together, in one copy, and the linter has to name each of them.
"""

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = {
    path.name: path
    for place in ("stages/*/src/norch_*", "extras/*/src/norch*", "norch/src/norch*")
    for path in sorted(ROOT.glob(place))
}
# The one import upward: what the word `Tensor` means to type checkers on the floors below it.
DOOR = "norch_autograd.graph.tensor_base -> norch_autograd.tensor.tensor"
MOST_FILES = 24  # of one folder


def linter(package: str) -> dict:
    """Return the settings of the linter in the pyproject.toml of a package."""
    settings = tomllib.loads((PACKAGES[package].parents[1] / "pyproject.toml").read_text())
    return settings["tool"].get("importlinter", {})


STAGES = [package for package in PACKAGES if linter(package)]
FLOORS = [
    (package, contract, container)
    for package in STAGES
    for contract in linter(package)["contracts"]
    if contract["type"] == "layers"
    for container in contract["containers"]
]

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
    ("norch_autograd", "more/inplace.py", "norch_autograd.tensor.methods"),
    ("norch_nn", "core/registry.py", "norch_nn.modules.linear"),
    ("norch_nn", "functional/pooling.py", "norch_nn.modules.pooling"),
    ("norch_nn", "modules/linear.py", "norch_nn.optim.sgd"),
    ("norch_nn", "optim/sgd.py", "norch_nn.amp.grad_scaler"),
    ("norch_ddp", "groups/process_group.py", "norch_ddp.collectives.collectives"),
    ("norch_ddp", "collectives/ring.py", "norch_ddp.data_parallel.buckets"),
    ("norch_extras", "accelerate/accumulation.py", "norch_extras.accelerate.loader"),
]
PLACES = {
    "module": "import {0}",
    "function": "def planted():\n    import {0}",
    "types": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import {0}",
}


LINT = "from importlinter.cli import lint_imports_command as c; c()"
IMPORTS = """
import grimp, json, sys
graph = grimp.build_graph(sys.argv[1], exclude_type_checking_imports=False, cache_dir=None)
print(json.dumps({m: sorted(graph.find_modules_directly_imported_by(m)) for m in graph.modules}))
"""


def copied(package: str, folder: Path) -> Path:
    """Copy a package; return the folder of the copy."""
    ignored = shutil.ignore_patterns("__pycache__", "*.so")
    shutil.copytree(PACKAGES[package], folder / package, ignore=ignored)
    return folder


def plant(folder: Path, module: str, lines: str) -> None:
    """Write lines at the end of a module, named with dots; a new one if there is none."""
    path = folder / module.replace(".", "/")
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    with file.open("a") as text:
        text.write(f"\n\n{lines}\n")


def run_on(folder: Path, program: str, *args: str) -> subprocess.CompletedProcess[str]:
    """Run a program that finds packages in a folder. -S: else it may find the editable installs."""
    found = os.pathsep.join([str(folder), sysconfig.get_path("purelib")])
    return subprocess.run(
        [sys.executable, "-S", "-c", program, *args],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": found},
        capture_output=True,
        text=True,
        check=False,
    )


def lint(folder: Path, package: str) -> subprocess.CompletedProcess[str]:
    """Hold the package that stands in a folder to the contracts of its stage."""
    contracts = PACKAGES[package].parents[1] / "pyproject.toml"
    return run_on(folder, LINT, "--no-logo", "--no-cache", "--config", str(contracts))


def file_circle(folder: Path, package: str) -> list[str]:
    """Return files of a package that import each other in a circle, the door aside."""
    result = run_on(folder, IMPORTS, package)
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


def crowded(package: Path) -> list[str]:
    """Return the folders of a package with more Python files than one takes in at a glance."""
    files = [path.parent for path in package.rglob("*.py")]
    return sorted({str(folder) for folder in files if files.count(folder) > MOST_FILES})


def ends(contract: dict, container: str) -> tuple[str, str]:
    """Return the lowest and the highest floor of a contract."""
    floors = [name.strip() for layer in contract["layers"] for name in layer.split("|")]
    return f"{container}.{floors[-1]}", f"{container}.{floors[0]}"


@functools.cache
def told(package: str) -> str:
    """Return what the linter says of a package with all its violations planted, on one line.

    There is one copy for them all: the lowest floor of each contract imports the highest in each
    of the places, each of UPWARD its module, and each container has a file without a floor.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = copied(package, Path(name))
        for owner, contract, container in FLOORS:
            if owner == package:
                low, high = ends(contract, container)
                plant(folder, low, "\n".join(PLACES.values()).format(high))
                plant(folder, f"{container}.planted", "")
        for owner, file, imported in UPWARD:
            if owner == package:
                plant(folder, f"{package}/{file}".removesuffix(".py"), f"import {imported}")
        result = lint(folder, package)
    assert result.returncode == 1, result.stdout + result.stderr
    return " ".join(result.stdout.split())


@pytest.mark.parametrize("package", STAGES)
def test_the_floors_hold(package: str) -> None:
    result = lint(PACKAGES[package].parent, package)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "0 broken" in result.stdout


@pytest.mark.parametrize("package", STAGES)
def test_the_contracts_pass_over_nothing(package: str) -> None:
    """All files have a floor, all imports count, and the door is the only exception."""
    assert linter(package).get("exclude_type_checking_imports", False) is False
    for contract in linter(package)["contracts"]:
        assert contract.get("ignore_imports", []) in ([], [DOOR])
        assert contract["type"] != "layers" or contract["exhaustive"] is True
        assert not contract.get("exhaustive_ignores")


@pytest.mark.parametrize("package", [name for name in PACKAGES if name != "norch"])
def test_a_package_with_many_folders_has_floors(package: str) -> None:
    """So has any of its folders with more than four in it, unless none of them knows another."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        rules = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    strangers = [rule["modules"] for rule in rules if rule["type"] == "independence"]
    ordered = {name.removesuffix(".*") for names in strangers for name in names}
    ordered |= {container for _, _, container in FLOORS}
    for folder in [PACKAGES[package], *filter(Path.is_dir, PACKAGES[package].rglob("*"))]:
        name = ".".join(folder.relative_to(PACKAGES[package].parent).parts)
        assert len(list(folder.glob("*/__init__.py"))) <= 4 or name in ordered, name


@pytest.mark.parametrize(
    ("package", "contract", "container"), FLOORS, ids=[container for *_, container in FLOORS]
)
def test_the_lowest_floor_may_not_import_the_highest(
    package: str, contract: dict, container: str
) -> None:
    """Not at module level, in a function or for types: the report names the line of each."""
    low, high = ends(contract, container)
    found = re.search(rf"{re.escape(low)} -> {re.escape(high)} \((.*?)\)", told(package))
    assert found, told(package)
    assert found[1].count("l.") == len(PLACES), found[0]


@pytest.mark.parametrize(("package", "file", "imported"), UPWARD)
def test_an_upward_import_is_found(package: str, file: str, imported: str) -> None:
    module = f"{package}/{file}".removesuffix(".py").replace("/", ".")
    assert f"{module} -> {imported} (l." in told(package)


@pytest.mark.parametrize(
    ("package", "container"), [(package, container) for package, _, container in FLOORS]
)
def test_a_new_file_needs_a_floor(package: str, container: str) -> None:
    assert f"- {container}.planted" in told(package)


@pytest.mark.parametrize("package", PACKAGES)
def test_no_file_imports_itself_in_a_circle(package: str) -> None:
    assert file_circle(PACKAGES[package].parent, package) == []


@pytest.mark.parametrize("place", PLACES)
def test_a_circle_of_files_is_found(place: str, tmp_path: Path) -> None:
    folder = copied("norch_strides", tmp_path)
    plant(folder, "norch_strides.planted_a", "import norch_strides.planted_b")
    plant(folder, "norch_strides.planted_b", PLACES[place].format("norch_strides.planted_a"))
    assert "norch_strides.planted_a" in file_circle(folder, "norch_strides")


@pytest.mark.parametrize("package", PACKAGES)
def test_no_folder_holds_more_than_24_files(package: str) -> None:
    assert crowded(PACKAGES[package]) == []


def test_a_crowded_folder_is_found(tmp_path: Path) -> None:
    folder = copied("norch_strides", tmp_path)
    for number in range(MOST_FILES):
        plant(folder, f"norch_strides.planted_{number}", "")
    assert crowded(folder / "norch_strides") == [str(folder / "norch_strides")]


def test_the_page_shows_the_contracts() -> None:
    """docs/architecture.md is drawn from the contracts; a drawing that is not theirs is refused."""
    command = [sys.executable, str(ROOT / "tools" / "architecture.py"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
