"""The page of `make progress`: one's own lines, and those that were in the library during MNIST."""

import json
import re
import sys
from html import unescape
from pathlib import Path

import pytest

from norch_course import finish, lines, mine
from norch_course.catalog import Exercise
from norch_course.commands import main, passing

RIGHT = "    return max(numbers) - min(numbers)  # <mine>\n"


@pytest.fixture
def shown(toy):
    """Return a function that writes the page, and gives its text."""

    def show() -> str:
        assert main(toy.root, ["progress"]) == 0
        return (toy.root / finish.PAGE).read_text("utf-8")

    return show


def test_the_page_shows_right_answers_alone(toy, shown) -> None:
    assert "0 of 2 exercises are mine" in shown()
    assert "begin with a" not in shown() and "make mnist MINE=1" in shown()
    toy.answer("1.1", "    return 0\n")
    toy.answer("1.2", RIGHT)
    text = shown()
    assert "1 of 2 exercises are mine; 0 of them were in the library" in text
    assert "# &lt;mine&gt;" in text and "1.1 Total" not in text
    assert not re.search(r"https?://|src=\"(?!data:)", text)  # one file, nothing to fetch


@pytest.mark.parametrize(("program", "code", "count"), [("mnist.py", 0, 1), ("mnist.py", 3, 0)])
def test_lines_that_were_in_mnist_are_named(toy, shown, monkeypatch, program, code, count) -> None:
    toy.answer("1.2", RIGHT)
    (toy.root / program).write_text(f"import sys\nsys.exit({code})\n", "utf-8")
    monkeypatch.setattr(mine, "build", lambda course, answers: toy.root / "nothing")
    (toy.root / "nothing").mkdir()
    (toy.root / "nothing" / "lessons.json").write_text("{}", "utf-8")
    assert mine.run(toy.course, passing(toy.course), [program]) == code
    assert f"{count} of them were in the library" in shown()
    toy.answer("1.2", RIGHT.replace("mine", "edited"))  # these lines were not
    assert "0 of them were in the library" in shown()


@pytest.mark.parametrize("torn", ["", '{"1.2": "3f', "[]", "\0\0", '{"1.2": "3f"}'])
def test_a_torn_note_is_none(toy, shown, torn) -> None:
    toy.answer("1.2", RIGHT)
    finish.ran_in_mnist(toy.course, passing(toy.course), ["mnist.py"], {})
    [note] = (toy.root / "build").rglob("mnist.json")
    note.write_text(torn, "utf-8")
    assert "0 of them were in the library" in shown()
    finish.ran_in_mnist(toy.course, passing(toy.course), ["mnist.py"], {})
    assert "1 of them were in the library" in shown()


def test_a_note_is_whole_or_not_there(toy, shown, monkeypatch) -> None:
    toy.answer("1.2", RIGHT)
    finish.ran_in_mnist(toy.course, passing(toy.course), ["mnist.py"], {})
    write_text = Path.write_text

    def stopped(path, text, *words, **more):
        write_text(path, text[:9], *words, **more)
        raise KeyboardInterrupt

    with monkeypatch.context() as torn, pytest.raises(KeyboardInterrupt):
        torn.setattr(Path, "write_text", stopped)
        finish.ran_in_mnist(toy.course, {}, ["mnist.py"], {})
    assert "1 of them were in the library" in shown()


def test_other_programs_are_not_mnist(toy, shown) -> None:
    toy.answer("1.2", RIGHT)
    finish.ran_in_mnist(toy.course, passing(toy.course), ["other.py", sys.executable], {})
    assert "0 of them were in the library" in shown()
    (toy.root / "runs" / "mnist").mkdir()
    (toy.root / "runs" / "mnist" / "loss.svg").write_text("<svg/>", "utf-8")
    assert "<img" not in shown()
    words = ["--nproc_per_node", "2", "mnist_ddp.py"]
    finish.ran_in_mnist(toy.course, passing(toy.course), words, {})
    assert shown().count("<img") == 1


PROGRAM = """
from norch_toy import sums
print(sums.spread([1, 5]))
"""
WITH_BRANCHES = """    if len(numbers) > 9:
        raise ValueError(
            "too many"
        )
    # the largest
    largest, *_ = sorted(
        numbers, reverse=True
    )
    for one in numbers:
        smallest = min(numbers)
    else:
        pass
    return largest - smallest
"""


def test_the_lines_that_ran_are_marked(toy, shown, capfd) -> None:
    toy.answer("1.2", WITH_BRANCHES)
    (toy.root / "mnist.py").write_text(PROGRAM, "utf-8")
    assert main(toy.root, ["mine", str(toy.root / "mnist.py")]) == 0
    assert capfd.readouterr().out.endswith("\n4\n")
    text = shown()
    assert "1.2 Spread: 8 of 11 lines ran in your MNIST" in text and "and 8 lines of their" in text
    [shown_lines] = re.findall("<pre>(.*?)</pre>", text, re.DOTALL)
    begins = [line[:2] for line in unescape(shown_lines).split("\n")]
    assert begins == ["> ", *["  "] * 4, *["> "] * 5, "  ", "> ", "> "]


def test_the_lines_of_all_processes_count(tmp_path) -> None:
    for name, text in (
        ("1", '[[["6.1", 1]], [["6.1", 1], ["6.1", 2]]]'),
        ("2", '[[["6.1", 2]], []]'),
    ):
        (tmp_path / f"{name}.json").write_text(text, "utf-8")
    assert lines.read(tmp_path) == {"6.1": [[1, 2], [1, 2]]}


CUDA = [
    ("--device=cuda", True),
    ("--device cuda", True),
    ("--device=cuda:0", True),
    ("--device=cuda-sim", True),
    ("--device=cpu", False),
    ("--out=cuda", False),
    ("--out cuda", False),
    ("", False),
]


@pytest.mark.parametrize(("words", "ran"), CUDA)
def test_lines_of_cuda_count_where_mnist_ran_on_a_gpu(toy, monkeypatch, words, ran) -> None:
    toy.answer("1.2", RIGHT)
    answers = passing(toy.course)
    monkeypatch.setattr(Exercise, "suffix", ".cu")
    finish.ran_in_mnist(toy.course, answers, ["mnist.py", *words.split()], {})
    [note] = (toy.root / "build").rglob("mnist.json")
    assert ("1.2" in json.loads(note.read_text("utf-8"))) == ran


def test_what_mnist_never_imported_has_no_count_of_lines(toy, shown) -> None:
    toy.answer("1.2", RIGHT)
    finish.ran_in_mnist(toy.course, passing(toy.course), ["mnist.py"], {})
    text = shown()
    assert "1.2 Spread: right; MNIST does not import it" in text and "0 of 0" not in text
    finish.ran_in_mnist(toy.course, passing(toy.course), ["mnist.py"], {"1.2": [[], [1]]})
    assert "1.2 Spread: 0 of 1 lines ran in your MNIST" in shown()
