"""The meter: what an answer in C++ reads and writes is seen, and by which compilers.

A small library is compiled as an answer is, and called through ctypes.
"""

import array
import ctypes
import re
import subprocess
from functools import partial
from types import SimpleNamespace

import pytest

from norch_course import compiling, meter, report
from norch_course.catalog import load
from norch_course.holes import find_hole
from norch_course.workbook import Answer

SOURCE = """
#include <cstdint>
#include <cstring>
extern "C" {
float sum(const float* x, int64_t first, int64_t last) {
  float total = 0;
  for (int64_t i = first; i < last; ++i) total += x[i];
  return total;
}
void clear(void* to, int64_t bytes) { std::memset(to, 0, size_t(bytes)); }
void copy(float* to, const float* from, int64_t count) {
  std::memmove(to, from, size_t(count) * sizeof(float));
}
int pick(int i) {
  volatile int numbers[4] = {1, 2, 3, 4};
  return numbers[i];
}
}
"""


@pytest.fixture(scope="module")
def course():
    """Return the course as it is."""
    return load(compiling.METER.parents[2])


@pytest.fixture(scope="module")
def library(course, tmp_path_factory):
    """Return what calls the functions of SOURCE, compiled with the meter, and where it lies."""
    tree = compiling.build_tree(course.find("2.1").stage)
    words = compiling.meter_words(tree)
    if not words:
        pytest.skip("this compiler knows no way to call a meter")
    facts = next(tree.glob("CMakeFiles/*/CMakeCXXCompiler.cmake")).read_text(encoding="utf-8")
    program = re.findall(r'CMAKE_CXX_COMPILER "(.+)"', facts)[0]
    folder = tmp_path_factory.mktemp("metered")
    (folder / "answer.cpp").write_text(SOURCE, encoding="utf-8")
    for command in (
        ["-O1", "-fPIC", *words, "-c", "answer.cpp"],
        ["-shared", "answer.o", "-o", "answer.so"],
    ):
        subprocess.run([program, *command], cwd=folder, check=True)
    functions = ctypes.CDLL(str(folder / "answer.so"))
    functions.sum.restype = ctypes.c_float
    return SimpleNamespace(__file__=str(folder / "answer.so"), functions=functions)


def pointer(room, at=0):
    """Return the address of an element of a room."""
    return ctypes.c_void_p(room.place.begin + at * room.place.itemsize)


def summed(library, room, first, last):
    """Return a call that adds some elements of a room."""
    numbers = ctypes.c_int64(first), ctypes.c_int64(last)
    return partial(library.functions.sum, pointer(room), *numbers)


def test_what_stays_inside_is_returned_and_counted(library):
    room = meter.room("x", [1, 2, 3])
    assert meter.inside(library, summed(library, room, 0, 3), [room.place]) == 6
    assert meter.read_by(library, summed(library, room, 1, 3), room.place) == 2


@pytest.mark.parametrize(
    ("first", "last", "said"),
    [(0, 4, r"reads x\[3\], and the last is x\[2\]"), (-2, 1, r"reads x\[-2\], ")],
)
def test_a_read_beside_a_place_is_told(library, first, last, said):
    room = meter.room("x", [1, 2, 3])
    with pytest.raises(IndexError, match=said):
        meter.inside(library, summed(library, room, first, last), [room.place])


def test_a_place_without_elements_is_named(library):
    room = meter.room("x", [])
    with pytest.raises(IndexError, match="reads x, which has no elements"):
        meter.inside(library, summed(library, room, 0, 1), [room.place])


def test_functions_of_the_c_library_are_seen(library):
    x, y = meter.room("x", [1, 2, 3]), meter.room("y", [4, 5, 6])
    clear = partial(library.functions.clear, pointer(x, 1), ctypes.c_int64(12))
    with pytest.raises(IndexError, match=r"writes x\[3\]"):
        meter.inside(library, clear, [x.place])
    copy = partial(library.functions.copy, pointer(x), pointer(y, 1), ctypes.c_int64(3))
    with pytest.raises(IndexError, match=r"reads y\[3\]"):
        meter.inside(library, copy, [x.place, y.place])


