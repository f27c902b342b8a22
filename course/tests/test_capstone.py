"""The capstone: each rung holds for two answers of different design, and fails, with a sentence of
its own, for an answer in which just that was broken. Cheats, and the first words to an empty file,
are told by the command itself.

The answers train on the small digits that norch carries, so that no test waits for MNIST;
`test_mnist_is_learned` is for where it is.
"""

from pathlib import Path

import pytest

from norch_course import projects
from norch_course.capstone import digits
from norch_course.catalog import load
from norch_course.commands import main

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "course" / "capstone"
CLOSURES = (FOLDER / "wrong" / "answer.py").read_text(encoding="utf-8")
TAPE = (FOLDER / "wrong" / "answer_tape.py").read_text(encoding="utf-8")
RUNGS = [
    "yours",
    "1 gradients",
    "2 shared nodes",
    "3 order",
    "4 broadcasting",
    "5 memory",
    "6 layer and loss",
    "7 optimizer",
    "8 digits",
]


@pytest.fixture(scope="module")
def capstone():
    """Return the project as the command finds it."""
    return next(one for one in projects.projects(load(ROOT)) if one.number == "7")


@pytest.fixture
def no_mnist(monkeypatch, tmp_path) -> None:
    for name in ("NORCH_DATA", "NORCH_CACHE"):
        monkeypatch.setenv(name, str(tmp_path / "empty"))


@pytest.fixture
def look(capstone, no_mnist, tmp_path):
    """Return what came of a text."""

    def findings(text: str) -> list[projects.Finding]:
        file = tmp_path / "mytorch.py"
        file.write_text(text, encoding="utf-8")
        return projects.findings(capstone, file)

    return findings


def broken(text: str, *edits: tuple[str, str]) -> str:
    """Return an answer with a few words changed."""
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize("text", [CLOSURES, TAPE], ids=["closures", "tape"])
def test_answers_of_two_designs_climb_all_rungs(look, text: str) -> None:
    found = look(text)
    assert [one.what for one in found if not one.advice] == RUNGS, found
    assert 200 <= text.count("\n") <= 300
    assert "small digits (MNIST is not here)" in found[-1].measured


@pytest.mark.long
@pytest.mark.parametrize("name", ["answer", "answer_tape"])
def test_mnist_is_learned(capstone, name: str) -> None:
    if not digits.find().is_mnist:
        pytest.skip("MNIST is not here: set NORCH_DATA, or run make mnist")
    last = projects.findings(capstone, capstone.kept[name])[-1]
    assert last.what == RUNGS[-1] and not last.advice, last
    assert last.measured.endswith("% of MNIST's 10,000")


RECURSIVE = """def in_order(end):
    found, seen = [], set()

    def visit(node):
        if id(node) not in seen:
            seen.add(id(node))
            for source in node.inputs:
                if source.requires_grad:
                    visit(source)
            found.append(node)

    visit(end)
    return found
"""
BREADTH_FIRST = """def in_order(end):
    found, seen = [end], {id(end)}
    for node in found:
        for source in node.inputs:
            if source.requires_grad and id(source) not in seen:
                seen.add(id(source))
                found.append(source)
    return found[::-1]
"""
EACH_PATH = """
    def backward(self, grad=None):
        grad = ops.ones(self.array.shape, float32) if grad is None else grad
        if self.pull is None:
            self.grad = grad if self.grad is None else ops.add(self.grad, grad)
            return
        for source, part in zip(self.inputs, self.pull(grad), strict=True):
            if source.requires_grad:
                source.backward(summed_to(part, source.array.shape))
"""
CIRCLE = """
        found = computed(ops.exp(self.array), (self,), lambda grad: (ops.mul(grad, found.array),))
        return found
"""
EXP = CLOSURES[CLOSURES.index("        power = ops") : CLOSURES.index("\n    def relu")]
IN_ORDER = CLOSURES[CLOSURES.index("def in_order") : CLOSURES.index("\n\ndef summed_to")]
SPEEDS = "[ops.zeros(p.array.shape, float32) for p in self.parameters]"
BACKWARD = CLOSURES[CLOSURES.index("    def backward") : CLOSURES.index("\n\ndef tensor")]

