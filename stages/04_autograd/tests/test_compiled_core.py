"""The C++ core and the Python text are one: random programs leave the same traces in both, and the
core stands aside wherever the text is not the one it was built from, or the build is unknown.
"""

import os
import re
import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import SimpleNamespace

import pytest

import norch_autograd as norch
from norch_autograd.types import core

PACKAGE = Path(norch.__file__).parent
TESTS = Path(__file__).parent
CSRC = TESTS.parent / "csrc"
CMAKE = TESTS.parent / "CMakeLists.txt"


def python(*words, **variables):
    """What a new Python prints, and its errors."""
    kept = {key: value for key, value in os.environ.items() if key != "NORCH_CORE"}
    command = [sys.executable, *map(str, words)]
    done = subprocess.run(command, env=kept | variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


STATUS = "from norch_autograd.types.core import core_status; print(core_status())"


@pytest.fixture(scope="module", autouse=True)
def built():
    """Nothing here is to be tested where the core could not be built."""
    status = python("-c", STATUS)
    if core.NOT_BUILT in status:
        pytest.skip(status)
    assert status == "the core is in use\n"


def test_random_programs_leave_the_same_traces():
    with_core = python(TESTS / "core_report.py", 150)
    without = python(TESTS / "core_report.py", 150, NORCH_CORE="0")
    first, *lines = with_core.splitlines()
    status, *expected = without.splitlines()
    assert first == "the core is in use"
    assert status == "the core stands aside: NORCH_CORE is 0"
    assert len(lines) > 5000
    assert lines == expected


def test_an_array_of_another_library_goes_by_its_attributes():
    """Stage 3's arrays are unknown to the core: the same traces on them."""
    program = """
import norch_autograd as norch
x = norch.tensor([[1., -2.], [3., 4.]], device="cuda-sim", requires_grad=True)
y = ((x * x) @ x + x).relu()
versions = [note[2] for note in y.grad_fn.edges[0].edges[0].kept]
y.sum().backward()
print(y.tolist(), x.grad.tolist(), versions)
"""
    found = python("-c", program)
    assert found == python("-c", program, NORCH_CORE="0")
    assert found.startswith("[[14.0, 12.0], [60.0, 50.0]]")


# ---- Standing aside ------------------------------------------------------------------------------


@pytest.fixture
def copy(tmp_path):
    """The package in a folder of its own, with its core, to be edited."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, tmp_path / "norch_autograd", ignore=ignored)
    return tmp_path / "norch_autograd"


def in_copy(copy, program):
    """What a program prints that finds the copy first."""
    return python("-c", program, PYTHONPATH=str(copy.parent))


def test_an_untouched_copy_uses_its_core(copy):
    where = "import norch_autograd; print(norch_autograd.__file__)"
    assert in_copy(copy, f"{STATUS}; {where}").split("\n")[:2] == [
        "the core is in use",
        str(copy / "__init__.py"),
    ]


@pytest.mark.parametrize("text", sorted(core._core.texts) if core._core else [])
def test_an_edited_text_runs_as_it_is(copy, text):
    """One line more in any file that the core says again, and all of it is Python."""
    with (copy / text).open("a") as file:
        file.write("\nprint('edited')\n")
    shows = "import norch_autograd.graph.record as r; print(type(r.unary).__name__)"
    said = in_copy(copy, f"{STATUS}; {shows}")
    assert said.count("edited") == 1
    assert f"the core stands aside: {text} is not the text that it was built from" in said
    assert said.endswith("function\n")


HOLES = {
    "4.1": ("ops/elementwise/arithmetic.py", "(x * x).sum().backward()"),
    "4.2": ("ops/linalg/matmul.py", "norch.linear(x, x).sum().backward()"),
    "4.3": ("graph/broadcast.py", "(x + x[0]).sum().backward()"),
    "4.4": ("engine/engine.py", "x.sum().backward()"),
    "4.5": ("engine/engine.py", "x.sum().backward()"),
    "4.6": ("graph/grad_mode.py", "norch.no_grad().__enter__()"),
}


@pytest.mark.parametrize("id", HOLES)
def test_the_answer_to_an_exercise_is_what_runs(copy, id):
    file, call = HOLES[id]
    lines = (copy / file).read_text().split("\n")
    begin = next(k for k, line in enumerate(lines) if line.strip() == f"# ex {id} begin")
    lines[begin] = lines[begin].replace(f"# ex {id} begin", "raise ArithmeticError('mine')")
    (copy / file).write_text("\n".join(lines))
    program = f"""
import norch_autograd as norch
x = norch.ones(2, 2, requires_grad=True)
try:
    {call}
except ArithmeticError as error:
    print(error)
"""
    assert in_copy(copy, program) == "mine\n"


def test_a_module_found_elsewhere_is_looked_at_there(tmp_path):
    """As the course's judge does it: one file stands in for one module."""
    answer = tmp_path / "engine.py"
    answer.write_text((PACKAGE / "engine" / "engine.py").read_text() + "\nMINE = True\n")
    program = f"""
import sys
from importlib.util import spec_from_file_location
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "norch_autograd.engine.engine":
            return spec_from_file_location(name, {str(answer)!r})
sys.meta_path.insert(0, Finder)
{STATUS}
from norch_autograd.engine import engine
print(engine.MINE, type(engine.run).__name__)
"""
    said = python("-c", program)
    assert "engine/engine.py is not the text" in said
    assert said.endswith("True function\n")


def test_every_text_with_a_mark_is_hashed():
    """Whoever marks a function in another file must name the file in CMakeLists.txt."""
    marked = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if "\n@in_core\n" in path.read_text()
    }
    hashed = set(re.findall(r"^  (\w+/\w+\.py)", CMAKE.read_text(), re.MULTILINE))
    # The frequent case of these, by `run` and `frozen`.
    again = {"engine/accumulate.py", "graph/hooks.py", "graph/operands.py"}
    assert marked | again == hashed


