"""The pages of the capstone: their numbers are the check's own, their headings exist."""

import re

import pytest
from prose import BOOK, CHAPTERS, markdown

from norch_course import projects
from norch_course.capstone import (
    broadcasting,
    confine,
    digits,
    gradients,
    graphs,
    memory,
    optimizers,
    order,
    sharing,
    training,
)

RUNGS = sorted((BOOK / "capstone").glob("*.md"))
POINTED = re.compile(r"\{doc\}`\.\./chapters/(\w+)`((?:(?!\{doc\}).)*)", re.DOTALL)


def pointed(text):
    """List the headings that a page points at: pairs of a chapter and what stands in quotes."""
    there = text.partition("**Where to read.**")[2]
    return [(chapter, title) for chapter, rest in POINTED.findall(there) for title in quoted(rest)]


def quoted(text):
    """List what stands in quotes, on one line."""
    return [" ".join(one.split()) for one in re.findall(r'"([^"]+)"', text)]


@pytest.mark.parametrize("rung", RUNGS, ids=lambda path: path.stem)
def test_a_rung_points_at_headings_that_exist(rung):
    pages = {path.stem: markdown(path) for path in CHAPTERS}
    titles = {one: re.findall(r"^#+ (.+)$", text, re.MULTILINE) for one, text in pages.items()}
    found = pointed(rung.read_text(encoding="utf-8"))
    missing = [(one, title) for one, title in found if title not in titles[one]]
    assert missing == []


def test_most_rungs_point_somewhere():
    assert sum(bool(pointed(one.read_text(encoding="utf-8"))) for one in RUNGS) >= 6


@pytest.mark.parametrize(
    ("page", "words", "holds"),
    [
        ("capstone", "at most 300 lines", confine.LINES == 300),
        ("capstone", "lines of more than 100 characters", confine.COLUMNS == 100),
        ("capstone", "17 expressions, 30 random trees", gradients.TREES == 30),
        ("capstone", "17 expressions, 30 random trees", len(gradients.EXPRESSIONS) == 17),
        ("capstone", "5 expressions, two passes", len(sharing.EXPRESSIONS) == 5),
        ("capstone/1_gradients", "by a hundred-thousandth", graphs.STEP == 1e-5),
        ("capstone/1_gradients", "thirty random trees", gradients.TREES == 30),
        ("capstone/2_shared_nodes", "Thirty random graphs", sharing.GRAPHS == 30),
        ("capstone/3_order", "thirty random graphs", order.GRAPHS == 30),
        ("capstone/3_order", "sixteen steps have 65,536 paths", 2 ** order.LADDERS[-1] == 65536),
        ("capstone/3_order", "At last 20,000 operations in a row", order.DEEP == 20_000),
        ("capstone/4_broadcasting", "Ten pairs of shapes", len(broadcasting.PAIRS) == 10),
        ("capstone/4_broadcasting", "on `+`, `-`, `*` and `/`", len(broadcasting.OPERATORS) == 4),
        ("capstone/4_broadcasting", "Twenty random graphs", broadcasting.GRAPHS == 20),
        ("capstone/5_memory", "a graph of 20,000 operations", memory.DEEP == 20_000),
        ("capstone/5_memory", "one of seventy-two operations", memory.LONG == 72),
        ("capstone/5_memory", "as much as one of nine", memory.SHORT == 9),
        ("capstone/7_optimizer", "fall to a hundredth within", optimizers.GOAL == 0.01),
        ("capstone/7_optimizer", "within 3,000 steps", optimizers.PATIENCE == 3000),
        ("capstone/8_digits", "At least 95 %", training.GOAL == 0.95),
        ("capstone/8_digits", "asks for 85 %", training.SMALL_GOAL == 0.85),
        ("capstone/8_digits", "have 180 seconds", projects.CAPSTONE_SECONDS == 180),
        ("capstone", "three minutes of a processor's time", projects.CAPSTONE_SECONDS == 180),
        ("capstone/8_digits", "a thousand at a time", training.PART == 1000),
        ("capstone/8_digits", "297 are for testing", 1797 - digits.EMBEDDED_TRAIN == 297),
    ],
)
def test_what_a_page_says_of_the_check_is_so(page, words, holds):
    text = (BOOK / f"{page}.md").read_text(encoding="utf-8")
    assert words in " ".join(text.split())
    assert holds


def test_a_heading_that_is_not_there_would_be_found():
    text = '**Where to read.** {doc}`../chapters/04_autograd`, "No such\nheading", and more.'
    assert pointed(text) == [("04_autograd", "No such heading")]
