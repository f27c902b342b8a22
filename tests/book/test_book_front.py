"""The front page: its network computes what norch computes, and reads what one draws."""

import re

import pytest
from figures import front
from lessons import network
from prose import BOOK

INTRO = BOOK / "_build" / "html" / "intro.html"
NETWORK = network.read()
RESULTS = (BOOK.parent / "benchmarks" / "results.md").read_text("utf-8")
DRAWN = {  # strokes, each from 0 to 1
    1: [[[0.5, 0.2], [0.5, 0.8]]],
    7: [[[0.3, 0.25], [0.7, 0.25], [0.45, 0.8]]],
    0: [[[0.5, 0.2], [0.35, 0.35], [0.33, 0.6], [0.5, 0.8], [0.66, 0.6], [0.65, 0.35], [0.5, 0.2]]],
}

needs_book = pytest.mark.skipif(not INTRO.exists(), reason="the book is not built: make book")


@pytest.fixture
def reader(page):
    """Return the front page, scrolled to the drawing area."""
    page.show(INTRO)
    page.run("document.querySelector('.pad').scrollIntoView({behavior: 'instant'})")
    return page


def says(page):
    """Return the reader's sentence."""
    return page.run("document.querySelector('.digit-reader .say').textContent")


def draw(page, strokes):
    """Draw with the mouse."""
    box = page.run("document.querySelector('.pad').getBoundingClientRect().toJSON()")
    for stroke in strokes:
        places = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in stroke]
        (x, y), *others = places
        mouse = {"button": "left", "buttons": 1, "clickCount": 1}
        page.call("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, **mouse)
        for x, y in others:
            page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, **mouse)
        page.call("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, **mouse)


def table(page):
    """Return the ten scores that the page shows."""
    shown = "[...document.querySelectorAll('.result tr td:nth-child(2)')].map((x) => x.textContent)"
    return [float(one) for one in page.run(shown)]


@needs_book
def test_the_page_computes_what_norch_computed(reader):
    digits = NETWORK["digits"]
    for digit in digits[:4]:
        assert table(reader) == pytest.approx(digit["scores"], abs=0.02)
        guess = digit["scores"].index(max(digit["scores"]))
        assert says(reader).startswith(f"The network reads {guess} (")
        assert f"is a {digit['label']}." in says(reader)
        reader.run("document.querySelectorAll('.digit-reader .buttons button')[1].click()")
    assert reader.complaints() == []


@needs_book
@pytest.mark.parametrize("digit", DRAWN)
def test_what_one_draws_is_read(reader, digit):
    draw(reader, DRAWN[digit])
    assert says(reader).startswith(f"The network reads {digit} (")


@needs_book
def test_the_keyboard_draws_too(reader):
    reader.run("document.querySelector('.pad').focus()")
    reader.press("Delete")
    assert says(reader).startswith("Draw a digit here")
    reader.press("Space", *["ArrowDown"] * 12, "Space", "ArrowRight")
    lines = "[...document.querySelectorAll('.ink polyline')].map((x) => x.points.length)"
    assert reader.run(lines) == [13]
    assert says(reader).startswith("The network reads")
    assert reader.run("document.querySelector('.pad').matches(':focus-visible')")


@needs_book
def test_a_hidden_number_shows_its_sum(reader):
    layers = NETWORK["layers"]
    assert reader.run("document.querySelectorAll('.cells button').length") == len(layers[0][1])
    reader.run("document.querySelectorAll('.cells button')[4].click()")
    words = reader.run("document.querySelector('.digit-reader .sum').textContent")
    found = re.search(r"number 5: .* to (\S+); plus the bias (\S+) makes (\S+),", words)
    products, bias, total = map(float, found.groups())
    assert bias == pytest.approx(layers[0][1][4], abs=0.006)
    assert products + bias == pytest.approx(total, abs=0.02)
    weights = layers[0][0][4]
    assert f"Of its 784 weights {sum(one < 0 for one in weights)} are below 0" in words
    for meaning, most in (("counts most for it", max(weights)), ("most against it", min(weights))):
        row, column = divmod(weights.index(most), 28)
        assert f"{meaning} in row {row + 1}, column {column + 1} ({most:.2f})" in words


@needs_book
def test_all_pixels_stand_there_as_numbers(reader):
    shown = reader.run("document.querySelector('.digit-reader pre').textContent").split()
    assert list(map(int, shown)) == NETWORK["digits"][0]["pixels"]


@needs_book
def test_a_finger_meets_the_reader_on_a_phone(page):
    page.show(INTRO, 390)
    boxes = page.run(
        """[...document.querySelectorAll(".digit-reader :is(button, summary)")]
          .map((one) => one.getBoundingClientRect()).map((box) => [box.width, box.height])"""
    )
    assert len(boxes) > 30 and min(min(box) for box in boxes) >= 24


@needs_book
@pytest.mark.parametrize("width", [1280, 390])
def test_the_first_thing_is_where_to_begin(page, width):
    page.show(INTRO, width, height=844)
    first = page.run(
        """[...document.querySelectorAll("article.bd-article a[href]:not(.headerlink)")]
          .slice(0, 2).map((one) => [one.textContent, one.getAttribute("href"),
            one.getBoundingClientRect().bottom, one.getBoundingClientRect().height])"""
    )
    assert [words for words, *_ in first] == ["Start chapter 1", "Draw a digit"]
    assert (INTRO.parent / first[0][1]).is_file()
    assert page.run(f"document.querySelector('{first[1][1]} .pad') !== null")
    assert max(bottom for *_, bottom, _ in first) < 844 and min(one[3] for one in first) >= 44


@needs_book
def test_the_page_is_short_and_has_one_picture(page):
    page.show(INTRO)
    assert page.run("document.querySelectorAll('.bd-article .norch-figure').length") == 1
    headings = page.run(
        "[...document.querySelectorAll('.bd-article h2')].map((x) => x.id || x.parentElement.id)"
    )
    assert headings[:2] == ["what-you-will-have-built", "draw-a-digit"]
    page.run("document.querySelector('.digit-reader').remove()")
    words = page.run("document.querySelector('.bd-article').innerText.split(/\\s+/).length")
    assert words < 800


def test_the_benchmarks_picture_counts_the_recorded_rows():
    ratios = front.ratios(front.rows(RESULTS, "1 thread"))
    faster = sum(one < 1 for one in ratios)
    assert len(ratios) > 90 and f"in {faster};" in repr(front.benchmark(ratios))
    assert front.benchmark(ratios).svg().count("<circle") == len(ratios)


def test_only_rows_with_both_times_are_counted():
    times = [("2.0 us", "4.00 us", "0.50"), ("1 MiB", "2 MiB", "0.50"), ("0.0 MiB", "-", "-")]
    found = [dict(zip(("norch", "torch", "ratio"), one, strict=True)) for one in times]
    assert front.ratios(found) == [0.5]


def test_a_misread_digit_says_what_it_is():
    scores = [0.0] * 10
    digit = {"pixels": [0] * 784, "label": 3, "scores": [*scores[:-1], 1.0]}
    assert "9, not 3" in front.digits([digit]).svg()
    assert "1 of them wrong" in repr(front.digits([digit]))
