"""The table of sizes in docs/architecture.md is about true, and one that is not is refused: each
kind of row is held to a small planted tree. tools/weigh.py shows sizes and forbids none.
"""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TREE = {  # lines of each file
    "stages/01_strides/src/norch_strides/layout.py": 1500,
    "stages/02_cpu_ops/src/norch_cpu_ops/ops.py": 400,
    "stages/02_cpu_ops/csrc/core/plan.cpp": 2000,
    "stages/02_cpu_ops/csrc/more/conv/direct.cpp": 1000,
    "stages/02_cpu_ops/exercises/exercises.toml": 300,
    "stages/02_cpu_ops/exercises/wrong/2.1.cpp": 200,
    "stages/02_cpu_ops/project/wrong/answer.cpp": 9000,
    "stages/02_cpu_ops/tests/test_conv.py": 800,
    "extras/norchvision/src/norchvision/ops.py": 600,
    "extras/norchvision/tests/test_ops.py": 100,
    "norch/src/norch/version.py": 100,
    "tests/support/runs.py": 200,
    "docs/scope.md": 9000,
}
TABLE = """\
| lines of src + csrc | all | what a reader holds |
| --- | ---: | --- |
| `stages/01_strides` | 1.5k | all |
| `stages/02_cpu_ops` | 3.4k | 2.4k without `csrc/more` |
| all stages | 4.9k | 3.9k |
| `extras/norchvision/src` | 0.6k | in 1 files |
| `norch/src` | 0.1k | in 1 files |
| src + csrc in all | 5.6k |  |
| exercises: `exercises.toml` and wrong answers | 0.5k |  |
| tests | 1.1k |  |
| files that git tracks | 13 |  |"""


@pytest.fixture
def weigh(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import weigh

    return weigh


@pytest.fixture
def planted(tmp_path: Path) -> list[Path]:
    """Write the tree; return its files."""
    for name, lines in TREE.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("line\n" * lines)
    return [tmp_path / name for name in TREE]


def test_each_row_counts_what_it_names(weigh, tmp_path: Path, planted: list[Path]) -> None:
    assert weigh.table(tmp_path, planted) == TABLE


def test_extras_that_are_gone_have_no_row(weigh, tmp_path, planted) -> None:
    kept = [p for p in planted if "/exercises/ops/" not in str(p) and "/extras/" not in str(p)]
    found = weigh.table(tmp_path, kept)
    assert "extras" not in found and "| tests | 1.0k |" in found


def test_what_is_no_text_has_no_lines(weigh, tmp_path: Path) -> None:
    (tmp_path / "digits.gz").write_bytes(b"\x1f\x8b\n\xff\n")
    assert weigh.lines_of(tmp_path / "digits.gz") == 0


@pytest.mark.parametrize(
    ("shown", "today", "is_near"),
    [
        ("1.5k", "1.7k", True),
        ("1.5k", "1.8k", False),
        ("0.1k", "0.4k", False),
        ("99.0k", "97.1k", True),
        ("99.0k", "96.0k", False),
        ("2,729", "2,700", True),
        ("2,729", "2,600", False),
        ("9", "10", True),
        ("90", "100", False),
    ],
)
def test_a_number_may_be_a_little_old(weigh, shown: str, today: str, is_near: bool) -> None:
    assert weigh.near(shown, today) is is_near
    line = "| `stages/01_strides` | {} | all |"
    assert weigh.same(line.format(shown), line.format(today)) is is_near


def test_another_row_or_word_is_a_difference(weigh) -> None:
    assert weigh.same(TABLE, TABLE)
    assert not weigh.same(TABLE.replace("02_cpu_ops", "03_cpu_ops"), TABLE)
    assert not weigh.same(TABLE.replace("2.4k without `csrc/more`", "all"), TABLE)
    assert not weigh.same(TABLE.rpartition("\n")[0], TABLE)


PAGE = "before\n<!-- sizes: written by x -->\n\nold\n\n<!-- end of the sizes -->\nafter\n"


def test_a_page_is_written_between_its_marks(weigh, tmp_path: Path, monkeypatch) -> None:
    import architecture

    monkeypatch.setattr(architecture, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(sys, "argv", ["x", "--check"])
    architecture.PAGE.write_text(PAGE)
    architecture.redraw("sizes", "x", "old")
    with pytest.raises(SystemExit, match="does not show the sizes of today: run python x"):
        architecture.redraw("sizes", "x", "new")
    monkeypatch.setattr(sys, "argv", ["x"])
    architecture.redraw("sizes", "x", "new")
    assert architecture.PAGE.read_text() == PAGE.replace("old", "new")
    with pytest.raises(SystemExit, match="has no lines '<!-- floors"):
        architecture.redraw("floors", "x", "new")


def test_the_page_shows_the_sizes_of_today() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: which files are tracked is unknown")
    command = [sys.executable, str(ROOT / "tools" / "weigh.py"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
