"""Whole CUDA programs as answers: judged within the limits of all answers, and told by line."""

from pathlib import Path

import pytest

from norch_course import running, seal
from norch_course.catalog import load
from norch_course.grading import key_of

COURSE = load(Path(__file__).resolve().parent.parent.parent)
sealed = pytest.mark.skipif(not seal.version(), reason="this system has no Landlock")


def run(id, old, new, key=None):
    """Judge the library's own program with a part of it replaced; return that, and the text."""
    exercise = COURSE.find(id)
    text = exercise.reference.replace(old, new)
    assert text != exercise.reference
    return running.run(text, exercise, [exercise], key), text


def test_a_finding_has_its_line() -> None:
    found, text = run("3.15", "if (i < n) out[i]", "out[i]")
    line = 1 + next(n for n, one in enumerate(text.splitlines()) if "out[i]" in one)
    miss = next(one for one in found.records if not one.right)
    assert f"past the end of an array, at vector_add.cu:{line}" in miss.got and miss.line == line
    assert "bytes past the end of `x`" in found.output


def test_a_call_that_nobody_looks_at_is_named() -> None:
    found, _ = run("3.15", "check(cudaFree(y))", "cudaFree(y)")
    miss = next(one for one in found.records if not one.right)
    assert miss.got.startswith("'cudaFree at vector_add.cu:") and "ends with 86" in miss.got


def test_a_crash_and_what_does_not_compile_are_told() -> None:
    found, _ = run("3.17", "  float *x, *out;\n", "  float *x, *out;\n  *(int*)8 = 1;\n")
    assert "'status': 'SIGSEGV'" in found.records[0].got
    found, text = run("3.17", "float *x, *out;", "float *x;")
    line = 1 + next(n for n, one in enumerate(text.splitlines()) if "&out" in one)
    assert found.records[0].got.startswith("does not compile: 'out' was not declared")
    assert found.records[0].line == line


@pytest.mark.long
def test_a_program_that_never_ends_is_told_so() -> None:
    found, _ = run("3.17", "  cudaFree(x);\n", "  for (;;) {\n  }\n")
    assert found.problem == running.too_late(running.TIME_LIMIT) and found.asked == "smooth 1"


@sealed
@pytest.mark.long
def test_a_sealed_program_is_judged_and_writes_nowhere() -> None:
    harm = running.built_kernels() / "cuda-sim" / "harm"
    writes = f'int main(int, char** arguments) {{\n  fopen("{harm}", "w");\n'
    key = key_of(COURSE.find("3.16"))
    found, _ = run("3.16", "int main(int, char** arguments) {\n", writes, key)
    assert (found.problem, found.records) == ("", key), found.output
    assert not harm.exists()