BROKEN = [
    # rung, the answer, what is broken in it, what has to be said
    (1, CLOSURES, [("(grad, ops.neg(grad))", "(grad, grad)")], "gradient of b in ((a - b) * c)"),
    (1, TAPE, [('"mul", self, -1.0', '"mul", self, 1.0')], "(-a * b).sum() is "),
    (1, TAPE, [('apply("sub", other, self)', 'apply("sub", self, other)')], "(2 - a).sum() is "),
    (1, TAPE, [("where(ops.gt(x, y), g)", "g")], "gradient of a in (a.relu() * b).sum()"),
    (
        2,
        TAPE,
        [("ops.add(grads[before], part)", "part")],
        "gradient of a in (a * a).sum(), at [0, 0],",
    ),
    (2, CLOSURES, [("grad if node.grad is None else ops.add(node.grad, grad)", "grad")], "a.grad"),
    (2, TAPE, [("Row() if requires_grad else None", "Row()")], "requires_grad=False has a"),
    (3, CLOSURES, [(IN_ORDER, RECURSIVE)], "20000 operations in a row: RecursionError"),
    (3, CLOSURES, [(IN_ORDER, BREADTH_FIRST)], "a path and a longer one, at [0, 0], is"),
    (3, CLOSURES, [(BACKWARD, EACH_PATH)], "a ladder of 16 diamonds: over "),
    (3, TAPE, [("(-before.number, before)", "(before.number, before)")], "raises TypeError"),
    (
        4,
        CLOSURES,
        [("if size != grad.shape[dim]]", "if False]")],
        "for (2, 3) and (2, 1) has shape",
    ),
    (4, TAPE, [("if size == 1 and", "if len(shape) > 1 and size == 1 and")], "for (1,) and (3,)"),
    (5, CLOSURES, [("node.inputs, node.pull = (), None", "pass")], "a loss of 72 operations holds"),
    (5, TAPE, [("        row.clear()\n", "")], "a loss of 72 operations holds"),
    (5, TAPE, [("if not any(rows)", "if not rows")], "a result of constants of 72 operations"),
    (
        5,
        CLOSURES,
        [
            (
                "result.inputs, result.pull = inputs",
                "KEPT.append(result)\n        result.inputs, result.pull = inputs",
            ),
            ("SIDE = 784", "KEPT = []\nSIDE = 784"),
        ],
        "a step leaves ",
    ),
    (5, CLOSURES, [(EXP, CIRCLE)], "a result dropped before backward leaves "),
    (6, CLOSURES, [("x @ self.weight + self.bias", "x @ self.weight")], "got no gradient"),
    (6, CLOSURES, [("spread = (2 / inputs) ** 0.5", "spread = 0.0")], "first weights are equal"),
    (6, CLOSURES, [("spread = (2 / inputs) ** 0.5", "spread = 1.0")], "first weights: mean square"),
    (6, CLOSURES, [("Linear.made, 0)", "1, 0)")], "two layers begin with the same weights"),
    (
        6,
        CLOSURES,
        [("(ops.mul(logs, chosen))), count)", "(ops.mul(logs, chosen))), 1)")],
        "cross_entropy",
    ),
    (
        6,
        CLOSURES,
        [("chosen), ops.div(grad, count))", "chosen), 1 / count)")],
        "the gradient of 3 * ",
    ),
    (6, TAPE, [("shifted = scores - most", "shifted = scores")], "cross_entropy([[0"),
    (7, CLOSURES, [("ops.sub_(p.array", "ops.add_(p.array")], "loss "),
    (
        7,
        CLOSURES,
        [("            p.grad = None\n", "            pass\n")],
        "a pass after zero_grad()",
    ),
    (
        7,
        CLOSURES,
        [
            (SPEEDS, "[zeros] * len(self.parameters)"),
            ("    self.speeds", "    zeros = ops.zeros((3,), float32)\n        self.speeds"),
        ],
        "a parameter of two after 5 steps",
    ),
    (
        7,
        CLOSURES,
        [("ops.mul_(speed, self.momentum)", "ops.mul_(p.grad, 2)")],
        "the gradient after a step",
    ),
    (
        7,
        TAPE,
        [
            (
                "            p.array = ops.sub",
                "            p = Tensor(p.array)\n            p.array = ops.sub",
            )
        ],
        "a step moved nothing",
    ),
    (8, CLOSURES, [("            optimizer.step()\n", "")], "small digits (MNIST is not here)"),
    (8, TAPE, [("for n in range(batch)]", "for n in range(1)] * batch")], "small digits"),
    (8, CLOSURES, [("    return predict\n", "    return None\n")], "train returned NoneType"),
    (
        8,
        CLOSURES,
        [("ops.argmax(scores.array, 1)", "ops.argmax(scores.array, 0)")],
        "10 digits for ",
    ),
]


@pytest.mark.parametrize(("rung", "text", "edits", "told"), BROKEN)
def test_each_rung_finds_what_is_broken(look, rung: int, text: str, edits, told: str) -> None:
    found = look(broken(text, *edits))
    assert [one.what for one in found] == RUNGS[: rung + 1], found
    assert not any(one.advice for one in found[:-1])
    assert found[-1].advice and told in found[-1].measured, found[-1]
    assert (ROOT / "book" / f"{found[-1].page}.md").is_file()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x = 1\n" * 301, "301 lines: not yet"),
        (f"x = {'1' * 100}\n", "line 1 is long: not yet"),
        ("def f():\n    from numpy import array\n", "line 2 imports numpy: not yet"),
        ("import norch_cpu_ops.ops, norch_nn\n", "line 1 imports norch_nn: not yet"),
        ("from . import answer\n", "line 1 imports .: not yet"),
        ("exec('import ' + 'norch_nn')\n", "it asks for norch_nn: not yet"),
        ("def f(:\n", "line 1: invalid syntax"),
    ],
)
def test_what_is_not_the_learners_is_refused(look, text: str, told: str) -> None:
    found = look(text)
    assert found[-1].advice and told in f"{found[-1].measured}: not yet"


