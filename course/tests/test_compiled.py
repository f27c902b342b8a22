"""Exercises in C++ and CUDA: stages 2 and 3 with one hole each, in a folder of their own.

Nothing is installed: one file is compiled and linked with the objects of the last build.
"""

import shutil
from pathlib import Path

import pytest

from norch_course import compiling
from norch_course.catalog import Course, CourseError, Stage, load
from norch_course.commands import behaviour, run_mine
from norch_course.compiling import build_tree, is_current
from norch_course.grading import Verdict, cache_folder, grade, grade_body
from norch_course.holes import LANGUAGES, find_hole
from norch_course.workbook import answer_to, write_missing

ROOT = Path(__file__).resolve().parent.parent.parent
BUILT = ROOT / "stages" / "02_cpu_ops" / "build"
STAGES = ("01_strides", "02_cpu_ops", "03_cuda")

CPP = "stages/02_cpu_ops/csrc/kernels/lessons.cpp"
INNER = "      for (int64_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];\n"
HALF = "      sum = a[i * k] * b[j];\n"
CUDA = "stages/03_cuda/csrc/copy.cu"
LOOP = "  if (is_flat(lout)) return map_elements(n, out, f);\n"
ONES = "  if (is_flat(lout)) return map_elements(n, out, [=] { return T(1); });\n"

ENTRY = """
[[exercise]]
id = "{id}"
title = "One loop"
minutes = 5
task = "Write it."
hints = ["a", "b", "c"]
"""

CPP_TEST = """
from norch_course.testing import exercise, expect
import norch_cpu_ops as cpu
from norch_cpu_ops import _cpu

@exercise("2.99")
def test_matmul():
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    for a, b, right in [([[2.0]], [[3.0]], [[6.0]]), ([[1.0, 2.0]], [[3.0], [4.0]], [[11.0]])]:
        x, y = cpu.ops.from_list(a, None), cpu.ops.from_list(b, None)
        product = lambda x=x, y=y: _cpu.lesson_matmul(x, y, "naive").tolist()
        expect(f"lesson_matmul({a}, {b})", product, right)
"""

CUDA_TEST = """
from norch_course.testing import exercise, expect
import norch_cuda
from norch_cpu_ops import float32

@exercise("3.99")
def test_fill():
    ops = norch_cuda.ops_for("cuda-sim")
    for shape in [(1,), (2, 3)]:
        full = lambda shape=shape: ops.full(shape, 7.0, float32).tolist()
        right = [7.0] if shape == (1,) else [[7.0] * 3] * 2
        expect(f"full({shape}, 7.0, float32)", full, right)
"""


MINE = """
import norch_cpu_ops as cpu
from norch_cpu_ops import _cpu
x, y = cpu.ops.from_list([[1.0, 2.0]], None), cpu.ops.from_list([[3.0], [4.0]], None)
print("mine" if "mine" in cpu.__file__ else "installed", _cpu.lesson_matmul(x, y, "naive").tolist())
"""


class Room:
    """A course of one C++ and one CUDA exercise."""

    def __init__(self, root: Path) -> None:
        self.root = root
        hidden = shutil.ignore_patterns(
            "__pycache__", "*.so", "build", "tests", "exercises", "wrong"
        )
        for name in STAGES:
            shutil.copytree(ROOT / "stages" / name, root / "stages" / name, ignore=hidden)
        (root / "stages" / "02_cpu_ops" / "build").symlink_to(BUILT)
        self.open_hole(CPP, "2.99", INNER, HALF, CPP_TEST)
        self.open_hole(CUDA, "3.99", LOOP, ONES, CUDA_TEST)
        write_missing(self.course.exercises.values())
        behaviour(self.course)

    def open_hole(self, file: str, id: str, body: str, wrong: str, test: str) -> None:
        path = self.root / file
        stage = path.parents[2] if path.suffix == ".cpp" else path.parents[1]
        comment = LANGUAGES[path.suffix].comment
        text = path.read_text(encoding="utf-8")
        assert text.count(body) == 1, f"{file} has changed: choose another hole"
        marked = f"{comment} ex {id} begin\n{body}{comment} ex {id} end\n"
        path.write_text(text.replace(body, marked), encoding="utf-8")
        for name, content in {
            "exercises/exercises.toml": ENTRY.format(id=id),
            f"exercises/wrong/{id}{path.suffix}": f"//: half\n//: you did half of it.\n{wrong}",
            "tests/test_exercises.py": test,
        }.items():
            (stage / name).parent.mkdir(parents=True, exist_ok=True)
            (stage / name).write_text(content, encoding="utf-8")

    @property
    def course(self) -> Course:
        return load(self.root)

    def check(self, id: str, body: str) -> Verdict:
        exercise = self.course.find(id)
        stub = exercise.stub.read_text(encoding="utf-8")
        mine = answer_to(exercise).hole.body
        exercise.stub.write_text(stub.replace(mine, body), encoding="utf-8")
        return grade(exercise, answer_to(exercise), cache_folder(self.course))


@pytest.fixture(scope="module")
def room(tmp_path_factory) -> Room:
    if not list(BUILT.glob("editable-*/.ninja_deps")):
        pytest.skip("stage 2 was not built here as an editable install: make setup")
    if not is_current(build_tree(Stage(ROOT / "stages" / "02_cpu_ops"))):
        pytest.skip("the build of stage 2 is older than its sources: make setup")
    return Room(tmp_path_factory.mktemp("room"))


