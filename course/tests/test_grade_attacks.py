"""Submissions that attack: each tries to be graded right, to spoil others, or to do harm."""

import csv
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from processes import command_lines

from norch_course import kernels, machine, running, seal
from norch_course.catalog import load
from norch_course.commands import main
from norch_course.compiling import CompileError
from norch_course.forge import Forge
from norch_course.grading import key_of
from norch_course.holes import splice

COURSE = load(Path(__file__).resolve().parent.parent.parent)
RIGHT = "    return max(numbers) - min(numbers)  # mine\n"
sealed = pytest.mark.skipif(not seal.version(), reason="this system has no Landlock")


@pytest.fixture
def graded(toy, tmp_path, capsys, monkeypatch):
    """Give the test `graded(body, ...)`: the words for learners with these answers to 1.1."""
    monkeypatch.setattr(running, "TIME_LIMIT", 2)
    folder, out = tmp_path / "submissions", tmp_path / "grades.csv"

    def hand_in(name, first):
        toy.answer("1.1", first)
        toy.answer("1.2", RIGHT)
        path = folder / name / toy.stub.relative_to(toy.root)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(toy.stub.read_text(encoding="utf-8"), encoding="utf-8")
        return path

    def grade(**bodies):
        for name, body in bodies.items():
            hand_in(name, body)
        assert main(toy.root, ["grade", str(folder), str(out)]) == 0
        with out.open(encoding="utf-8", newline="") as file:
            return {row[0]: row[5:] for row in list(csv.reader(file))[1:]}

    grade.hand_in, grade.folder, grade.capsys = hand_in, folder, capsys
    return grade


LIES = {
    "equal to all": """
    class Equal(int):
        __eq__ = lambda *_: True
        __hash__ = int.__hash__
        __class__ = property(lambda self: int)
    return Equal()
""",
    "writes the notes": """
    import json, os
    for fd in range(3, 10):
        try:
            for shown in ("[]", "[3]", "[1, 2]", "[1, 2, 3]"):
                os.write(fd, json.dumps(dict(
                    exercise="1.1", shown=f"total({shown})", got="0", expected="0", data="0",
                    wanted="0", right=True, line=None)).encode() + b"\\n")
            os.write(fd, b'{"done": 1}\\n')
        except OSError:
            pass
    os._exit(0)
""",
    "patches the judge": """
    import sys
    from norch_course import judge, testing
    main = sys.modules["__main__"]
    for module in (judge, testing, main):
        module.agree = lambda *_: True
        module.outcome_of = lambda call: testing.Outcome("0", "0", None)
        module.expect = lambda *_: None
    notes = testing.recorder.get()
    type(notes).expectation = type(notes).make_calls = lambda *_: None
    return 0
""",
    "reads the reference": """
    import importlib.util, os, sys
    for root in [*sys.path, *sys.argv, *os.environ.get("PYTHONPATH", "").split(":")]:
        for name in ("norch_toy/sums.py", "norch_toy/__pycache__/sums.cpython-311.pyc"):
            path = os.path.join(root, name)
            if os.path.exists(path) and os.path.abspath(path) != os.path.abspath(__file__):
                space = {}
                exec(open(path).read(), space)
                return space["total"](numbers)
    raise LookupError("nothing found")
""",
    "looks for results in frames": """
    import sys
    frame = sys._getframe()
    while frame:
        for name in ("right", "expected", "wanted"):
            if name in frame.f_locals:
                return frame.f_locals[name]
        frame = frame.f_back
    raise LookupError("nothing found")
""",
    "looks for results in objects": """
    import gc
    for found in gc.get_objects():
        if isinstance(found, tuple) and len(found) == 2 and found[0] == numbers:
            if isinstance(found[1], int):
                return found[1]
        if hasattr(found, "co_consts"):
            for const in found.co_consts:
                if isinstance(const, tuple) and const[-1:] == (6,):
                    return 6
    raise LookupError("nothing found")
""",
    "reads the tests": """
    import os, sys
    for word in [*sys.argv, *(path for path in sys.path)]:
        for path in (word, os.path.join(word, "../tests/test_exercises.py")):
            if path.endswith("test_exercises.py"):
                text = open(path).read()
                return {0: 0, 1: 3, 2: 3, 3: 6}[len(numbers)] if "([3], 3)" in text else None
    raise LookupError("nothing found")
""",
    "traces": """
    import sys, threading
    sys.settrace(lambda frame, *_: frame.f_locals.update(right=True) or None)
    threading.settrace(lambda *_: None)
    return 0
""",
    "forks": """
    import os
    if os.fork() == 0:
        return 7
    return 0
""",
    "at exit": """
    import atexit, os
    atexit.register(os._exit, 0)
    return 0
""",
}


