"""What users' type checkers see, and what stage 4's floors below `Tensor` may ask of it.

To mypy the word `Tensor` means the whole class everywhere, by way of one door in tensor_base.py.
With that door shut in a copy, mypy names every *method* that is called below the class: the linter
of imports cannot see those, so functions are called there instead. Formulas `on_arrays` may ask
for what arrays and tensors answer alike: the operators, `mT`, `reshape` and `sum`.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("mypy", reason="mypy comes with the lint tools: `make lint` installs them")

ROOT = Path(__file__).resolve().parent.parent
SOURCES = [ROOT / "stages" / name / "src" for name in ("01_strides", "02_cpu_ops", "03_cuda")]
PACKAGE = ROOT / "stages" / "04_autograd" / "src" / "norch_autograd"
HIGHER = ("tensor",)  # the floors that may call methods

DOOR = """
if TYPE_CHECKING:
    from norch_autograd.tensor.tensor import Tensor as Tensor
else:
    Tensor = TensorBase
"""
BINARY = ["add", "sub", "mul", "truediv", "matmul", "pow", "lt", "le", "gt", "ge", "eq", "ne"]
BINARY += ["radd", "rsub", "rmul", "rtruediv", "rmatmul", "rpow"]
OPERATORS = "".join(
    f"\n    def __{name}__(self, other: Any) -> TensorBase: ...  # type: ignore\n"
    for name in BINARY
) + "".join(
    f"\n    def __{name}__(self) -> TensorBase: ...  # type: ignore\n" for name in ("neg", "invert")
)
SAVED = "def saved(self, i: int) -> {}:"  # what `backward` reads, almost always a tensor
PLANTED = """
from norch_autograd.graph.tensor_base import Tensor


def planted(x: Tensor) -> Tensor:
    return x.exp().sum(0)


def also_planted(x: Tensor) -> Tensor:
    return x.sum(0)
"""
SHARED = {"mT", "reshape", "sum"}
METHOD = re.compile(r'"TensorBase"(?: of "[^"]*")? has no attribute "(\w+)"')


def check(folder: Path, target: str, *sources: Path) -> str:
    """Return what mypy says of a file or package in `folder`."""
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", target],
        cwd=folder,
        env={**os.environ, "MYPYPATH": os.pathsep.join(map(str, [*sources, *SOURCES]))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode in (0, 1), result.stdout + result.stderr
    return result.stdout


def methods_called(found: str) -> list[str]:
    """Return the complaints about methods of `Tensor` on the floors below it."""
    lines = [line for line in found.splitlines() if METHOD.search(line)]
    return [line for line in lines if Path(line.split(":")[0]).parts[1] not in HIGHER]


def on_arrays(file: Path) -> set[int]:
    """Return the lines of the nodes of `file` whose formulas run on arrays too."""
    nodes = [node for node in ast.parse(file.read_text()).body if isinstance(node, ast.ClassDef)]
    chosen = [node for node in nodes if "on_arrays = True" in map(ast.unparse, node.body)]
    return {line for node in chosen for line in range(node.lineno, (node.end_lineno or 0) + 1)}


def shared(line: str, folder: Path) -> bool:
    """Whether a complaint is about what arrays answer too, in a formula for them."""
    file, number = line.split(":")[:2]
    return METHOD.search(line)[1] in SHARED and int(number) in on_arrays(folder / file)


def shut(folder: Path) -> None:
    """Copy stage 4 into `folder`, where `Tensor` is a state with operators to mypy too."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, folder / "norch_autograd", ignore=ignored)
    base = folder / "norch_autograd" / "graph" / "tensor_base.py"
    before, door, after = base.read_text().partition(DOOR)
    assert door, "the door of graph/tensor_base.py is not where this test looks for it"
    state, comment, line = before.rpartition("\n\n# The door")
    assert comment
    base.write_text(f"{state}{OPERATORS}{comment}{line}\nTensor = TensorBase\n{after}")
    node = folder / "norch_autograd" / "graph" / "node.py"
    assert SAVED.format("Any") in node.read_text()
    node.write_text(node.read_text().replace(SAVED.format("Any"), SAVED.format("Tensor")))


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return the methods called below `Tensor`, with one planted among them."""
    folder = tmp_path_factory.mktemp("shut")
    shut(folder)
    (folder / "norch_autograd" / "ops" / "shape" / "planted.py").write_text(PLANTED)
    found = methods_called(check(folder, "norch_autograd"))
    return [line for line in found if not shared(line, folder)]


def test_users_see_tensor(tmp_path: Path) -> None:
    asked = {
        "norch_autograd.add(a, b)": "Tensor",
        "norch_autograd.softmax(a, 0)": "Tensor",
        "a.exp()": "Tensor",
        "a.sum(0).sqrt()": "Tensor",
        "a @ b": "Tensor",
        "a.grad": "Tensor | None",
    }
    lines = [f"reveal_type({expression})" for expression in asked]
    made = "a, b = norch_autograd.ones(2), norch_autograd.ones(2)"
    (tmp_path / "probe.py").write_text("\n".join(["import norch_autograd", made, *lines]))
    found = check(tmp_path, "probe.py", PACKAGE.parent)
    seen = re.findall(r'Revealed type is "([^"]*)"', found)
    expected = [
        kind.replace("Tensor", "norch_autograd.tensor.tensor.Tensor") for kind in asked.values()
    ]
    assert seen == expected, found


def test_a_method_called_below_tensor_is_found(complaints: list[str]) -> None:
    found = [line for line in complaints if "planted.py" in line]
    assert [METHOD.search(line)[1] for line in found] == ["exp", "sum"]


def test_floors_below_tensor_call_functions(complaints: list[str]) -> None:
    found = [line for line in complaints if "planted.py" not in line]
    names = Counter(METHOD.search(line)[1] for line in found).most_common()
    print(f"{len(found)} calls of {len(names)} methods:", names, *found, sep="\n")
    assert found == []
