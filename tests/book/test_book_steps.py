"""The program as of each chapter: it grows, it stands alone, and the chapter's cells run on it."""

import ast
import builtins
import importlib.util
import io
import json
import re
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "book"), str(ROOT / "course")]

from steps import cells, programs  # noqa: E402
from steps.layers import Layer  # noqa: E402
from steps.sources import select, wanted  # noqa: E402
from steps.thinning import thin  # noqa: E402

from norch_cpu_ops import float32, ops as kernels  # noqa: E402

STEPS, LAYERS = programs.manifest()
IDS = [step.id for step in STEPS]
# Runs cells in one namespace, and tells what each printed and the value at its end.
RUNNER = """
import ast, contextlib, io, json, sys
folder, jobs = sys.argv[1], json.loads(sys.stdin.read())
sys.path.insert(0, folder)
space, said = {"__name__": "__main__"}, []
for code in jobs:
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(tree, "<cell>", "exec"), space)
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), space) if last else None
        if value is not None:
            print(repr(value))
    said.append(out.getvalue())
print(json.dumps(said))
"""


def run(folder, jobs, flags=("-I", "-S")):
    """Run cells on a program, in a Python that has nothing else; return what each printed."""
    found = subprocess.run(
        [sys.executable, *flags, "-c", RUNNER, str(folder)],
        input=json.dumps(jobs), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)


@pytest.fixture(params=STEPS, ids=IDS)
def step(request):
    """Return each step in turn."""
    return request.param


@pytest.fixture
def folder(step, tmp_path):
    """Return a folder with the program as of a step."""
    for path, text in programs.program(step.id).items():
        place = tmp_path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return tmp_path


def test_the_cells_of_the_chapter_run_on_it(step, folder):
    own = cells.cells(step)
    jobs = [step.begin, *(one.code for one in own), *([step.more] if step.more else [])]
    said = run(folder, jobs)
    assert said[1 : len(own) + 1] == [one.prints for one in own]


def test_a_step_defines_every_name_that_it_uses(step):
    for path, text in programs.program(step.id).items():
        tree = ast.parse(text)
        known = set(programs.defined(text)) | set(dir(builtins)) | {"__file__"}
        known |= {one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and is_written(one)}
        known |= {one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)}
        known |= {one.arg for one in ast.walk(tree) if isinstance(one, ast.arg)}
        assert programs.used(tree) - known == set(), path
        assert max(map(len, text.splitlines()), default=0) <= 100, path


def is_written(name):
    """Tell whether a name is assigned where it stands."""
    return isinstance(name.ctx, ast.Store)


def test_each_step_holds_the_one_before():
    before = {}
    for step in STEPS:
        own = programs.definitions(programs.program(step.id))
        assert [name for name in before if name not in own] == []
        changed = [name for name in before if before[name] != own[name]]
        assert changed == list(step.fuller), step.id
        before = own


def test_the_first_step_is_small():
    assert programs.count(programs.program("1.1")) < 80


@pytest.mark.parametrize("step", STEPS[-1:], ids=IDS[-1:], indirect=True)
def test_the_last_step_trains_a_network(step, folder):
    jobs = [step.begin, *(one.code for one in cells.cells(step)), step.more]
    *_, loss = run(folder, jobs)[-1].split()
    assert float(loss) < 0.001


@pytest.mark.parametrize("step", [one for one in STEPS if one.id in ("1.1", "2.1", "4.4")],
                         ids=("1.1", "2.1", "4.4"), indirect=True)  # fmt: skip
def test_lines_of_no_cell_print_what_norch_prints(step, folder):
    jobs = [step.begin, step.more]
    assert run(folder, jobs) == run("nowhere", jobs, flags=())


def test_everything_but_the_floor_is_a_file_of_norch():
    for step in STEPS:
        for path in programs.program(step.id):
            source = programs.source_of(path)
            assert source == programs.FLOOR.get(path) or source.is_relative_to(ROOT / "stages")