@sealed
def test_a_lie_is_not_believed(graded) -> None:
    bodies = {name: body.strip("\n") + "\n" for name, body in LIES.items()}
    table = graded(**bodies)
    assert table == {name: ["wrong", "ok"] for name in LIES}


HARM = {
    "verdicts": "for p in ROOT.rglob('*.json'): p.write_text('{}')",
    "deletes": "import shutil\n    shutil.rmtree(ROOT, ignore_errors=True)",
    "edits": "(ROOT / 'stages/01_toy/tests/test_exercises.py').write_text('')",
    "neighbour": "(ROOT / 'submissions/ben/x').touch()",
    "writes": "open('/tmp/norch-attack', 'w').write('here')",
    "signals": "import os\n    os.kill(os.getppid(), 9)",
    "everybody": "import os\n    os.kill(-1, 15)",
    "programs": "import os\n    assert not os.system('touch /tmp/norch-attack')",
    "network": "import socket\n    socket.create_connection(('127.0.0.1', 9))",
    "fills": "for n in range(10**6): pathlib.Path(str(n)).write_bytes(bytes(2**20))",
}


@sealed
def test_harm_is_refused(graded, toy) -> None:
    head = f"    import pathlib\n    ROOT = pathlib.Path({str(toy.root)!r})\n    "
    bodies = {name: f"{head}{text}\n    return sum(numbers)\n" for name, text in HARM.items()}
    for name, body in bodies.items():
        graded.hand_in(name, body)
    before = {path: path.read_bytes() for path in toy.root.rglob("*.*") if path.is_file()}
    table = graded(ben="    return 7\n")
    right = {"verdicts", "deletes", "everybody"}  # they found nothing to harm, and went on
    assert {name for name in HARM if table[name] == ["ok", "ok"]} <= right
    assert table["ben"] == ["wrong", "ok"]
    after = {path: path.read_bytes() for path in before if path.is_file()}
    assert {path for path in before if after.get(path) != before[path]} <= {toy.stub}
    assert not os.path.exists("/tmp/norch-attack")


@sealed
def test_verdicts_of_check_are_not_trusted(graded, toy) -> None:
    toy.answer("1.1", "    return 8\n")
    assert toy.check("1.1").status == "wrong"
    for path in (toy.root / "build" / "course" / "verdicts").glob("*.json"):
        path.write_text(path.read_text().replace('"wrong"', '"ok"'))
    assert toy.check("1.1").status == "ok", "the forged verdict of check"
    assert graded(ada="    return 8\n")["ada"] == ["wrong", "ok"]


def test_what_an_answer_starts_ends_with_it(graded, toy) -> None:
    program = f"import time; time.sleep(600)  # {toy.root}"
    body = (
        "    import os, subprocess, sys\n"
        f"    subprocess.Popen([sys.executable, '-c', {program!r}], start_new_session=True)\n"
        "    return sum(numbers)\n"
    )
    toy.answer("1.1", body)
    toy.check("1.1")
    time.sleep(0.2)
    assert not any(f"# {toy.root}" in line for line in command_lines())


