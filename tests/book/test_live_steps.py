"""The program as of a section, in its page: folded, opened live, changed and run."""

import re

import live_page
import pytest
from live_page import PAGE, Live, nothing_outside

pytestmark = live_page.NEEDED
STEP = "document.querySelector('#step-{}')"
PAGES = {"01_strides": "1-4", "02_cpu": "2-1", "04_autograd": "4-2", "05_nn": "5-2"}
HEAVIEST = 600_000  # bytes of a chapter's page, before anything live


@pytest.fixture
def live(page):
    """Return chapter 1's page."""
    return Live(page)


def output(live, id):
    """Run a program; return what its lines printed."""
    live.click(f"Run program {id}")
    live.wait(f"""!document.querySelector('[aria-label="Run program {id}"]').disabled""")
    return live.page.run(
        f"""document.querySelector('[aria-label="Output of program {id}"]').innerText"""
    )


def test_a_program_is_opened_changed_and_run(live):
    live.page.run(STEP.format("1-1") + ".open = true")
    live.click("Open program 1.1 live")
    before = output(live, "1.1")
    assert "element (1, 2, 3) lives at 23" in before
    choose = "document.querySelector('[aria-label=\"File of program 1.1\"]')"
    live.page.run(
        f"{choose}.value = 'norch_strides/layout.py';{choose}.dispatchEvent(new Event('change'))"
    )
    text = live.page.run("""document.querySelector('textarea[aria-label^="File of"]').value""")
    live.write("File of program 1.1, as text", text.replace("step *=", "step +="))
    assert "element (1, 2, 3) lives at 23" not in output(live, "1.1")
    live.click("Reset program 1.1")
    assert output(live, "1.1") == before
    nothing_outside(live.page)


def test_a_mistake_is_told_where_it_is(live):
    live.page.run(STEP.format("1-2") + ".open = true")
    live.click("Open program 1.2 live")
    live.write("Lines to run on program 1.2", "from norch_strides import broadcast_to")
    assert "cannot import name 'broadcast_to'" in output(live, "1.2")


def test_every_listing_is_the_file_itself(page):
    from steps import programs

    files = {}
    page.show(PAGE)
    for id in ("1.1", "1.2", "1.3", "1.4"):
        box = STEP.format(id.replace(".", "-"))
        files |= page.run(
            f"Object.fromEntries([...{box}.querySelectorAll('pre[data-path]')]"
            ".map((one) => [one.dataset.path, one.textContent]))"
        )
        assert files == programs.program(id)


def test_a_listing_gets_colours_and_keeps_its_marks(page):
    page.show(PAGE)
    page.run(STEP.format("1-2") + ".open = true")
    one = STEP.format("1-2") + ".querySelector('.step-file')"
    words = page.run(f"{one}.textContent")
    page.run(f"{one}.open = true")
    page.until(f"{one}.querySelectorAll('mark span').length > 3")
    assert page.run(f"{one}.querySelectorAll('mark span').length") > 3
    assert page.run(f"{one}.textContent") == words


def test_a_link_opens_its_step(page):
    page.show(PAGE)
    page.call("Page.navigate", url=f"{PAGE.as_uri()}?again#step-1-3")
    page.until(STEP.format("1-3") + "?.open")
    assert page.run(STEP.format("1-3") + ".open") and not page.run(STEP.format("1-2") + ".open")


def test_a_printed_page_has_none(page):
    page.show(PAGE)
    page.call("Emulation.setEmulatedMedia", media="print")
    assert page.run("getComputedStyle(" + STEP.format("1-1") + ").display") == "none"


@pytest.mark.parametrize(("name", "id"), PAGES.items())
def test_a_chapter_stays_light(name, id):
    text = PAGE.with_name(f"{name}.html").read_text(encoding="utf-8")
    assert len(text.encode()) < HEAVIEST
    assert re.search(rf'<details class="step" id="step-{id}">', text)


def test_the_page_of_all_steps_says_their_lines(page):
    from steps import programs

    page.show(PAGE.parents[1] / "program.html")
    rows = page.run(
        "[...document.querySelectorAll('.steps tbody tr')].map((one) =>"
        "one.querySelectorAll('td')[2].innerText.trim())"
    )
    lines = [
        sum(bool(line.strip()) for text in files.values() for line in text.splitlines())
        for files in (programs.program(step.id) for step in programs.manifest()[0])
    ]
    assert rows == [f"{total:,}" for total in lines]
