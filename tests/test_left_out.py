"""What docs/scope.md leaves out says so where it is asked for, and stays an AttributeError.

The table's words and the `-` lines of norch/names.txt are held to each other in both directions.
"""

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from write_faces import read_list

import norch
from norch.left_out import answers

ROOT = Path(__file__).resolve().parent.parent
TOLD = ", left out on purpose: docs/scope.md says why"
ROWS = [
    line.split(" | ")[0].removeprefix("| ")
    for line in (ROOT / "docs" / "scope.md").read_text().splitlines()
    if line.startswith("| ") and not line.startswith("| left out")
]
DECLARED = [
    (module, reason, name)
    for module, section in read_list().items()
    for reason, names in section.left_out.items()
    for name in names
]
NAME = re.compile(r"[A-Za-z_*][\w.*]*")  # of the table's code: no option such as `out=`


def names_in(row: str) -> list[str]:
    """Return the names of a row that norch does not have."""
    found = [word for word in re.findall(r"`([^`]+)`", row) if NAME.fullmatch(word)]
    return [word for word in found if word != "hub.load_state_dict_from_url"]


def ask(path: str) -> tuple[object, str]:
    """Follow a path until an attribute is missing; return where, and what Python says of it."""
    found: object = norch
    for part in path.replace("*", "planted").split("."):
        try:
            found = getattr(found, part)
        except AttributeError as error:
            return found, str(error)
    return found, ""


def test_every_row_of_the_table_is_answered() -> None:
    asked = [(row, name) for row in ROWS for name in names_in(row)]
    assert len(ROWS) > 14 and len(asked) > 40
    for row, name in asked:
        owner, said = ask(name)
        assert said, f"norch has {name}, which docs/scope.md says is left out: {row}"
        if isinstance(owner, type):  # a class has no __getattr__ of ours
            assert said.startswith(f"type object '{owner.__name__}' has no attribute")
        else:
            assert said.endswith(TOLD), f"{said}: declare it in norch/names.txt"


def test_every_reason_is_the_beginning_of_one_row() -> None:
    plain = [row.replace("`", "") for row in ROWS]
    for module, reason, _ in DECLARED:
        assert sum(row.startswith(reason) for row in plain) == 1, (module, reason)
    reasons = {reason for _, reason, _ in DECLARED}
    bare = [row for row in plain if not any(row.startswith(reason) for reason in reasons)]
    assert [row.split(" (")[0] for row in bare] == [  # that no module could be asked for
        "out=",
        "memory shared with other processes",
        "tensors of more than 16 dimensions",
    ]


@pytest.mark.parametrize("module", sorted({module for module, _, _ in DECLARED}))
def test_what_is_declared_is_missing_and_says_so(module: str) -> None:
    owner = importlib.import_module(module)
    for name in [name.replace("*", "planted") for one, _, name in DECLARED if one == module]:
        assert not hasattr(owner, name)
        with pytest.raises(AttributeError, match=rf"^module '{module}' has no .*'{name}'{TOLD}$"):
            getattr(owner, name)
        with pytest.raises(ImportError, match="cannot import name"):
            exec(f"from {module} import {name}")


def test_other_names_are_plain_errors() -> None:
    for owner in (norch, norch.nn, norch.nn.functional, norch.linalg, norch.special):
        with pytest.raises(AttributeError) as caught:
            getattr(owner, "planted")  # noqa: B009 - a checker refuses owner.planted
        assert str(caught.value) == f"module '{owner.__name__}' has no attribute 'planted'"
        assert not hasattr(owner, "__planted__")
    program = "import norch; norch.int33"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "has no attribute 'int33'. Did you mean: 'int32'?" in ended.stderr
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'norch\.fft'"):
        importlib.import_module("norch.fft")


def test_the_aliases_of_torch_say_it_too() -> None:
    program = "import norch; norch.as_torch(); import torch; torch.{}"
    for name in ("fft", "linalg.eig", "nn.utils.prune", "distributions.MultivariateNormal"):
        command = [sys.executable, "-c", program.format(name)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        assert ended.stderr.rstrip().endswith(TOLD), name


def test_a_pattern_is_asked_of_the_whole_name() -> None:
    answer = answers("norch", "fft *_copy")
    for name, is_told in (("fft", True), ("view_copy", True), ("fft2", False), ("copy", False)):
        with pytest.raises(AttributeError) as caught:
            answer(name)
        assert str(caught.value).endswith(TOLD) == is_told


def test_type_checkers_refuse_what_is_not_there(tmp_path: Path) -> None:
    """A `__getattr__` in a module would make every name known to them: they must not see it."""
    pytest.importorskip("mypy", reason="mypy comes with the lint tools: `make lint` installs them")
    asked = ["norch.fft", "norch.planted", "norch.special.zeta", "norch.nn.functional.planted"]
    lines = ["import norch", "import norch.special", *asked, "norch.ones", "norch.special.erf"]
    (tmp_path / "user.py").write_text("\n".join(lines))
    command = [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "user.py"]
    sources = sorted(map(str, [*ROOT.glob("*/*/src"), ROOT / "norch" / "src"]))
    names = {**os.environ, "MYPYPATH": os.pathsep.join(sources)}
    ended = subprocess.run(
        command, cwd=tmp_path, env=names, capture_output=True, text=True, check=False
    )
    told = [line for line in ended.stdout.splitlines() if "Module has no attribute" in line]
    assert len(told) == len(asked), ended.stdout
    assert all(f'"{one.rpartition(".")[2]}"' in line for one, line in zip(asked, told, strict=True))
