"""How tests are run: on how many workers, and what failed once more, told as flaky where it passes.

The tests that are run here are small ones of this file's own, in a folder of their own.
"""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TESTS = """
import pathlib, pytest

@pytest.mark.parametrize("name", ["a::b", "[c]", "d e"])
def test_only_once(name):
    mark = pathlib.Path(__file__).with_name(name.strip("[]"))
    if name == "[c]" and not mark.exists():
        mark.touch()
        raise AssertionError("the first time")

def test_never():
    assert not BROKEN
"""


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """The runner, in an empty folder: it asks for two workers and the second look."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import pytest_runs

    monkeypatch.setattr(pytest_runs, "ROOT", tmp_path)
    monkeypatch.setenv("RERUN", "1")
    monkeypatch.setenv("JOBS", "2")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # but for xdist: others take seconds
    return pytest_runs


def run(runs, text: str) -> int:
    """Run the tests of a file."""
    (runs.ROOT / "test_one.py").write_text(text)
    return runs.run_pytest(sys.executable, ["--rootdir=.", "-p", "xdist.plugin"], ["test_one.py"])


def test_what_fails_once_is_flaky(runs, capfd) -> None:
    assert run(runs, f"BROKEN = False{TESTS}") == 0
    out = capfd.readouterr().out
    assert "1 failed, 3 passed" in out and "[test] 1 failed: once more, alone" in out
    assert out.splitlines()[-1] == "flaky: test_one.py::test_only_once[[c]]"


def test_what_fails_twice_fails_the_run(runs, capfd) -> None:
    assert run(runs, f"BROKEN = True{TESTS}") == 1
    out = capfd.readouterr().out
    assert "2 failed, 2 passed" in out and "1 failed, 1 passed" in out
    flaky = [line for line in out.splitlines() if line.startswith("flaky: ")]
    assert flaky == ["flaky: test_one.py::test_only_once[[c]]"]


def test_nothing_is_run_again_unasked(runs, capfd, monkeypatch) -> None:
    monkeypatch.delenv("RERUN")
    assert run(runs, f"BROKEN = False{TESTS}") == 1
    assert "once more" not in capfd.readouterr().out


def test_a_file_that_cannot_be_read_fails(runs) -> None:
    assert run(runs, "import no_such_module\n") != 0


def test_a_notebook_is_run_again_from_its_beginning(runs) -> None:
    assert runs.alone("book/primer.ipynb::Cell 3") == "book/primer.ipynb"
    assert runs.alone("tests/test_x.py::test_y[a::b]") == "tests/test_x.py::test_y[a::b]"


@pytest.mark.parametrize("jobs", ["0", "two", "-1", "65"])
def test_a_strange_number_of_workers_is_refused(runs, monkeypatch, jobs: str) -> None:
    monkeypatch.setenv("JOBS", jobs)
    with pytest.raises(SystemExit, match=f"JOBS={jobs} must be a whole number, 1 to 64"):
        runs.workers()


def test_workers_are_as_many_as_cores_and_memory_allow(runs, monkeypatch) -> None:
    monkeypatch.delenv("JOBS")
    pages = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 9 << 18}  # 9 GiB
    monkeypatch.setattr("os.sysconf", pages.__getitem__)
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: set(range(8)), raising=False)
    assert runs.workers() == 2
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: {5}, raising=False)
    assert runs.workers() == 1


def test_a_crash_fails_the_run_for_what_was_left_has_not_run(runs) -> None:
    once = "import os, pathlib\nclass TestCrash:\n    def test_it(self):\n"
    once += "        mark = pathlib.Path('once.mark')\n"
    once += "        if not mark.exists():\n            mark.touch()\n            os._exit(3)\n"
    rest = "".join(f"class Test{n}:\n    def test_it(self):\n        pass\n" for n in range(9))
    assert run(runs, once + rest) == runs.CRASH