def test_an_index_that_leaves_an_array_is_told_with_its_line(library):
    assert meter.inside(library, lambda: library.functions.pick(3), []) == 4
    with pytest.raises(IndexError, match=r"index 4 of an array that has 4: answer.cpp:16"):
        meter.inside(library, lambda: library.functions.pick(4), [])
    with pytest.raises(IndexError, match=r"index -1 of an array that has 4"):
        meter.inside(library, lambda: library.functions.pick(-1), [])


def test_no_other_library_takes_the_place_of_the_meter(library):
    for name in ("__ubsan_handle_out_of_bounds", "__asan_load4_noabort", "__asan_memset"):
        assert not hasattr(library.functions, name)  # hidden: the simulator has functions so named


def test_without_a_meter_what_was_written_beside_a_place_is_told():
    room = meter.room("x", [1, 2, 3], "d")
    unmetered = SimpleNamespace(__file__=ctypes.__file__)
    assert meter.read_by(unmetered, lambda: None, room.place) is None
    assert meter.inside(unmetered, lambda: "given", [room.place]) == "given"
    write = partial(ctypes.memset, room.place.end + 8, 1, 8)
    with pytest.raises(IndexError, match=r"writes x\[4\], and the last is x\[2\]"):
        meter.inside(unmetered, write, [room.place])


def test_the_place_of_an_array_ends_with_its_block():
    place = meter.place_of("x", array.array("f", range(20)))
    assert place.end - place.begin == 80
    assert place.high % meter.LINE == 0
    assert 0 <= place.high - place.end < meter.LINE


@pytest.mark.parametrize(
    ("name", "version", "includes", "options"),
    [
        ("GNU", "12.2.0", 1, 0),
        ("Clang", "14.0.6", 1, 3),
        ("Clang", "19.1.7", 1, 4),
        ("MSVC", "19", 0, 0),
    ],
)
def test_compilers_are_known_by_cmakes_name(tmp_path, name, version, includes, options):
    facts = tmp_path / "CMakeFiles" / "3.30.0" / "CMakeCXXCompiler.cmake"
    facts.parent.mkdir(parents=True)
    text = f'set(CMAKE_CXX_COMPILER_ID "{name}")\nset(CMAKE_CXX_COMPILER_VERSION "{version}")\n'
    facts.write_text(text, encoding="utf-8")
    words = compiling.meter_words(tmp_path)
    assert (words.count("-include"), words.count("-mllvm")) == (includes, options)


def test_what_is_written_into_a_marked_block_is_told():
    found = array.array("f", range(20))
    place = meter.place_of("result", found)
    spare = array.array("f", [0.0] * 8)
    behind = place._replace(end=place.begin + 40, high=place.begin + 80)
    meter.mark(behind)
    unmetered = SimpleNamespace(__file__=ctypes.__file__)
    write = partial(ctypes.memmove, behind.end, spare.buffer_info()[0], 4)
    with pytest.raises(IndexError, match=r"writes result\[10\]"):
        meter.inside(unmetered, write, [behind])


def test_a_check_says_where_a_compiler_lacks_it(course, monkeypatch):
    exercise = course.find("2.12")
    hole = find_hole(exercise.reference, exercise.suffix, exercise.id)
    answer = Answer(hole, is_stub=False, edited_outside=None)
    assert report.note_lines(exercise, answer, "ok") == []
    monkeypatch.setattr(compiling, "CALLED", {})
    noted = " ".join(report.note_lines(exercise, answer, "ok"))
    assert "this compiler does not tell what an answer reads" in noted
    assert report.note_lines(exercise, answer, "todo") == []
    assert report.note_lines(course.find("1.1"), answer, "ok") == []