def test_standard_library_and_arrays_are_the_learners(look) -> None:
    """Also late, and asked for by a module of theirs."""
    text = (
        "import json, random, norch_cpu_ops, norch_strides\nfrom importlib import import_module\n"
    )
    found = look(f"{text}import_module('statistics')\nprint('fine')\n")
    assert found[-1].measured == "there is no `tensor`"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            broken(CLOSURES, ("def __radd__", "def radd")),
            "(2 + a).sum() raises TypeError: unsupported operand",
        ),
        (
            broken(TAPE, ("        rewind(self.row", "        rewind(self.rov")),
            "going back from a.sum() raises AttributeError: 'Tensor' object has no attribute 'rov'",
        ),
        (
            broken(TAPE, ('return apply("exp", self)', "return self.exp")),
            "(a.exp() * b).sum() raises TypeError",
        ),
    ],
)
def test_an_error_says_what_was_asked(look, text: str, told: str) -> None:
    assert told in look(text)[-1].measured


def test_the_empty_file_is_told_where_to_begin(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(projects, "projects", lambda course: [moved(tmp_path)])
    assert main(ROOT, ["project", "7"]) == 1
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == "project 7 A framework from an empty file"
    assert lines[1:5] == [
        "yours 1 of 300 lines: ok",
        "1 gradients there is no `tensor`: not yet",
        "write it: `tensor(data, requires_grad=False)`; the task says what it takes.",
        "read book/capstone/1_gradients.md",
    ]
    assert lines[5].endswith("mytorch.py") and lines[6].endswith("course/capstone/README.md")
    assert (tmp_path / "mytorch.py").read_text() == (FOLDER / "mytorch.py").read_text()


def moved(folder: Path) -> projects.Project:
    """Return the capstone with another place for the learner's file."""
    found = {"mytorch": FOLDER / "mytorch.py"}
    stage = projects.Stage(ROOT / "stages" / "02_cpu_ops")
    return projects.Project("7", FOLDER, folder, stage, found)


def test_a_rung_is_told_as_soon_as_it_holds(capstone, tmp_path) -> None:
    """The second waits until somebody has heard of the first."""
    heard = tmp_path / "heard"
    (tmp_path / "checks.py").write_text(
        "import time\nfrom pathlib import Path\nfrom norch_course.projects import claim\n"
        "first = claim('1', 'page')(lambda file: 'holds')\n"
        "@claim('2', 'page')\ndef second(file):\n"
        f"    while not Path({str(heard)!r}).exists():\n        time.sleep(0.01)\n"
        "    return 'holds'\n"
    )
    told = []

    def tell(finding: projects.Finding) -> None:
        told.append(finding.what)
        heard.touch()

    found = projects.findings(capstone._replace(folder=tmp_path), FOLDER / "mytorch.py", tell)
    assert [one.what for one in found] == told == ["1", "2"]


def test_the_small_digits_are_those_of_norch(no_mnist, monkeypatch) -> None:
    from norchvision import datasets

    found = digits.find()
    monkeypatch.delenv("NORCH_DATA")
    for train, images, labels in (
        (True, found.train_images, found.train_labels),
        (False, found.test_images, found.test_labels),
    ):
        theirs = datasets.MNIST(train=train, download=False)
        assert bytes(theirs.data.flatten().tolist()) == images
        assert bytes(theirs.targets.tolist()) == labels


def test_mnist_is_found_where_the_library_finds_it(tmp_path, monkeypatch) -> None:
    """An idx file behind its header, whether it is compressed or not."""
    folder = tmp_path / "MNIST" / "raw"
    folder.mkdir(parents=True)
    for part, count in (("train", 3), ("t10k", 2)):
        sizes = [count, 28, 28]
        header = bytes([0, 0, 8, 3]) + b"".join(size.to_bytes(4, "big") for size in sizes)
        pixels = bytes(range(count)) * 784
        (folder / f"{part}-images-idx3-ubyte").write_bytes(header + pixels)
        labels = bytes([0, 0, 8, 1]) + count.to_bytes(4, "big") + bytes(range(count))
        (folder / f"{part}-labels-idx1-ubyte").write_bytes(labels)
    monkeypatch.setenv("NORCH_DATA", str(tmp_path))
    found = digits.find()
    assert found.is_mnist and found.test_labels == bytes([0, 1])
    assert found.train_images == bytes(range(3)) * 784
    (folder / "t10k-labels-idx1-ubyte").unlink()
    monkeypatch.setenv("NORCH_CACHE", str(tmp_path / "empty"))
    assert not digits.find().is_mnist


def test_cheats_of_the_capstone_are_told(capstone) -> None:
    cheats = [path for name, path in capstone.kept.items() if name.startswith("cheat_")]
    assert len(cheats) >= 3
    for path in cheats:
        found = projects.findings(capstone, path)
        told = path.read_text(encoding="utf-8").partition("\n")[0].partition("told: ")[2]
        assert told and told in found[-1].measured and found[-1].advice, (path.name, found[-1])
