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


def test_without_python_the_field_says_so(page, tmp_path):
    names = ("autograd_stepper.js", "controls.js", "player.js", "print.js")
    scripts = [(BOOK / "_static" / name).read_text("utf-8") for name in names]
    head = "".join(f"<script>{one}</script>" for one in scripts)
    body = Stepper({"a square": record("x = 3; x * x")})._repr_html_()
    path = tmp_path / "page.html"
    path.write_text(f"<!doctype html><meta charset=utf-8>{head}<body>{body}", encoding="utf-8")
    page.show(path)
    form = "document.querySelector('autograd-stepper form')"
    for state in ("querySelector('input').readOnly", "querySelector('button').hidden"):
        assert page.run(f"{form}.{state}") is True
    note = page.run("document.querySelector('.note').textContent")
    assert note.startswith("This page has no Python: the formulas of the menu were recorded")
    page.run(f"{form}.requestSubmit()")
    assert page.run("document.querySelector('.say').textContent").startswith("out = x * x is")
    assert page.complaints() == []
