"""Marks, stubs and splicing, as text, in all three languages."""

import shutil
import subprocess

import pytest

from norch_course.holes import (
    MarkError,
    find_hole,
    find_holes,
    hole_ids,
    splice,
    strip,
    without_marks,
)

PYTHON = """def f(x):
    # ex 1.1 begin
    return x
    # ex 1.1 end

def g(x):
    if x:
        # ex 1.2 begin
        y = x
        return y
        # ex 1.2 end
    return 0
"""
CPP = """#include <stdexcept>
int twice(int x) {
  // ex 2.3 begin
  return x + x;
  // ex 2.3 end
}
"""
CUDA = """__global__ void add(const float* a, float* out, int n) {
  // ex 3.1 begin
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i];
  // ex 3.1 end
}
"""
TEXTS = [(PYTHON, ".py"), (CPP, ".cpp"), (CPP, ".h"), (CUDA, ".cu"), (PYTHON[:-1], ".py")]


@pytest.mark.parametrize(("text", "suffix"), TEXTS)
def test_the_solutions_restore_the_reference(text: str, suffix: str) -> None:
    bodies = {id: hole.body for id, hole in find_holes(text, suffix).items()}
    assert splice(strip(text, suffix), bodies, suffix) == text
    assert strip(text, suffix) != text
    assert strip(strip(text, suffix), suffix) == strip(text, suffix)


@pytest.mark.parametrize(
    ("text", "suffix", "line"),
    [
        (PYTHON, ".py", '    raise NotImplementedError("exercise 1.1 is yours to write")'),
        (PYTHON, ".py", '        raise NotImplementedError("exercise 1.2 is yours to write")'),
        (CPP, ".cpp", '  throw std::logic_error("exercise 2.3 is yours to write");'),
        (CPP, ".h", '  throw std::logic_error("exercise 2.3 is yours to write");'),
        (CUDA, ".cu", '  NORCH_TODO("3.1");'),
    ],
)
def test_a_stub_raises_in_its_own_language(text: str, suffix: str, line: str) -> None:
    assert line in strip(text, suffix).splitlines()


def test_an_empty_program_says_so_to_the_compiler() -> None:
    program = "// ex 3.15 begin\nint main() { return 0; }\n// ex 3.15 end\n"
    assert strip(program, ".cu").splitlines()[1] == '#error "exercise 3.15 is yours to write"'


def test_one_hole_alone_can_be_stripped_or_filled() -> None:
    only = strip(PYTHON, ".py", only="1.2")
    assert find_hole(only, ".py", "1.1").body == "    return x\n"
    assert "1.2 is yours" in only
    mine = splice(PYTHON, {"1.1": "    return -x"}, ".py")  # no newline at the end: still a line
    assert mine == PYTHON.replace("return x\n", "return -x\n")
    assert splice(PYTHON, {"1.1": ""}, ".py") == PYTHON.replace("    return x\n", "")


def test_a_hole_knows_its_place() -> None:
    hole = find_hole(PYTHON, ".py", "1.2")
    assert (hole.begin, hole.end, hole.indent) == (8, 11, " " * 8)
    assert hole_ids(PYTHON, ".py") == ["1.1", "1.2"]


def test_windows_line_ends_are_lines() -> None:
    text = PYTHON.replace("\n", "\r\n")
    assert find_hole(text, ".py", "1.1").body == "    return x\r\n"


def test_other_languages_comments_are_no_marks() -> None:
    assert hole_ids(CPP, ".py") == []
    assert hole_ids("// ex 2.3 begin or not\n", ".cpp") == []


def test_the_book_shows_no_marks() -> None:
    assert without_marks(CPP, ".cpp") == CPP.replace("  // ex 2.3 begin\n", "").replace(
        "  // ex 2.3 end\n", ""
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("# ex 1.1 begin\n", "\n", "the line '# ex 1.1 begin' is missing"),
        ("# ex 1.1 end\n", "\n", "the line '# ex 1.1 end' is missing"),
        ("# ex 1.1 end\n", "#ex 1.1 end\n", "the line '# ex 1.1 end' is missing"),
        ("return x\n", "# ex 1.1 begin\n", "the line '# ex 1.1 begin' stands 2 times"),
        ("return x\n", "# ex 1.2 begin\n", "a mark of exercise 1.2 stands inside exercise 1.1"),
    ],
)
def test_marks_out_of_place_are_named(old: str, new: str, message: str) -> None:
    with pytest.raises(MarkError) as caught:
        find_hole(PYTHON.replace(old, new), ".py", "1.1")
    assert str(caught.value) == message


def test_an_end_before_its_begin_is_named() -> None:
    text = "# ex 1.1 end\n# ex 1.1 begin\n"
    with pytest.raises(MarkError, match=r"end of exercise 1\.1 \(line 1\) stands before its begin"):
        find_hole(text, ".py", "1.1")


def test_broken_marks_of_one_exercise_leave_the_other_alone() -> None:
    assert find_hole(PYTHON.replace("# ex 1.1 end", ""), ".py", "1.2").body.strip().endswith("y")


@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
def test_a_cpp_stub_is_an_exception_that_can_be_caught(tmp_path) -> None:
    main = """#include <cstdio>
    int main() { try { twice(2); } catch (const std::exception& e) { puts(e.what()); } }
    """
    (tmp_path / "stub.cpp").write_text(strip(CPP, ".cpp") + main)
    subprocess.run(["g++", "-Wall", "-Werror", "stub.cpp", "-o", "stub"], cwd=tmp_path, check=True)
    answer = subprocess.run([tmp_path / "stub"], capture_output=True, text=True, check=True)
    assert answer.stdout == "exercise 2.3 is yours to write\n"