def test_threads_and_exit_handlers_do_not_delay(graded) -> None:
    body = (
        "    import atexit, threading, time\n"
        "    atexit.register(time.sleep, 600)\n"
        "    threading.Thread(target=time.sleep, args=(600,)).start()\n"
        "    return sum(numbers)\n"
    )
    began = time.monotonic()
    assert graded(ada=body)["ada"] == ["ok", "ok"]
    assert time.monotonic() - began < 300


def test_secrets_of_the_environment_stay(graded, monkeypatch) -> None:
    monkeypatch.setenv("NORCH_SECRET", "s")
    body = "    import os\n    return 'NORCH_SECRET' in os.environ or sum(numbers)\n"
    assert graded(ada=body)["ada"] == ["ok", "ok"]


def test_links_out_of_a_folder_are_not_followed(graded, toy) -> None:
    path = graded.hand_in("ben", "    return sum(numbers)\n")
    link = graded.folder / "ada" / path.relative_to(graded.folder / "ben")
    link.parent.mkdir(parents=True)
    link.symlink_to(path)
    (graded.folder / "cyd").symlink_to("ben")
    assert graded() == {"ada": ["unreadable"] * 2, "ben": ["ok", "ok"]}
    printed = graded.capsys.readouterr().out
    assert "is a link that leads out of the learner's folder" in printed
    assert "cyd: passed over, because it is a link" in printed


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("+1", "'+1"),
        ("-2", "'-2"),
        ("@sum", "'@sum"),
        ("\t=1", r"\t=1"),
        ("a\nb", r"a\nb"),
        ("\x1b[31m", r"\x1b[31m"),
        ('Zoë, the "first"', 'Zoë, the "first"'),
    ],
)
def test_a_name_is_no_formula_and_no_command(graded, name, cell) -> None:
    (graded.folder / name).mkdir(parents=True)
    assert list(graded()) == [cell]
    assert "\x1b" not in graded.capsys.readouterr().out


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS refuses such names itself")
def test_a_name_that_is_no_text_is_written_too(graded) -> None:
    os.makedirs(os.fsencode(graded.folder) + b"/\xff")
    assert list(graded()) == [r"\udcff"]


def test_a_system_that_cannot_seal_says_so_and_remembers_nothing(graded, toy, monkeypatch) -> None:
    monkeypatch.setattr(seal, "version", lambda: 0)
    assert graded(ada="    return sum(numbers)\n")["ada"] == ["ok", "ok"]
    assert "note: this system cannot seal" in graded.capsys.readouterr().out
    assert not (toy.root / "build" / "course" / "grades").exists()


@sealed
@pytest.mark.parametrize("number", ["1", "4", "5", "6"])
def test_a_sealed_judge_says_of_the_reference_what_an_open_one_says(number) -> None:
    exercises = COURSE.select(number)
    text = exercises[0].reference
    key = running.run(text, exercises[0], exercises)
    found = running.run(text, exercises[0], exercises, key.records)
    assert (found.problem, found.records) == ("", key.records), found.output


@sealed
@pytest.mark.long
def test_an_answer_in_cuda_compiles_under_seal() -> None:
    exercise = COURSE.find("3.2")
    key = key_of(exercise)
    found = running.run(exercise.reference, exercise, [exercise], key)
    assert (found.problem, found.records) == ("", key), found.output


@sealed
def test_an_answer_in_cpp_cannot_include_the_reference() -> None:
    exercise = COURSE.find("2.2")
    text = f'#include "{exercise.source}"\n{exercise.reference}'
    found = running.run(text, exercise, [exercise], [])
    assert found.problem.startswith("does not compile: "), found
    assert "Permission denied" in found.problem


def test_a_compiler_that_never_ends_is_stopped(monkeypatch) -> None:
    from norch_course import compiling

    monkeypatch.setattr(compiling, "PATIENCE", 0.2)
    monkeypatch.setattr(machine, "is_starved", lambda *_: False)
    with pytest.raises(CompileError, match="does not compile within"):
        compiling._run(["sleep", "60"], Path("/"), "x.cpp", Path("/tmp"))


