"""Chapter 1 runs in its page: cells, and exercises by the real judge, from a file, without network.

A Chromium opens the built page as a double click does, and a Firefox where one is installed (with
the slow tests). What the course itself says of an answer is asked of the course, and the page must
say the same.
"""

from pathlib import Path

import live_page
import pytest
from live_page import LIVE, PAGE, ROOT, Live, box, nothing_outside, output

from norch_course import grading, report, running
from norch_course.catalog import load
from norch_course.holes import find_hole
from norch_course.workbook import Answer

LOOKS = (Path(__file__).parent / "looks.js").read_text(encoding="utf-8") + "; looks()"
# What is seen at times only: marks, bars, sentences; and the colours below an editor's letters.
SHOW_ALL = """(() => {
  for (const one of document.querySelectorAll(".live-layer")) one.removeAttribute("aria-hidden");
  const hidden = ".live-mark[hidden], .live-progress[hidden], .live-bar button[hidden]";
  for (const one of document.querySelectorAll(hidden)) one.hidden = false;
  for (const one of document.querySelectorAll(".live-mark, .live-progress span, .live-status"))
    one.textContent ||= "Words of some length, as they may come, in a sentence.";
})()"""
LIGHT = 60 << 10  # bytes of script that a page loads before the first Run
ENDLESS = "    while True:\n        pass\n"

pytestmark = live_page.NEEDED


@pytest.fixture
def page(tab):
    """Return an empty tab of each browser in turn."""
    return tab


@pytest.fixture(scope="module")
def course():
    """Return the exercises."""
    return load(ROOT)


def expected(exercise, body, tmp_path):
    """Return what the course says of an answer, as the page would show it."""
    hole = find_hole(exercise.reference, exercise.suffix, exercise.id)._replace(body=body)
    verdict = grading.grade(exercise, Answer(hole, False, None), tmp_path)
    if verdict.status == "ok":
        return [f"right: {verdict.cases} cases"]
    return ["not yet", *(one.removeprefix(report.MARGIN) for one in report.what_is_wrong(verdict))]


def test_little_is_loaded_before_the_first_run(page):
    live = Live(page)
    asked = {one.partition("?")[0].rpartition("/")[2] for one in page.asked() if "/live/" in one}
    scripts = {path.name for path in (ROOT / "book" / "live" / "page").iterdir()}
    assert asked == scripts - {"worker.js", "clang_worker.js", "front.js", "train.js", "train.css"}
    assert sum((LIVE / name).stat().st_size for name in asked) < LIGHT
    assert page.run("norchLive.limit") == running.TIME_LIMIT
    note = page.run("document.querySelector('.live-note').innerHTML")
    assert "github.com/pyodide/pyodide/tree/" in note and "/MPL/2.0/" in note
    assert live.page.complaints() == []


def test_cells_run_and_show_what_the_book_shows(page):
    live = Live(page)
    live.run_cell(2)
    assert page.run(
        f"""(() => {{
          const cell = document.querySelector('{output(2)}').closest(".cell");
          const drawn = (one) => [one.tagName, one.getAttribute("x"), one.getAttribute("d"),
            getComputedStyle(one).fill, one.children.length ? "" : one.textContent];
          const [built, now] = [".cell_output svg", ".live-output svg"].map((one) =>
            [...cell.querySelectorAll(`${{one}} *`)]
              .filter((part) => getComputedStyle(part).fillOpacity !== "0").map(drawn));
          return built.length > 20 && JSON.stringify(built) === JSON.stringify(now);
        }})()"""
    )
    assert "element (1, 2) lives at position 5" in live.run_cell(3)
    live.click("Edit cell 3")
    live.write("Code of cell 3", "print('hello')\ncontiguous((3, 2))")
    printed, value = live.run_cell(3).split(maxsplit=1)
    assert (printed, value) == ("hello", "Layout(shape=(3, 2), strides=(2, 1), offset=0)")
    live.write("Code of cell 3", "1 / 0")
    assert "ZeroDivisionError" in live.run_cell(3)
    live.write("Code of cell 3", "while True:\n    pass")
    live.click("Run cell 3")
    status = "document.querySelector('[aria-label=\"Stop cell 3\"] ~ .live-status').textContent"
    live.wait(f"{status} === 'running ...'")
    live.click("Stop cell 3")
    live.is_idle()
    assert page.run(status).startswith("stopped")
    live.click("Reset cell 3")
    assert "element (1, 2) lives at position 5" in live.run_cell(3)  # those above ran again
    nothing_outside(page)


