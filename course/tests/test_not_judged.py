"""The third verdict: what the machine did to a judge is no answer's fault, and never "wrong"."""

import errno
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from norch_course import compiling, machine, running
from norch_course.catalog import CourseError
from norch_course.commands import main
from norch_course.compiling import CompileError, refused

RIGHT = "    return sum(numbers)  # mine\n"
KILLED = "    import os\n    os.kill(os.getpid(), 9)\n"


@pytest.fixture
def said(toy, capsys):
    """Give the test `said(*words)`: the exit code of a command, and its words without breaks."""

    def run(*words):
        code = main(toy.root, list(words))
        return code, " ".join(capsys.readouterr().out.split())

    return run


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("g++: fatal error: Killed signal terminated program cc1plus", machine.MEMORY),
        ("collect2: fatal error: ld terminated with signal 9 [Killed]", machine.MEMORY),
        ("raises RuntimeError: can't start new thread", machine.MEMORY),
        ("raises BlockingIOError: [Errno 11] Resource temporarily unavailable", machine.MEMORY),
        ("fatal error: error writing to /tmp/a.s: No space left on device", machine.DISK),
        ("raises RuntimeError: [cuda-sim] no C++ compiler (g++) was found", machine.INSTALL),
        ("g++: fatal error: cannot execute 'cc1plus'", machine.INSTALL),
        ("[norch-nvcc] whole programs run on Linux (on Windows: in WSL)", machine.LINUX),
        ("FileNotFoundError: [Errno 2] No such file or directory: '/usr/bin/c++'", machine.INSTALL),
    ],
)
def test_words_about_the_machine_are_known(words: str, reason: str) -> None:
    with pytest.raises(CourseError) as caught:
        machine.look_at(words)
    assert caught.value.status == "not judged" and reason in str(caught.value)


@pytest.mark.parametrize(
    "words",
    [
        "raises MemoryError",
        "raises FileNotFoundError: [Errno 2] No such file or directory: 'x.txt'",
        "raises OSError: [Errno 27] File too large",
        "lessons.cpp:3:10: fatal error: x.h: No such file or directory",
        "c++: fatal error: CPU time limit exceeded signal terminated program cc1plus",
    ],
)
def test_what_an_answer_does_is_not_the_machines(words: str) -> None:
    machine.look_at(words)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "the disk is full"),
        (OSError(errno.EAGAIN, "Resource temporarily unavailable"), "no memory or processes"),
        (OSError(errno.EROFS, "Read-only file system", "/tmp/x"), "/tmp/x: Read-only file system"),
        (MemoryError(), "no memory or processes"),
        (RuntimeError("can't start new thread"), "no memory or processes"),
        (subprocess.CalledProcessError(1, ["ninja"]), "ninja fails: make setup"),
    ],
)
def test_what_the_system_refuses_to_the_checker_is_the_machines(error, words) -> None:
    with pytest.raises(CourseError, match=words), machine.blamed():
        raise error


def test_another_error_stays_what_it_is() -> None:
    with pytest.raises(RuntimeError, match="mine"), machine.blamed():
        raise RuntimeError("mine")


def test_a_process_that_works_is_starved_and_one_that_waits_is_not() -> None:
    """The first would have ended, had it had a processor to itself."""
    works, waits = "while True: pass", "print(flush=True); import time; time.sleep(600)"
    for program, starved in ((works, True), (waits, False)):
        began = time.monotonic()
        command = [sys.executable, "-c", program]
        process = subprocess.Popen(command, start_new_session=True, stdout=subprocess.PIPE)
        try:
            if not starved:
                process.stdout.readline()  # it runs, after who knows how much work
            while starved and not worked(process.pid, 0.2):
                time.sleep(0.01)
            seconds = time.monotonic() - began if starved else 1000
            assert machine.is_starved(process.pid, seconds) == starved
        finally:
            process.kill()
            process.communicate()


def worked(pid: int, seconds: float) -> bool:
    """Tell whether a process has had so much of a processor."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK") >= seconds


def test_an_answer_that_is_ended_from_outside_is_not_judged(toy, said) -> None:
    toy.answer("1.1", KILLED)
    toy.answer("1.2", "    return max(numbers) - min(numbers)\n")
    for words in (("check", "1.1"), ("check", "1.1")):  # the second finds nothing remembered
        code, text = said(*words)
        assert code == 2 and "wrong" not in text
        assert "1.1 Total not judged [course] not judged: it was ended from outside" in text
    assert said("check")[0] == 2
    toy.answer("1.2", "    return 0\n")
    assert said("check")[0] == 1
    assert "1.1 Total not judged" in said("progress")[1]


@pytest.mark.parametrize("deaf", ["", "    import signal\n    signal.signal(24, 1)\n"])
def test_a_loop_that_uses_up_its_own_time_is_wrong(toy, monkeypatch, deaf: str) -> None:
    """One that does not listen to the first signal is ended by the second, its own limit's."""
    monkeypatch.setattr(running, "TIME_LIMIT", 1)
    toy.answer("1.1", f"{deaf}    while True:\n        pass\n")
    verdict = toy.check("1.1")
    assert (verdict.status, verdict.problem) == ("wrong", running.too_late(1))


def test_time_by_the_clock_is_not_judged_where_there_was_no_processor(toy, monkeypatch) -> None:
    monkeypatch.setattr(running, "TIME_LIMIT", 1)
    monkeypatch.setattr(running, "PATIENCE", 1)
    monkeypatch.setattr(machine, "is_starved", lambda *_: True)
    toy.answer("1.1", "    import time\n    time.sleep(60)\n")
    with pytest.raises(CourseError, match="the machine was too busy to judge it"):
        toy.check("1.1")


def test_no_temporary_folder_no_process_no_verdict(toy, monkeypatch, said) -> None:
    toy.answer("1.1", RIGHT)
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(toy.root / "nowhere"))
        assert "not judged" in said("check", "1.1")[1]
    with monkeypatch.context() as patch:
        error = BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        patch.setattr(subprocess, "Popen", lambda *_, **__: (_ for _ in ()).throw(error))
        code, text = said("check", "1.1")
    assert code == 2 and "no memory or processes to spare" in text
    assert said("check", "1.1")[0] == 0


def test_where_the_librarys_own_answer_fails_nothing_is_said_of_any(toy, said) -> None:
    toy.answer("1.1", RIGHT)
    toy.change(toy.tests, "from norch_course", "import norch_not_there\nfrom norch_course")
    code, text = said("check", "1.1")
    assert code == 2 and "the library's own answer to 1.1 fails here" in text
    assert "No module named 'norch_not_there'" in text
    toy.change(toy.tests, "import norch_not_there\n", "")
    assert "1.1 Total ok" in said("progress")[1]  # no wrong verdict was remembered


def test_a_compiler_that_the_system_ends_is_no_answers_fault(monkeypatch) -> None:
    with pytest.raises(CourseError, match="no memory or processes"):
        raise refused("c++: fatal error: Killed signal terminated program cc1plus\n", "x.cpp")
    assert isinstance(refused("x.cpp:3:1: error: no", "x.cpp"), CompileError)
    monkeypatch.setattr(compiling, "PATIENCE", 0.2)
    monkeypatch.setattr(machine, "is_starved", lambda *_: True)
    with pytest.raises(CourseError, match="too busy"):
        compiling._run(["sleep", "60"], Path("/"), "x.cpp", Path("/tmp"))
    with pytest.raises(CourseError, match="ended from outside"):
        compiling._run(["sh", "-c", "kill -9 $$"], Path("/"), "x.cpp", Path("/tmp"))
