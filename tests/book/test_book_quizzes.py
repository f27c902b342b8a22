"""Quizzes: a right answer is what the chapter's cell prints; a wrong one gets its own sentence."""

import json
import re
import shutil
import subprocess
from itertools import pairwise
from math import prod
from pathlib import Path

import norch_quizzes
import pytest

import norch
import norch_strides
from norch import nn
from norch.utils.data import DistributedSampler

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "book"
SCRIPT = BOOK / "_static" / "quiz.js"
FILES = sorted(norch_quizzes.QUIZZES.glob("*.toml"))
QUIZZES = {
    (file.stem, name): one for file in FILES for name, one in norch_quizzes.read(file).items()
}
ASKED = re.compile(r"```\{quiz\} (\S+)\n```")


TYPED = [  # what is right, what somebody types, and the verdict
    ("1, 12, 4", "(1,12,4)", "right"),
    ("1, 12, 4", "[1 12 4]", "right"),
    ("1, 12, 4", "1124", "wrong"),
    ("1, 12, 4", "1, 12", "wrong"),
    ("16777216", "16,777,216", "right"),
    ("16777216", " 16777216.0 ", "right"),
    ("16777216", "1.6777216e7", "right"),
    ("6", "6 rows", "right"),
    ("6", "6.", "right"),
    ("6", "-6", "wrong"),
    ("27", "27%", "right"),
    ("27", "27 %", "right"),
    ("5", "5e1", "wrong"),
    ("float32", "norch.float32", "right"),
    ("float32", "torch.Float32", "right"),
    ("float32", "float", "wrong"),
    ("yes", "Y", "right"),
    ("yes", "True", "right"),
    ("no", "False!", "right"),
    ("no", "yes", "wrong"),
    ("the same", "The  same.", "right"),
    ("0", "", "empty"),
    ("0", " () ", "empty"),
    ("0", "zero", "wrong"),
    ("0", "Infinity", "wrong"),
]


def printed(output):
    """Return what one output of a cell shows as text."""
    return "".join(output.get("text") or output["data"].get("text/plain", ""))


def places(chapter):
    """Return for each quiz of a chapter the text that the cell behind it prints."""
    cells = json.loads((BOOK / "chapters" / f"{chapter}.ipynb").read_text("utf-8"))["cells"]
    found = []
    for cell, behind in pairwise(cells):
        names = ASKED.findall("".join(cell["source"]))
        if names:
            assert behind["cell_type"] == "code", names
            found += [(name, "".join(map(printed, behind["outputs"]))) for name in names]
    assert len(found) == len(dict(found))
    return dict(found)


def gradient(function, value):
    """Return the gradient of a sum."""
    x = norch.tensor(value, requires_grad=True)
    function(x).sum().backward()
    return x.grad.tolist()


def computed(text):
    """Return the value of what a quiz gives as the way to an answer."""
    numbers = norch_strides.StridedArray(list(range(12)), norch_strides.contiguous((3, 4)))
    known = {"norch": norch, "nn": nn, "DistributedSampler": DistributedSampler, "prod": prod}
    return eval(text, {**vars(norch_strides), **known, "gradient": gradient, "numbers": numbers})


