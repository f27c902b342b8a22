"""`make test-machines` computes as the machine that it names, and what fails there fails it.

Its runs take minutes each; here machines are asked what they compute with, and run a planted test.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import norch_cpu_ops

ROOT = Path(__file__).resolve().parent.parent
CHILD = """
def test_a_process_that_a_test_starts_is_of_the_same_machine():
    import subprocess, sys
    text = "import norch_cpu_ops as cpu; print(cpu.instruction_set(), cpu.blas())"
    said = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert said.stdout.split() == ["{isa}", "norch"]
"""


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import test_machines

    monkeypatch.setattr(test_machines, "FOLDER", tmp_path)
    monkeypatch.setenv("JOBS", "1")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # they take a second to import
    return test_machines


def planted(folder: Path, text: str) -> list[str]:
    path = folder / "test_planted.py"
    path.write_text(text)
    return ["-c", "/dev/null", f"--rootdir={folder}", str(path)]


def test_what_it_runs_is_there(tool) -> None:
    for path in (*tool.LEFT_OUT, *tool.DELICATE, *tool.EMULATED):
        assert (ROOT / path).exists(), path


def test_everything_runs_that_is_not_left_out(tool) -> None:
    words = tool.tests_of(tool.Machine("any", {}), quick=False)
    assert {*tool.run_tests.paths()} - {*tool.LEFT_OUT} <= {*words}
    ignored = {word.removeprefix("--ignore=") for word in words if word.startswith("--ignore")}
    assert ignored == {*tool.LEFT_OUT} and "tests/parity" not in ignored


def test_a_machine_computes_with_what_it_is_made_of(tool) -> None:
    simplest = norch_cpu_ops.instruction_sets()[0]
    made = {"MACHINE_ISA": simplest, "MACHINE_OPENBLAS": "none", **tool.threads(3)}
    assert tool.Machine("made", made).answer() == f"no OpenBLAS, {simplest}, 3 threads"


def test_so_do_the_processes_that_its_tests_start(tool, tmp_path: Path) -> None:
    simplest = norch_cpu_ops.instruction_sets()[0]
    made = {"MACHINE_ISA": simplest, "MACHINE_OPENBLAS": "none"}
    words = planted(tmp_path, CHILD.format(isa=simplest))
    code, verdict = tool.run(tool.Machine("made", made), words)
    assert code == 0 and verdict.startswith("1 passed"), (tmp_path / "made.log").read_text()


def test_openblas_takes_the_kernels_of_the_processor_that_it_is_told(tool) -> None:
    if not norch_cpu_ops.blas().startswith("OpenBLAS"):
        pytest.skip("scipy-openblas32 is not installed, or switched off")
    if "avx2" not in norch_cpu_ops.instruction_sets():
        pytest.skip("the names of processors are those of x86")
    named = {machine.name: machine for machine in tool.machines()}
    assert named["nehalem"].answer().startswith("OpenBLAS Nehalem, ")


DIGITS = """
import norch_cpu_ops as cpu
from norch_cpu_ops import ops
a, b = (ops.uniform((70, 70), -1.0, 1.0, cpu.float64, seed, 0) for seed in (1, 2))
print(ops.matmul(a, b).tolist()[0])
whole = ops.full((70, 70), 3.0, cpu.float32)
assert ops.matmul(whole, whole).tolist() == [[630.0] * 70] * 70
"""


def test_one_machine_rounds_otherwise_what_has_to_be_rounded(tool, monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(tool, "LAST_DIGIT", tmp_path)
    here = tool.Machine("here", {"MACHINE_ISA": norch_cpu_ops.instruction_sets()[0]})
    named = {machine.name: machine for machine in tool.machines()}
    if not named["last-digit"].answer():
        pytest.skip("no OpenBLAS to put other digits on, no compiler, or no Linux")
    assert named["last-digit"].answer().startswith("OpenBLAS last-digits, ")
    ours, theirs = (
        json.loads(subprocess.check_output(each.command(["-c", DIGITS]), env=each.environment()))
        for each in (here, named["last-digit"])
    )
    assert ours != theirs and ours == pytest.approx(theirs, rel=3e-16, abs=0)
    assert sum(x == y for x, y in zip(ours, theirs, strict=True)) > 10  # only some of them


def leave(tool, monkeypatch, words: list[str], *machines) -> object:
    """Return the exit code of a whole run over these machines, with these words for pytest."""
    monkeypatch.setattr(tool, "tests_of", lambda machine, quick: words)
    monkeypatch.setattr(tool, "machines", lambda: list(machines))
    monkeypatch.setattr(sys, "argv", ["test_machines.py"])
    with pytest.raises(SystemExit) as left:
        tool.main()
    return left.value.code


def test_what_fails_on_a_machine_is_named_and_fails_the_run(
    tool, tmp_path: Path, monkeypatch, capsys
) -> None:
    words = planted(tmp_path, "def test_digits():\n    assert 0.1 + 0.2 == 0.3\n")
    assert leave(tool, monkeypatch, words, tool.Machine("a", {}), tool.Machine("b", {})) == 1
    named, *rows = capsys.readouterr().out.splitlines()[-3:]
    assert "test_planted.py::test_digits" in named
    assert "1 failed" in rows[0] and rows[1].endswith("skipped: computes as a")


def test_a_test_that_is_skipped_is_no_machine_that_is_skipped(
    tool, tmp_path: Path, monkeypatch, capsys
) -> None:
    text = "import pytest\ndef test_a(): pass\ndef test_b(): pytest.skip()\n"
    assert leave(tool, monkeypatch, planted(tmp_path, text), tool.Machine("a", {})) == 0
    assert "1 passed, 1 skipped" in capsys.readouterr().out


def test_a_machine_that_cannot_run_here_is_skipped_in_words(tool, monkeypatch, capsys) -> None:
    none = tool.Machine("none", {}, ("no-such-emulator",))
    unknown = tool.Machine("unknown", {"MACHINE_ISA": "avx9000"})
    said = leave(tool, monkeypatch, [], none, unknown)
    assert said == "[test-machines] no machine could run here"
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 2 and all(row.endswith("skipped: cannot run here") for row in rows)


def test_a_name_that_is_no_machine_is_refused(tool) -> None:
    with pytest.raises(SystemExit, match="ONLY=pentium is no machine, expected one of nehalem, "):
        tool.chosen("pentium", quick=False)
    assert [machine.name for machine in tool.chosen("qemu", quick=False)] == ["qemu"]
