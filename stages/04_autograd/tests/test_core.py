"""The core fits in a head: the README lists every file that one pass enters, with and without the
C++ core, in reading order, and marks the doors out of it; a small pass takes few Python calls.

`python stages/04_autograd/tests/test_core.py` writes the list of today into the README: it keeps
the words of files that stay, and takes those of a new file from its own first sentence.
"""

import ast
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import norch_autograd as norch

PACKAGE = Path(norch.__file__).parent
STAGE = Path(__file__).parent.parent
README = STAGE / "README.md"
MOST_CALLS = 56  # half of what it was before the engine took kernels

HEAD = "| file | with the core | what |\n|---|---|---|\n"
ROW = re.compile(r"\| ([\w/]+\.py) \| (\w+) \| (.*) \|")
AGAIN = re.compile(r"^\| csrc/(\w+\.cpp) \| (.*) \|$", re.MULTILINE)
FILES = [
    "graph/tensor_base.py",
    "graph/node.py",
    "graph/record.py",
    "graph/grad_mode.py",
    "engine/engine.py",
    "engine/accumulate.py",
    "engine/backward.py",
]
# What a first reader need not open, each entered by lines marked "# door: hooks.py".
DOORS = ["graph/hooks.py", "graph/saved_tensors.py", "graph/views.py", "graph/broadcast.py"]
DOORS += ["graph/multi_output.py", "engine/hooked.py"]


def one_pass(**variables):
    """What one_pass.py says in a new Python: whether the core was used, and the files entered."""
    kept = {key: value for key, value in os.environ.items() if key != "NORCH_CORE"}
    command = [sys.executable, str(Path(__file__).parent / "one_pass.py")]
    found = subprocess.run(command, env=kept | variables, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    status, *files = found.stdout.splitlines()
    return status, files


def listed():
    """The rows of the README's list: file, whether the core enters it, and the words."""
    rows = README.read_text().partition(HEAD)[2].partition("\n\n")[0]
    return ROW.findall(rows)


def first_sentence(file):
    """The first sentence of a file's docstring."""
    name = file.removesuffix(".py").replace("/", ".")
    spec = find_spec(name if name.startswith("norch_") else f"norch_autograd.{name}")
    text = ast.get_docstring(ast.parse(Path(spec.origin).read_text()))
    return " ".join(re.split(r"(?<=\.)\s|\n\n", text)[0].split()).rstrip(".")


def table(without, within):
    """The README's list as it should be, for the files entered without and with the core."""
    words = {file: said for file, _, said in listed()}
    rows = [
        f"| {file} | {'entered' if file in within else 'no'} | "
        f"{words.get(file) or first_sentence(file)} |"
        for file in without
    ]
    return HEAD + "\n".join(rows)


WRITE = "paste this, or run python stages/04_autograd/tests/test_core.py"


def test_the_readme_lists_every_file_that_one_pass_enters():
    status, without = one_pass(NORCH_CORE="0")
    assert status.startswith("the core stands aside")
    found = [file for file, _, _ in listed()]
    assert found == without, f"{WRITE}\n{table(without, one_pass()[1])}"
    text = README.read_text().partition("## What lives where")[2]
    assert re.search(r"^\|.*\.py.*$", text, re.MULTILINE)[0].startswith(f"| {without[0]} |")


def test_the_readme_says_which_of_them_the_core_still_enters():
    status, within = one_pass()
    if status != "the core is in use":
        pytest.skip(status)
    found = [file for file, word, _ in listed() if word == "entered"]
    assert found == within, f"{WRITE}\n{table(one_pass(NORCH_CORE='0')[1], within)}"
    assert {word for _, word, _ in listed()} == {"entered", "no"}


def test_the_readme_lists_the_files_of_the_core():
    """Each with the functions and classes whose Python text it says again."""
    rows = dict(AGAIN.findall(README.read_text()))
    assert sorted(rows) == sorted(path.name for path in STAGE.glob("csrc/*.cpp"))
    for name, said in rows.items():
        texts = re.findall(r'\b\w+_text\("(\w+)"\)', (STAGE / "csrc" / name).read_text())
        assert set(re.findall(r"`(\w+)`", said)) == set(texts), name


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


def write():
    """Write the list of today into the README."""
    (_, without), (status, within) = one_pass(NORCH_CORE="0"), one_pass()
    if status != "the core is in use":
        sys.exit(f"what the core enters is not known: {status}")
    before, head, rest = README.read_text().partition(HEAD)
    assert head, f"{README} has no table that begins with\n{HEAD}"
    after = rest[rest.index("\n\n") :]
    README.write_text(before + table(without, within) + after)


if __name__ == "__main__":
    write()