@pytest.fixture(scope="module")
def judge():
    """Return a function that lets the page's script judge many answers."""
    node = shutil.which("node") or pytest.skip("no Node.js is installed: it runs the page's script")
    program = (
        f"const {{ judge }} = require({json.dumps(str(SCRIPT))});"
        "const asked = JSON.parse(require('fs').readFileSync(0));"
        "console.log(JSON.stringify(asked.map(([quiz, answer]) => judge(quiz, answer))));"
    )

    def run(pairs):
        asked = json.dumps([[norch_quizzes.facts(quiz), answer] for quiz, answer in pairs])
        done = subprocess.run([node, "-e", program], input=asked, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return [(one["verdict"], one["says"]) for one in json.loads(done.stdout)]

    return run


def test_each_chapter_asks_three_times():
    asked = {(file.stem, name) for file in FILES for name in places(file.stem)}
    assert asked == set(QUIZZES)
    for chapter in range(1, 8):
        assert sum(file.startswith(f"{chapter:02}_") for file, _ in QUIZZES) >= 3, chapter


@pytest.mark.parametrize("chapter", [file.stem for file in FILES])
def test_the_right_answer_is_what_the_cell_prints(chapter):
    for name, text in places(chapter).items():
        quiz = QUIZZES[chapter, name]
        assert quiz.prints.replace("{}", quiz.right) in text, name


def test_right_answers_are_taken_in_all_their_words(judge):
    asked = [(one, answer) for one in QUIZZES.values() for answer in (one.right, *one.also)]
    assert judge(asked) == [("right", f"Right. {one.why}") for one, _ in asked]


def test_wrong_answers_are_named(judge):
    asked = [(one, wrong) for one in QUIZZES.values() for wrong in one.wrong]
    assert all(one.wrong for one in QUIZZES.values())
    assert judge([(one, wrong.answer) for one, wrong in asked]) == [
        ("wrong", wrong.says) for _, wrong in asked
    ]


def test_wrong_numbers_are_what_the_mistake_computes(judge):
    wrong = [one for quiz in QUIZZES.values() for one in quiz.wrong]
    assert all(one.by for one in wrong if re.fullmatch(r"[\d., ]+", one.answer))
    computed_ones = [(quiz_of(one.answer), str(computed(one.by))) for one in wrong if one.by]
    verdicts = [verdict for verdict, _ in judge(computed_ones)]
    off = [
        typed
        for (_, typed), verdict in zip(computed_ones, verdicts, strict=True)
        if verdict != "right"
    ]
    assert off == []


def quiz_of(right):
    """Return a quiz that has this answer."""
    return norch_quizzes.Quiz("The answer", right, "{}", "So it is.", [])


def test_answers_are_compared_by_what_they_mean(judge):
    verdicts = [verdict for verdict, _ in judge([(quiz_of(one), typed) for one, typed, _ in TYPED])]
    assert verdicts == [verdict for *_, verdict in TYPED]


def built(chapter):
    """Return the built page of a chapter."""
    page = BOOK / "_build" / "html" / "chapters" / f"{chapter}.html"
    if not page.exists():
        pytest.skip("the book is not built: make book")
    return page


def test_a_quiz_is_typed_into_by_keyboard(page):
    quiz = QUIZZES["01_strides", "permuted"]
    page.show(built("01_strides"), 390)
    box = "document.querySelector('#quiz-permuted')"
    page.run(f"{box}.querySelector('input').focus()")
    says = f"{box}.querySelector('.say').textContent"
    for typed, said in [
        (quiz.wrong[0].answer, quiz.wrong[0].says),
        (quiz.right, f"Right. {quiz.why}"),
        ("5", "That is not it. Try once more, or open the answer below."),
    ]:
        page.run(f"{box}.querySelector('input').select()")
        page.call("Input.insertText", text=typed)
        assert page.run(says) == ""  # what was said of the answer before is gone
        page.press("Enter")
        assert page.run(says) == said
    page.press("Tab")
    assert page.run("document.activeElement.textContent") == "Check"
    assert page.run("document.documentElement.scrollWidth") <= 390
    assert page.complaints() == []


@pytest.mark.parametrize("chapter", [file.stem for file in FILES])
def test_the_answer_stands_behind_a_fold(chapter):
    text = built(chapter).read_text("utf-8")
    folds = re.findall(r'<div class="quiz docutils container".*?</details>', text, re.DOTALL)
    assert len(folds) == len(places(chapter))
    for fold, name in zip(folds, places(chapter), strict=True):
        quiz = QUIZZES[chapter, name]
        assert f"<strong>{quiz.right}</strong>" in fold and "<details open" not in fold
        assert fold.count("<li>") == len(quiz.wrong)