# What no step has, and so no comment or docstring of a step may speak of.
NOT_THERE = re.compile(
    r"\b(dtypes?|devices?|hooks?|Hooked|NumPy|pinned|kernels?|alpha|promotion|autocast|inference"
    r"|momentum|schedules?|scientific|exponent|lerp|dropout|detached|batch(es)?|vectors?|int64"
    r"|(Runtime|Type|Index|Value)Error|None, \.\.\.)\b|set_printoptions|\(\.\.\., ", re.I
)  # fmt: skip
NOT_IN_NN = re.compile(r"\bbuffers?\b", re.I)  # chapter 1 has a buffer, of elements


def words_of(text):
    """Return the comments and docstrings of a text."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = [one.string for one in tokens if one.type == tokenize.COMMENT]
    scopes = ast.Module | ast.ClassDef | ast.FunctionDef
    said = [ast.get_docstring(one) for one in ast.walk(ast.parse(text)) if isinstance(one, scopes)]
    return [*comments, *filter(None, said)]


def test_a_step_speaks_of_nothing_that_it_has_not(step):
    files = programs.program(step.id)
    for path, text in files.items():
        for words in words_of(text):
            assert not NOT_THERE.search(words), (path, words)
            assert "norch_nn" not in path or not NOT_IN_NN.search(words), (path, words)
            for name in re.findall(r"[\w/]+\.py\b", words):
                assert any(one.endswith(f"/{name}") for one in files), (path, words)


def test_nothing_in_a_step_is_left_over(step, folder):
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache"]
    rules = ["--select", "F811,F841,RET501,RET503,RET504,PLR1711", str(folder)]
    found = subprocess.run([*ruff, *rules], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout


@pytest.mark.parametrize("step", [one for one in STEPS if one.id == "4.1"], ids=("4.1",),
                         indirect=True)  # fmt: skip
def test_an_operand_that_is_neither_tensor_nor_number_is_refused(step, folder):
    tried = "try:\n    n.tensor(1.0) + [1]\nexcept TypeError:\n    print('refused')"
    assert run(folder, ["import norch_autograd as n", tried]) == ["", "refused\n"]


def test_a_step_that_is_not_there_is_refused_with_those_that_are(tmp_path):
    words = [sys.executable, "-m", "steps", "9.9", str(tmp_path)]
    found = subprocess.run(words, cwd=ROOT / "book", capture_output=True, text=True, check=False)
    assert found.returncode == 2
    assert found.stderr == f"there is no step 9.9: the steps are {', '.join(IDS)}\n"


def test_every_layer_leaves_something_out():
    for step in STEPS:
        programs.program(step.id)
    idle = {one.name: one.entries() - one.used for one in LAYERS}
    assert {name: left for name, left in idle.items() if left} == {}


def test_a_definition_that_is_gone_is_named():
    with pytest.raises(KeyError, match="the source has no g"):
        select("def f():\n    pass\n", wanted(["g"]))
    with pytest.raises(KeyError, match="C has no other"):
        select("class C:\n    x = 1\n", wanted(["C: other"]))


# What is left out of a text, a line each: what the layer says, the text, what is left.
LEFT_OUT = [
    ({"leave": ("look(",)}, "a = 1\nlook(a)\n", "a = 1\n"),
    ({"facts": {"hooks": None}}, "if hooks is not None:\n    go()\nstay()\n", "stay()\n"),
    ({"facts": {"on": False}}, "if on:\n    a()\nelse:\n    b()  # why\n", "b()  # why\n"),
    ({"facts": {"on": False}}, "x = a if on else b\n", "x = b\n"),
    ({"facts": {"on": True}}, "if a and on:\n    b()\n", "if a:\n    b()\n"),
    ({"facts": {"k": 1}}, "def f(a: int, k: int = 1) -> int:\n    return g(a, k)\n",
     "def f(a: int) -> int:\n    return g(a)\n"),
    ({"through": ("check",)}, "a = check(a, 'f')\nb = check(c, 'f')\n", "b = c\n"),
    ({"checks": True}, "def f(a):\n    if a:\n        raise E\n    return a\n",
     "def f(a):\n    return a\n"),
    ({"swap": (("é + 1", "é"),)}, "x = é + 1\n", "x = é\n"),
    ({"leave": ("look(",)}, "def f(a):\n    b = a.c\n    look(b)\n    return a\n",
     "def f(a):\n    return a\n"),
    ({"through": ("check",)}, "def f(a):\n    b = check(a)\n    return b + 1\n",
     "def f(a):\n    return a + 1\n"),
    ({}, "def f(a):\n    b = a + 1\n    return b\n", "def f(a):\n    return a + 1\n"),
    ({}, "def f(a):\n    g(a)\n    return\n", "def f(a):\n    g(a)\n"),
    ({}, "def f(a):\n    global b\n    b = a\n", "def f(a):\n    global b\n    b = a\n"),
]  # fmt: skip


@pytest.mark.parametrize(("says", "text", "left"), LEFT_OUT)
def test_a_layer(says, text, left):
    assert thin(text, [Layer("one", "", **says)]) == left


# ---- the loops that stand where norch calls C++ --------------------------------------------------

SMALL = [[1.5, -2.0, 0.25], [3.0, 0.5, -1.0]]
OTHER = [[0.5], [2.0]]


@pytest.fixture(scope="module")
def floor():
    """Return the operations of `arrays.py`."""
    spec = importlib.util.spec_from_file_location("floor", programs.HERE / "arrays.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.ops


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
def test_two_operands_as_norch(floor, name):
    for data in (OTHER, 3.0):
        ours, its = floor.from_list(SMALL), kernels.from_list(SMALL, float32)
        a, b = (
            (data, data)
            if data == 3.0
            else (floor.from_list(data), kernels.from_list(data, float32))
        )
        assert getattr(floor, name)(ours, a).tolist() == getattr(kernels, name)(its, b).tolist()


@pytest.mark.parametrize("name", ["neg", "square", "tanh", "clone"])
def test_one_operand_as_norch(floor, name):
    ours = getattr(floor, name)(floor.from_list(SMALL).view_by(turned)).tolist()
    its = getattr(kernels, name)(kernels.from_list(SMALL, float32).view_by(turned)).tolist()
    assert ours == [pytest.approx(row, rel=1e-6) for row in its]


def turned(layout):
    """Return a layout with its two dimensions exchanged."""
    return layout._replace(shape=layout.shape[::-1], strides=layout.strides[::-1])


@pytest.mark.parametrize("name", ["sum", "mean"])
@pytest.mark.parametrize(
    ("dims", "keepdim"), [(None, False), (0, False), ((1,), True), (-1, False)]
)
def test_reductions_as_norch(floor, name, dims, keepdim):
    ours = getattr(floor, name)(floor.from_list(SMALL), dims, keepdim)
    its = getattr(kernels, name)(kernels.from_list(SMALL, float32), dims, keepdim)
    assert ours.shape == its.shape
    assert ours.flat() == pytest.approx(list(memoryview(its).cast("B").cast("f")), rel=1e-6)


def test_a_product_and_edits_as_norch(floor):
    ours, its = floor.from_list(SMALL), kernels.from_list(SMALL, float32)
    assert floor.matmul(ours, ours.view_by(turned)).tolist() == (its @ its.view_by(turned)).tolist()
    for module, x in ((floor, ours), (kernels, its)):
        module.add_(x, 1.0)
        module.sub_(x.view_by(turned), module.full((1,), 0.5, *[float32][: module is kernels]))
    assert ours.tolist() == its.tolist()
    assert ours.version == its.version == 2


def test_random_numbers_lie_between_their_ends(floor):
    drawn = floor.uniform((50,), -2.0, 3.0, 1, 0).flat()
    assert all(-2 <= one < 3 for one in drawn)
    assert len(set(drawn)) > 40
    assert drawn == floor.uniform((50,), -2.0, 3.0, 1, 0).flat()