@contextmanager
def in_a_forge() -> Iterator[Forge]:
    """Let strangers' answers be judged in forks of one process, as `make grade` does."""
    forge = Forge(for_strangers=True)
    was = running.judging.set(forge)
    try:
        yield forge
    finally:
        running.judging.reset(was)
        forge.close()


@sealed
def test_what_an_answer_forks_ends_with_it_wherever_it_goes(toy) -> None:
    """A fork that Python does not know of, in a session of its own, in an unending sleep."""
    body = (
        "    import ctypes, time\n"
        "    libc = ctypes.CDLL(None)\n"
        "    child = libc.fork()\n"
        "    if not child:\n"
        "        libc.setsid()\n"
        "        time.sleep(600)\n"
        "    return child\n"
    )
    exercise = toy.course.find("1.1")
    text = splice(exercise.reference, {"1.1": body}, ".py")
    with in_a_forge():
        found = running.run(text, exercise, [exercise], key_of(exercise))
    children = [int(one.got) for one in found.records if one.got.isdigit()]
    assert len(children) > 1, found
    for child in children:
        assert not Path(f"/proc/{child}").exists()


@sealed
def test_a_forge_that_is_ended_ends_no_grading(toy) -> None:
    exercise = toy.course.find("1.1")
    key = key_of(exercise)
    with in_a_forge() as forge:
        for _ in range(3):
            found = running.run(exercise.reference, exercise, [exercise], key)
            assert (found.problem, found.records) == ("", key)
            forge.process.kill()
            forge.process.wait()


@sealed
def test_a_forge_for_strangers_knows_nothing_of_this_user(toy, monkeypatch) -> None:
    monkeypatch.setenv("NORCH_SECRET", "s")
    body = "    return b'NORCH_SECRET' in open('/proc/self/environ', 'rb').read()\n"
    exercise = toy.course.find("1.1")
    text = splice(exercise.reference, {"1.1": body}, ".py")
    with in_a_forge():
        found = running.run(text, exercise, [exercise], key_of(exercise))
    assert {one.got for one in found.records[:4]} == {"False"}


@sealed
@pytest.mark.long
def test_an_answer_in_cuda_reads_the_kernels_of_this_user_and_writes_none() -> None:
    exercise = COURSE.find("3.2")
    key = key_of(exercise)
    harm = running.built_kernels() / "cuda-sim" / "harm"
    text = (
        f'#include <fstream>\nstatic bool harm = bool(std::ofstream("{harm}") << "here");\n'
        f"{exercise.reference}"
    )
    found = running.run(text, exercise, [exercise], key)
    assert (found.problem, found.records) == ("", key), found.output
    assert not harm.exists()


def test_kernels_that_are_compiled_are_lent_and_damaged_ones_are_not(tmp_path, monkeypatch) -> None:
    from norch_cuda.runtime import library_cache

    monkeypatch.setattr(library_cache, "is_whole", library_cache.is_whole)
    monkeypatch.setenv(seal.BUILT, str(tmp_path / "built"))
    for folder in ("built", "own"):
        (tmp_path / folder / "cuda-sim").mkdir(parents=True)
    for name in ("whole.so", "damaged.so", "object.o"):
        (tmp_path / "built" / "cuda-sim" / name).write_bytes(b"kernel")
        library_cache.seal(tmp_path / "built" / "cuda-sim" / name)
    (tmp_path / "built" / "cuda-sim" / "damaged.so").write_bytes(b"kern")
    kernels.lend()
    own = tmp_path / "own" / "cuda-sim"
    names = ("whole.so", "object.o", "damaged.so", "damaged.so", "none.so")
    whole = [True, True, False, False, False]
    assert [library_cache.is_whole(own / name) for name in names] == whole
    assert (own / "whole.so").is_symlink() and (own / "object.o").is_symlink()