def test_a_cpp_stub_is_todo(room: Room) -> None:
    exercise = room.course.find("2.99")
    assert exercise.stub == room.root / "workbook/02_cpu_ops/csrc/kernels/lessons.cpp"
    assert 'throw std::logic_error("exercise 2.99' in exercise.stub.read_text(encoding="utf-8")
    stub = answer_to(exercise).hole.body
    assert room.check("2.99", stub).status == "todo"
    verdict = room.check("2.99", "      // my first thought\n" + stub)  # compiled, run and caught
    assert verdict.status == "todo", verdict


def test_a_cpp_answer_is_compiled_into_a_module_of_its_own(room: Room) -> None:
    assert room.check("2.99", INNER).status == "ok"
    verdict = room.check("2.99", HALF + "      // mine\n")
    assert (verdict.status, verdict.miss.got) == ("wrong", "[[3.0]]")
    assert verdict.says == "you did half of it."
    assert room.check("2.99", INNER + "\n").status == "ok"  # nothing is left of the wrong one


def test_a_cpp_error_has_the_compilers_words_and_the_learners_line(room: Room) -> None:
    verdict = room.check("2.99", "      // one\n      // two\n      sum = nothing_like_it;\n")
    assert verdict.status == "wrong"
    assert verdict.problem.startswith("does not compile: ")
    assert "nothing_like_it" in verdict.problem
    lines = room.course.find("2.99").stub.read_text(encoding="utf-8").splitlines()
    assert "nothing_like_it" in lines[verdict.line - 1]


def test_a_cpp_function_without_its_return_does_not_compile(room: Room) -> None:
    verdict = room.check("2.99", "      auto f = []() -> int { sum = 1; };\n")
    assert verdict.problem.startswith("does not compile: ") and verdict.problem.isascii()


def test_a_segfault_in_cpp_is_one_red_line(room: Room) -> None:
    verdict = room.check("2.99", "      *reinterpret_cast<volatile int*>(8) = 1;\n")
    assert verdict.problem == "crashed (SIGSEGV)"
    assert verdict.asked.startswith("lesson_matmul([[2.0]]")
    assert "memory that is not yours" in verdict.says


def test_a_check_of_cpp_compiles_one_object_and_links_once(room: Room, monkeypatch) -> None:
    ran = []
    run = compiling._run
    monkeypatch.setattr(compiling, "_run", lambda *words: ran.append(words[2]) or run(*words))
    verdict = room.check("2.99", HALF + "      // counted\n")
    assert verdict.says == "you did half of it."
    assert len(ran) == 2 and ran[1].startswith("_cpu")


def test_each_cpp_exercise_is_in_one_object_of_the_quick_build(room: Room) -> None:
    course = load(ROOT)
    for one in course.select("2"):
        objects = compiling.objects_to_compile(
            one.stage, build_tree(one.stage), [one.source], quick=True
        )
        assert len(objects) == 1, (one.id, list(objects))


def test_an_index_past_b_is_told_where_fetches_are_counted(room: Room) -> None:
    """A wrong index of exercise 2.3 damages no memory of the judge."""
    exercise = load(ROOT).find("2.3")
    body = find_hole(exercise.reference, ".cpp", "2.3").body + "  c[0] += 0 * b[n * k + 100];\n"
    verdict = grade_body(exercise, body, cache=None)
    assert verdict.miss.got == "raises IndexError: your code reads b[101], and the last is b[0]"
    counted = next(one for one in verdict.records if one.shown.startswith("numbers of b fetched"))
    said = "[lesson_fetches] exercise 2.3 reads b[16484], but b has 16384 elements"
    assert counted.got == f"raises IndexError: {said}"
    assert not verdict.problem


def test_a_cuda_answer_runs_on_the_simulator(room: Room) -> None:
    assert room.check("3.99", LOOP).status == "ok"
    verdict = room.check("3.99", ONES)
    assert (verdict.status, verdict.miss.got) == ("wrong", "[[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]")
    assert verdict.says == "you did half of it."


def test_a_cuda_stub_is_todo_when_it_runs(room: Room) -> None:
    assert room.check("3.99", '    NORCH_TODO("3.99");  // later\n').status == "todo"


def test_a_cuda_error_has_the_learners_line(room: Room) -> None:
    verdict = room.check("3.99", "  // one\n  out[0] = nothing_like_it;\n")
    assert verdict.status == "wrong"
    assert verdict.miss.got == "does not compile: 'nothing_like_it' was not declared in this scope"
    lines = room.course.find("3.99").stub.read_text(encoding="utf-8").splitlines()
    assert "nothing_like_it" in lines[verdict.line - 1]


def test_mine_is_compiled_for_every_instruction_set(room: Room, capfd) -> None:
    exercise = room.course.find("2.99")
    stub = exercise.stub.read_text(encoding="utf-8")
    mine = answer_to(exercise).hole.body
    exercise.stub.write_text(stub.replace(mine, INNER + "      // mine\n"), encoding="utf-8")
    program = room.root / "program.py"
    program.write_text(MINE, encoding="utf-8")
    assert run_mine(room.course, [str(program)]) == 0
    printed = capfd.readouterr().out
    assert "  2.99 One loop" in printed and "compiling your lessons.cpp" in printed
    assert printed.splitlines()[-1] == "mine [[11.0]]"


def test_a_build_older_than_its_sources_says_so(room: Room, monkeypatch) -> None:
    monkeypatch.setattr(compiling, "is_current", lambda tree: False)
    with pytest.raises(CourseError, match=r"stage 2 is older than its sources, .* make setup"):
        room.check("2.99", "      sum = 1;\n")


def test_a_stage_that_was_never_built_says_so(room: Room) -> None:
    link = room.root / "stages" / "02_cpu_ops" / "build"
    link.rename(link.with_name("away"))
    try:
        with pytest.raises(CourseError, match="stage 2 was never built here"):
            room.check("2.99", "      sum = 0;\n")
    finally:
        link.with_name("away").rename(link)
