"""The autograd stepper's own formulas: norch computes them in the page, or a note says why not."""

import json

import pytest
from figures.stepper import Stepper, Walk
from lessons.walk_record import gradients, record
from live_page import LIVE, NEEDED, PAGE, Live, nothing_outside
from prose import BOOK

CHAPTER = PAGE.parent / "04_autograd.html"
FORMULA = "x = [1, 2]; y = [[3], [4]]; (x * y).sum()"
STEPPER = "document.querySelector('autograd-stepper')"
IS_IDLE = f"!{STEPPER}.querySelector('form button').disabled"
needs_page, _ = NEEDED
needs_compiled = pytest.mark.skipif(
    PAGE.exists() and not (LIVE / "tensors.js").exists(),
    reason="the book has no compiled stages: make book, with the toolchain in reach",
)


def typed(live, formula):
    """Type a formula and press Enter; return the note, and the sentence of the walk."""
    live.page.run(
        f"""(() => {{
          {STEPPER}.querySelector("form input").value = {json.dumps(formula)};
          {STEPPER}.querySelector("form").requestSubmit();
        }})()"""
    )
    live.wait(IS_IDLE)
    return [
        live.page.run(f"{STEPPER}.querySelector('{one}').textContent") for one in (".note", ".say")
    ]


@needs_page
@needs_compiled
def test_a_formula_of_ones_own_is_what_norch_records_here(page):
    live = Live(page, path=CHAPTER)
    before = live.page.run(f"{STEPPER}.querySelector('.say').textContent")
    note, say = typed(live, "tanh(x)")
    assert note == "tanh is no method: write x.tanh() or norch.tanh(x)" and say == before
    recording = record(FORMULA)
    note, say = typed(live, FORMULA)
    assert say.startswith(recording.frames[0].says)
    assert note.startswith(f"norch has recorded it. {gradients(recording)}")
    drawn = live.page.run(f"{STEPPER}.querySelector('norch-player').says")
    assert drawn == Walk(recording).says
    menu = live.page.run(f"[...{STEPPER}.querySelectorAll('option')].at(-1).textContent")
    assert menu == f"your own formula: {FORMULA}"
    nothing_outside(page)


def small_page(page, tmp_path, first=""):
    """Show a page with nothing but a stepper, and a script that runs before it begins."""
    names = ("autograd_stepper.js", "controls.js", "player.js", "print.js")
    scripts = [first, *((BOOK / "_static" / name).read_text("utf-8") for name in names)]
    head = "".join(f"<script>{one}</script>" for one in scripts)
    walks = {"a square": record("x = 3; x * x"), "a sum": record("x = 3; x + x")}
    path = tmp_path / "page.html"
    body = Stepper(walks)._repr_html_()
    path.write_text(f"<!doctype html><meta charset=utf-8>{head}<body>{body}", encoding="utf-8")
    page.show(path)


def test_without_python_the_field_says_so(page, tmp_path):
    small_page(page, tmp_path)
    form = "document.querySelector('autograd-stepper form')"
    for state in ("querySelector('input').readOnly", "querySelector('button').hidden"):
        assert page.run(f"{form}.{state}") is True
    assert page.run(NOTE).startswith(
        "This page has no Python: the formulas of the menu were recorded"
    )
    page.run(f"{form}.requestSubmit()")
    assert page.run("document.querySelector('.say').textContent").startswith("out = x * x is")
    assert page.complaints() == []


# Pythons that do nothing: a test decides what comes of them.
STAND_IN = """
window.made = [];
window.norchLive = { needs: [], python: () => new Promise((ready) => { window.ready = ready; }) };
window.begin = () => {
  const one = { ended: 0, end() { this.ended += 1; } };
  one.ask = () => new Promise((done, fail) => Object.assign(one, { done, fail }));
  made.push(one);
  ready(one);
  return new Promise((then) => setTimeout(then));
};
"""
NOTE = f"{STEPPER}.querySelector('.note').textContent"
SUBMIT = f"{STEPPER}.querySelector('form').requestSubmit()"
STOP = f"[...{STEPPER}.querySelectorAll('button')].find((one) => one.textContent === 'stop')"
ENDED = "made.map((one) => one.ended)"


def soon(page, script):
    """Run a script, and let what waits for it go on."""
    page.run(f"(async () => {{ {script}; await new Promise((then) => setTimeout(then)); }})()")


def test_a_python_that_failed_is_ended_and_another_begins(page, tmp_path):
    small_page(page, tmp_path, STAND_IN)
    page.run(SUBMIT)
    page.run("begin()")
    soon(page, "made[0].fail(new Error('it crashed'))")
    assert page.run(NOTE) == "it crashed" and page.run(ENDED) == [1]
    page.run(SUBMIT)
    page.run("begin()")
    soon(page, "made[1].done({ value: { problem: 'no formula' } })")
    assert page.run(NOTE) == "no formula" and page.run(ENDED) == [1, 0]
    page.run(SUBMIT)
    soon(page, "made[1].done({ value: { walk: '<p>drawn</p>', told: 'Gradients: x 6.' } })")
    assert page.run(NOTE) == "Gradients: x 6." and page.run(ENDED) == [1, 0]
    page.run(f"{STEPPER}.remove()")
    assert page.run(ENDED) == [1, 1]


def test_a_reader_can_stop_a_formula(page, tmp_path):
    small_page(page, tmp_path, STAND_IN)
    assert page.run(f"{STOP}.hidden") is True
    page.run(SUBMIT)
    assert page.run(f"{STOP}.hidden") is False
    soon(page, f"{STOP}.click()")  # while Python is loading
    assert page.run(NOTE) == "stopped" and page.run(IS_IDLE)
    page.run("begin()")
    page.run(SUBMIT)
    soon(page, "0")
    assert page.run(NOTE) == "norch computes it and walks back ..." and page.run(ENDED) == [0]
    soon(page, f"{STOP}.click()")
    assert page.run(NOTE) == "stopped" and page.run(ENDED) == [1] and page.run(IS_IDLE)


def test_a_python_that_nobody_waits_for_is_ended(page, tmp_path):
    small_page(page, tmp_path, STAND_IN)
    page.run(SUBMIT)
    page.run(f"{STEPPER}.remove()")
    page.run("begin()")
    assert page.run(ENDED) == [1] and page.complaints() == []


def test_a_walk_that_is_gone_hears_no_printer(page, tmp_path):
    small_page(page, tmp_path)
    page.run("window.first = document.querySelector('norch-player')")
    page.run(f"(() => {{ {STEPPER}.menu.selectedIndex = 1; {STEPPER}.choose(); }})()")
    page.run("dispatchEvent(new Event('beforeprint'))")
    frames = page.run("[first.frame, document.querySelector('norch-player').frame]")
    assert frames[0] == 0 and frames[1] > 0