def test_answers_are_judged_as_the_course_judges_them(page, course, tmp_path):
    live = Live(page)
    page.run("norchLive.limit = 50")  # the machine may be busy; what is right takes a tenth of one
    one = course.find("1.1")
    right = find_hole(one.reference, one.suffix, one.id).body
    for body in [
        right,
        one.wrong[0].body,
        "    return strids\n",
        "    print(shape)\n    exit(3)\n",
    ]:
        assert live.check("1.1", body).splitlines()[
            : len(expected(one, body, tmp_path))
        ] == expected(one, body, tmp_path)
    verdict = live.check(
        "1.1", "    kept = []\n    while True:\n        kept.append([0] * 100000)\n"
    )
    said = verdict.replace("\n", " ")
    assert "raises MemoryError" in said and "more memory is asked for" in said
    assert "you print without end" in live.check(
        "1.1", "    while True:\n        print('x' * 100)\n"
    )
    full = "    raise OSError(28, 'No space left on device')\n"
    assert live.check("1.1", full).splitlines()[0] == "not judged"
    assert live.check("1.1", "    # nothing\n").splitlines()[0] == "nothing is written yet"
    page.run("norchLive.limit = 1")  # the course waits longer, and says so
    first, *_, last = live.check("1.1", ENDLESS).splitlines()
    assert (first, last) == ("not yet", f"you       {running.too_late(running.TIME_LIMIT)}")
    nothing_outside(page)


def test_without_a_snapshot_python_starts_the_plain_way(page):
    live = Live(page)
    page.run(
        """(() => {
          const { part } = norchLive;
          norchLive.part = (name, text) => { if (name !== "snapshot") part(name, text); };
        })()"""
    )
    assert "element (1, 2) lives at position 5" in live.run_cell(3)
    nothing_outside(page)


def test_an_answer_is_written_and_checked_by_keyboard(page):
    live = Live(page)
    field = f"document.querySelector('{box('1.3')} textarea')"
    page.run(f"{field}.focus(); {field}.select()")
    page.type("    for size in shape:")
    page.press("Enter", *"return 1")
    assert page.run(f"{field}.value") == "    for size in shape:\n        return 1"
    page.press("Tab")
    assert page.run(f"{field}.value").endswith("        return 1    ")
    page.press("Escape", "Tab")
    assert page.run("document.activeElement.getAttribute('aria-label')") == "Check exercise 1.3"
    page.press("Enter")
    live.wait(f"document.querySelector('{box('1.3')} .live-verdict').textContent")
    page.press("Tab", "Enter")
    assert page.run(f"document.querySelector('{box('1.3')} details').open")
    page.show(PAGE)
    assert page.run(f"{field}.value").startswith("    for size in shape:")
    live.click("Reset exercise 1.3")
    assert "NotImplementedError" in page.run(f"{field}.value")
    live.click("Bring my text of exercise 1.3 back")
    assert page.run(f"{field}.value").startswith("    for size in shape:")


@pytest.mark.parametrize("width", [1280, 390])
def test_what_ran_can_be_read(page, width):
    live = Live(page, width)
    live.run_cell(3)
    live.click("Edit cell 3")
    live.check("1.6", "    return strids\n")
    live.click("Reset exercise 1.6")
    page.run(SHOW_ALL)
    for theme in ("light", "dark"):
        page.prefer(theme)
        page.settle()
        found = page.run(LOOKS)
        assert found["width"] <= width
        assert [one for kind in ("faint", "small", "cut", "empty") for one in found[kind]] == []
    small = page.run(
        """[...document.querySelectorAll(".live-bar button")]
          .map((one) => one.getBoundingClientRect())
          .filter((box) => box.height && (box.height < 24 || box.width < 24)).length"""
    )
    assert small == 0
    unnamed = "[...document.querySelectorAll('.live-bar button, .live-editor')]"
    assert page.run(f"{unnamed}.every((one) => one.getAttribute('aria-label'))")
