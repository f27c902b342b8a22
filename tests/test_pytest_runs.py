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
    assert "1 failed, 3 passed" in out
    assert "[test] once more, alone: test_one.py::test_only_once[[c]]" in out
    assert out.splitlines()[-2] == "flaky: test_one.py::test_only_once[[c]]"
    assert out.splitlines()[-1] == "[test] 3 passed, 0 skipped, 1 flaky, 0 failed"


def test_what_fails_twice_fails_the_run(runs, capfd) -> None:
    assert run(runs, f"BROKEN = True{TESTS}") == 1
    out = capfd.readouterr().out
    flaky = [line for line in out.splitlines() if line.startswith("flaky: ")]
    assert flaky == ["flaky: test_one.py::test_only_once[[c]]"]
    assert out.splitlines()[-1] == "[test] 2 passed, 0 skipped, 1 flaky, 1 failed"


def test_nothing_is_run_again_unasked(runs, capfd, monkeypatch) -> None:
    monkeypatch.delenv("RERUN")
    assert run(runs, f"BROKEN = False{TESTS}") == 1
    assert "once more" not in capfd.readouterr().out


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_file_that_cannot_be_read_fails(runs, monkeypatch, jobs: str) -> None:
    monkeypatch.setenv("JOBS", jobs)
    assert run(runs, "import no_such_module\n") != 0


AGAIN = """
import atexit, os, pathlib, signal, pytest

once = pathlib.Path("once.mark")
def test_it():
    if not once.exists():
        once.touch()
        raise AssertionError("the first time")
    {second}

def test_wrong():
    assert {right}
"""


@pytest.mark.parametrize(
    "second",
    ["pytest.skip('no')", "os._exit(0)", "os.kill(os.getpid(), signal.SIGSEGV)", "assert 0"],
)
def test_only_what_passes_the_second_look_is_flaky(runs, monkeypatch, capfd, second: str) -> None:
    monkeypatch.setenv("JOBS", "1")
    assert run(runs, AGAIN.format(second=second, right=True)) == 1
    assert "1 passed, 0 skipped, 0 flaky, 1 failed" in capfd.readouterr().out


def test_each_is_looked_at_alone(runs, monkeypatch, capfd) -> None:
    """One that ends the process takes no other with it."""
    monkeypatch.setenv("JOBS", "1")
    assert run(runs, AGAIN.format(second="os._exit(0)", right=False)) == 1
    assert capfd.readouterr().out.count("once more, alone") == 2


ENDINGS = {
    "a test ends the process": "import os\ndef test_it():\n    os._exit(0)\n",
    "a signal ends it": "import os\ndef test_it():\n    os.kill(os.getpid(), 11)\n",
    "a signal at its exit": "import atexit, os\natexit.register(os.kill, os.getpid(), 11)\n",
    "a fixture of the session ends it": (
        "import os, pytest\n@pytest.fixture(scope='session', autouse=True)\ndef late():\n"
        "    yield\n    os._exit(0)\n"
    ),
}


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("how", ENDINGS)
def test_a_session_that_does_not_end_by_itself_is_a_crash(
    runs, monkeypatch, capfd, how: str, jobs: str
) -> None:
    if jobs == "2" and how == "a signal at its exit":
        pytest.skip("a worker is ended by its main process, which has heard of all tests")
    monkeypatch.setenv("JOBS", jobs)
    assert run(runs, f"{ENDINGS[how]}\ndef test_other():\n    pass\n") == runs.CRASH
    assert capfd.readouterr().out.splitlines()[-1].endswith("; it did not end")


def test_stages_that_crash_or_fail_fail_them_all(runs, monkeypatch) -> None:
    import test_stage

    monkeypatch.setattr(test_stage, "build_wheels", lambda *words: [])
    monkeypatch.setattr(test_stage.supported, "demand", lambda: None)
    monkeypatch.setattr(test_stage, "check_compiler", lambda: None)
    for codes, expected in (({1: -11, 2: 0}, 1), ({1: 0, 2: 3}, 1), ({1: 0, 2: 0}, 0)):
        monkeypatch.setattr(test_stage, "test_stage", lambda number, *_, codes=codes: codes[number])
        monkeypatch.setattr(sys, "argv", ["test_stage.py", "1", "2"])
        with pytest.raises(SystemExit) as left:
            test_stage.main()
        assert left.value.code == expected


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
