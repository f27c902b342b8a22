"""The import rule holds, and the floors of the C++, and the checks that say so can say no.

Violations are planted in a copy of the sources, never in the tree: imports for the linter, one
`#include` against each rule for tools/check_includes.py.
"""

import ast
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


# Stage, file that is changed, what it must not include, what is said.
AGAINST = [
    ("02_cpu_ops", "core/plan.cpp", "kernels/copy.h", "kernels does not lie below core"),
    ("02_cpu_ops", "kernels/loop.h", "scalar_kernels/sort.h", "does not lie below kernels"),
    ("02_cpu_ops", "scalar_kernels/sort.cpp", "ops/sort.h", "ops does not lie below scalar_ker"),
    ("02_cpu_ops", "ops/copy.h", "bindings/python.h", "bindings does not lie below ops"),
    ("02_cpu_ops", "core/plan.h", "../ops/copy.h", "ops does not lie below core"),
    ("02_cpu_ops", "more/kernels/direct.h", "ops/copy.h", "ops does not lie below kernels"),
    ("02_cpu_ops", "more/kernels/direct.h", "more/ops/linalg.h", "ops does not lie below kernels"),
    ("02_cpu_ops", "ops/pool.cpp", "more/ops/resample.h", "only bindings/bind_conv.cpp, ops/con"),
    ("02_cpu_ops", "ops/conv.cpp", "more/kernels/direct.h", "include from more/"),
    ("03_cuda", "conv.cu", "simulator/checks.h", "simulator does not lie below *"),
    ("03_cuda", "kernel.h", "simulator/cuda_on_cpu.h", "simulator does not lie below *"),
    ("03_cuda", "simulator/order.h", "kernel.h", "* does not lie below simulator"),
    ("04_autograd", "text.h", "state.h", "state does not lie below text"),
    ("04_autograd", "record.cpp", "pass.h", "pass does not lie below record"),
]


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import check_includes

    return check_includes


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a copy of each stage's csrc, under the stage's name."""
    folder = tmp_path_factory.mktemp("stages")
    for csrc in ROOT.glob("stages/*/csrc"):
        shutil.copytree(csrc, folder / csrc.parent.name)
    return folder


def said_of(check, csrc: Path, file: str, line: str) -> list[str]:
    """Return what the check says of a copy while a line stands at the end of one of its files."""
    path, whole = csrc / file, (csrc / file).read_text()
    path.write_text(f"{whole}\n{line}\n")
    try:
        return list(check.complaints(csrc, check.FLOORS[csrc.name]))
    finally:
        path.write_text(whole)


@pytest.mark.parametrize(("stage", "file", "other", "said"), AGAINST)
def test_an_include_against_the_floors_is_named(
    check, copies: Path, stage: str, file: str, other: str, said: str
) -> None:
    assert said_of(check, copies / stage, file, "") == []
    (found,) = said_of(check, copies / stage, file, f'  #  include "{other}"  // planted')
    assert found.startswith(f'{file}: #include "{other.removeprefix("../")}": ') and said in found


def test_a_file_on_no_floor_is_named(check, tmp_path: Path) -> None:
    for file, text in {"core/plan.cpp": '#include "utils/misc.h"\n', "utils/misc.h": ""}.items():
        (tmp_path / file).parent.mkdir()
        (tmp_path / file).write_text(text)
    (found,) = check.complaints(tmp_path, check.FLOORS["02_cpu_ops"])
    assert found.startswith("utils/misc.h: stands on no floor")


def test_every_stage_with_cpp_has_floors_and_every_door_is_used(check) -> None:
    assert {path.parent.name for path in ROOT.glob("stages/*/csrc")} == set(check.FLOORS)
    csrc = ROOT / "stages" / "02_cpu_ops" / "csrc"
    for file, other in check.DOORS:
        assert Path(other) in check.read_includes(csrc, csrc / file)


def test_lint_fails_with_the_line(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "stages" / "02_cpu_ops" / "csrc", tmp_path / "stages/02_cpu_ops/csrc")
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "check_includes.py", tmp_path / "tools")
    program = [sys.executable, tmp_path / "tools" / "check_includes.py"]
    assert subprocess.run(program, check=False).returncode == 0
    with (tmp_path / "stages/02_cpu_ops/csrc/core/plan.cpp").open("a") as text:
        text.write('#include "kernels/copy.h"\n')
    answer = subprocess.run(program, capture_output=True, text=True, check=False)
    assert answer.returncode == 1
    assert answer.stdout.startswith("stages/02_cpu_ops/csrc/core/plan.cpp: #include")


def imported(text: str) -> set[str]:
    """Return the packages that a file of tests imports where it begins, not in its functions."""
    found = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.Import):
            found |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(str(node.module).partition(".")[0])
    return found


@pytest.mark.parametrize("number", range(1, 7))
def test_the_tests_of_a_stage_import_no_package_above_it(number: int) -> None:
    above = {package.name for package in PACKAGES[number:]}
    files = sorted(ROOT.glob(f"stages/0{number}_*/tests/*.py"))
    assert files
    assert not {file.name: both for file in files if (both := imported(file.read_text()) & above)}
    assert imported("from norch_extras.nn import Fold\nimport norch") & above
