"""The core fits in a head: how many lines it has, what the README says of them, the marked doors
out of it, and how many Python calls one small backward pass takes.

`python stages/04_autograd/tests/test_core.py` writes today's numbers of lines into the README.
"""

import ast
import inspect
import re
import sys
from pathlib import Path

import norch_autograd as norch
from norch_autograd.ops.elementwise import arithmetic
from norch_autograd.ops.linalg import matmul
from norch_autograd.ops.reduction import sum as reduction

PACKAGE = Path(norch.__file__).parent
README = Path(__file__).parent.parent / "README.md"
MOST_LINES = 850
MOST_CALLS = 56  # half of what it was before the engine took kernels

ROW = r"^\| ([\w/]+\.py) \| (\d+) \|"
FILES = [
    "graph/tensor_base.py",
    "graph/node.py",
    "graph/record.py",
    "graph/grad_mode.py",
    "engine/engine.py",
    "engine/accumulate.py",
    "engine/backward.py",
]
OPERATIONS = {  # functions, each with its node
    "ops/elementwise/arithmetic.py": [
        (arithmetic.add, arithmetic.Add),
        (arithmetic.sub, arithmetic.Sub),
        (arithmetic.mul, arithmetic.Mul),
        (arithmetic.neg, arithmetic.Neg),
    ],
    "ops/linalg/matmul.py": [(matmul.matmul, matmul.Matmul)],
    "ops/reduction/sum.py": [(reduction.sum, reduction.Sum)],
}
# What a first reader need not open, each entered by lines marked "# door: hooks.py".
DOORS = ["graph/hooks.py", "graph/saved_tensors.py", "graph/watchers.py", "graph/views.py"]
DOORS += ["graph/broadcast.py", "graph/multi_output.py", "engine/hooked.py"]
DOORS += ["engine/capture.py", "engine/callbacks.py"]


def helpers(each):
    """The functions of its own file that a node or function names."""
    module = sys.modules[each.__module__]
    named = {n.id for n in ast.walk(ast.parse(inspect.getsource(each))) if isinstance(n, ast.Name)}
    found = [inspect.unwrap(getattr(module, name, None) or helpers) for name in sorted(named)]
    return [f for f in found if inspect.isfunction(f) and f.__module__ == each.__module__]


def lines_of_operations(pairs):
    """The lines of functions, their nodes, and what these call in the same file."""
    found = [inspect.unwrap(each) for pair in pairs for each in pair]
    for each in list(found):
        found += [helper for helper in helpers(each) if helper not in found]
    return sum(len(inspect.getsource(each).splitlines()) for each in found)


def core():
    """The lines of each file of the core; of the operations' files, those of the six."""
    lines = {file: len((PACKAGE / file).read_text().splitlines()) for file in FILES}
    return lines | {file: lines_of_operations(pairs) for file, pairs in OPERATIONS.items()}


def test_the_core_is_small():
    listed = "\n".join(f"| {file} | {count} |" for file, count in core().items())
    assert sum(core().values()) <= MOST_LINES, f"{sum(core().values())} lines\n{listed}"


def test_the_readme_lists_the_core_first_with_its_lines():
    """Rows of a table, `| graph/node.py | 140 | what it is |`, before any other list of files."""
    text = README.read_text().partition("## What lives where")[2]
    rows = re.findall(ROW, text, re.MULTILINE)
    assert {file: int(lines) for file, lines in rows} == core()
    first = re.search(r"^\|.*\.py.*$", text, re.MULTILINE)
    assert first and first[0].startswith(f"| {FILES[0]} |")


def uses_of_doors(file):
    """Line, name and door of each use of what a file of the core imports from a door."""
    tree = ast.parse((PACKAGE / file).read_text())
    doors = {f"norch_autograd.{door[:-3].replace('/', '.')}": door for door in DOORS}
    named = {
        alias.name: doors[node.module]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in doors
        for alias in node.names
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in named:
            yield node.lineno, node.id, named[node.id]


def unmarked(file):
    """The uses of doors in a file that no `# door:` on their line, or the one above, names."""
    lines = ["", *(PACKAGE / file).read_text().splitlines()]
    for number, name, door in uses_of_doors(file):
        mark = " ".join(lines[number - 1 : number + 1]).partition("# door:")[2]
        if door.rpartition("/")[2].removesuffix(".py") not in mark:
            yield f"{file}:{number} {name} of {door}"


def test_every_use_of_a_door_is_marked():
    assert [found for file in FILES for found in unmarked(file)] == []
    assert {door for file in FILES for _, _, door in uses_of_doors(file)} >= set(DOORS) - {
        "graph/multi_output.py"
    }


def test_every_mark_names_a_file():
    for file in FILES:
        for mark in re.findall(r"# door: ([^\n]*)", (PACKAGE / file).read_text()):
            for name in re.findall(r"\w+(?=\.py)", mark) or mark.split(", "):
                assert list(PACKAGE.glob(f"*/{name}.py")), f"{file}: no file {name}"


def test_a_small_backward_pass_takes_few_calls():
    """Counted, not timed: Python calls between `backward()` and its return."""
    calls = []

    def note(frame, event, _):
        if event == "call":
            calls.append(f"{Path(frame.f_code.co_filename).name} {frame.f_code.co_qualname}")

    for _ in range(2):  # the first pass fills caches
        a = norch.ones(3, 4, requires_grad=True)
        b = norch.ones(4, 2, requires_grad=True)
        loss = (a @ b).sum()
        calls.clear()
        found = sys.getprofile()
        sys.setprofile(note)
        try:
            loss.backward()
        finally:
            sys.setprofile(found)
    assert a.grad.tolist() == [[2, 2, 2, 2]] * 3
    assert b.grad.tolist() == [[3, 3]] * 4
    assert len(calls) <= MOST_CALLS, "\n".join([str(len(calls)), *calls])


if __name__ == "__main__":
    counted = core()
    written = re.sub(
        ROW,
        lambda row: f"| {row[1]} | {counted.get(row[1], row[2])} |",
        README.read_text(),
        flags=re.MULTILINE,
    )
    README.write_text(written)
