"""tools/names.py enters a name in every list that names it, in order, and wraps the indexes.

The lists and indexes that are written are copies.
"""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
INDEX = '''"""An index."""
# fmt: off
# ruff: noqa: I001
from planted.exponential import exp as exp, log as log
from planted.power import (
    sqrt as sqrt,
)
from planted.exponential import old as old
'''
LIST = """# Names.

planted:
    from planted
    exp
    log=planted.exponential.log

planted.other:
    sqrt
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a small tree with the tool, an index of two modules, and the two lists."""
    package = tmp_path / "stages/01_planted/src/planted"
    package.mkdir(parents=True)
    for name in ("__init__.py", "special.py"):  # the second is beside the modules, not above them
        (package / name).write_text(INDEX)
    (package / "exponential.py").write_text("def exp(): ...\ndef log2(): ...\ndef log10(): ...\n")
    (package / "power.py").write_text("def sqrt(): ...\ndef twice(): ...\n")
    (package / "more.py").write_text("def twice(): ...\n")
    for name in ("norch/names.txt", "tests/public_names.txt"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(LIST)
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/names.py").write_bytes((ROOT / "tools/names.py").read_bytes())
    return tmp_path


def names(tree: Path, *words: str) -> str:
    """Run the tool in a tree; return what it said."""
    command = [sys.executable, str(tree / "tools/names.py"), *words]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return found.stdout + found.stderr


def index(tree: Path) -> str:
    return (tree / "stages/01_planted/src/planted/__init__.py").read_text()


def test_a_name_is_entered_in_order_and_once(tree: Path) -> None:
    said = [names(tree, name, "planted") for name in ("log10", "log2", "log2")]
    line = "import exp as exp, log as log, log2 as log2, log10 as log10\n"
    assert line in index(tree) and index(tree).count("log2 as log2") == 1
    assert (tree / "stages/01_planted/src/planted/special.py").read_text() == INDEX
    for name in ("norch/names.txt", "tests/public_names.txt"):
        assert (
            "    exp\n    log=planted.exponential.log\n    log10\n    log2\n\nplanted.other"
            in (tree / name).read_text()
        )
    assert said[0].count("[names] entered log10 in ") == 3 and said[2] == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["planted_name"], "no file of stages or extras makes planted_name: write it first"),
        (["twice"], "say which: planted.more.twice, or planted.power.twice"),
        (["planted.more.twice"], "no index gathers planted.more"),
        (["log2", "norch.planted"], "have no section norch.planted: write it first"),
    ],
)
def test_what_cannot_be_entered_is_refused(tree: Path, words: list[str], message: str) -> None:
    assert message in names(tree, *words)


def test_an_index_is_wrapped_again(tree: Path) -> None:
    assert "wrapped otherwise" in names(tree, "--check")
    assert names(tree) == "" and names(tree, "--check") == ""
    assert "\nfrom planted.power import sqrt as sqrt\n" in index(tree)


def test_the_indexes_are_wrapped() -> None:
    assert names(ROOT, "--check") == ""