# ---- Refusing ------------------------------------------------------------------------------------


def fake(**changed):
    """A core as types/core.py sees it."""
    return SimpleNamespace(**{"built_for": "cpython-311-x86_64", "texts": {}} | changed)


def test_why_a_core_is_not_used(monkeypatch, tmp_path):
    suffix = ".cpython-311-x86_64.so"
    assert core._why_not(fake(), suffix, "") == ""
    assert core._why_not(fake(), suffix, "1") == ""
    assert core._why_not(fake(), suffix, "0") == "NORCH_CORE is 0"
    monkeypatch.setattr(core, "REASON", tmp_path / "why.txt")
    assert core._why_not(None, suffix, "") == core.NOT_BUILT
    core.REASON.write_text("no C++ compiler was found")
    assert core._why_not(None, suffix, "") == f"{core.NOT_BUILT}: no C++ compiler was found"
    for other in (".cpython-313t-x86_64.so", ".pypy311-pp73.so", ".cpython-312-x86_64.so"):
        assert "it was built for cpython-311-x86_64" in core._why_not(fake(), other, "")
    gone = fake(texts={"graph/no_such_file.py": "0"})
    assert core._why_not(gone, suffix, "").startswith("graph/no_such_file.py is not the text")


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        ("-DCMAKE_CXX_COMPILER=", "no C++ compiler was found"),
        ("-DPython_INCLUDE_DIR=/nowhere", "the headers of this Python were not found"),
    ],
)
def test_the_build_says_why_there_is_no_core(tmp_path, option, reason):
    cmake = shutil.which("cmake", path=f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}")
    if cmake is None:
        pytest.skip("cmake is not installed")
    own = f"-DPython_EXECUTABLE={sys.executable}"
    subprocess.run([cmake, "-S", CMAKE.parent, "-B", tmp_path, own, option], check=True)
    assert (tmp_path / "no_core.txt").read_text() == reason


CAPSULE = """
import ctypes
import norch_cpu_ops._cpu as cpu
new = ctypes.pythonapi.PyCapsule_New
new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
table = (ctypes.c_int * 64)(99)
cpu._array_api = new(ctypes.addressof(table), b"norch_cpu_ops._cpu._array_api", None)
"""


def test_arrays_of_an_unknown_version_are_refused():
    said = python("-c", f"{CAPSULE}\n{STATUS}")
    assert said == (
        "the core stands aside: it refused to load: stage 2's _array_api is version 99, "
        "this core knows 2\n"
    )
    said = python("-c", f"import norch_cpu_ops._cpu as cpu; del cpu._array_api; {STATUS}")
    assert "stage 2 hands out no _array_api: build it anew" in said


def test_another_python_is_refused(tmp_path):
    """The module under a name that another Python would load."""
    others = [f"python3.{k}" for k in (11, 12, 13) if k != sys.version_info[1]]
    found = [path for path in map(shutil.which, others) if path]
    works = [p for p in found if subprocess.run([p, "-c", ""], capture_output=True).returncode == 0]
    if not works:
        pytest.skip("no other Python is on this machine")
    module = PACKAGE / ("_core" + EXTENSION_SUFFIXES[0])
    program = f"""
from importlib.util import module_from_spec, spec_from_file_location
try:
    module_from_spec(spec_from_file_location("_core", {str(module)!r}))
except ImportError as error:
    print(error)
"""
    said = subprocess.run([works[0], "-c", program], capture_output=True, text=True)
    assert said.stdout.startswith(f"built for CPython 3.{sys.version_info[1]}, this is 3."), said


def test_the_table_of_arrays_is_one_text_in_two_stages():
    """Stage 2 writes the table, the core reads it: the same declaration."""
    theirs = CSRC.parents[1] / "02_cpu_ops" / "csrc" / "bindings" / "array_api.h"
    assert (CSRC / "array_api.h").read_text() == theirs.read_text()
