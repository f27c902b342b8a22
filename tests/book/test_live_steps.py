"""The program as of a section, in its page: folded, opened live, changed and run."""

import live_page
import pytest
from live_page import PAGE, Live, nothing_outside

pytestmark = live_page.NEEDED
STEP = "document.querySelector('#step-{}')"


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
    live.click("Open it live: program 1.1")
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


def test_one_program_runs_at_a_time(live):
    for id in ("1.1", "1.2"):
        live.page.run(STEP.format(id.replace(".", "-")) + ".open = true")
        live.click(f"Open it live: program {id}")
        live.wait(f"""document.querySelector('[aria-label="Run program {id}"]')""")
    first, second = (f"""document.querySelector('[aria-label="Run program {id}"]')"""
                     for id in ("1.1", "1.2"))  # fmt: skip
    said = "document.querySelector('[aria-label=\"Output of program {}\"]').innerText"
    live.page.run(f"{first}.click(); {second}.click()")
    assert live.page.run(f"{second}.disabled")
    live.wait(f"!{first}.disabled")
    assert "element (1, 2, 3) lives at 23" in live.page.run(said.format("1.1"))
    assert live.page.run(said.format("1.2")) == "" and "Error" not in output(live, "1.2")
    live.page.run(f"{first}.click(); {second}.click()")
    assert "element (1, 2, 3) lives at 23" in output(live, "1.1")


def test_a_python_that_only_starts_is_stopped(live):
    live.page.run(STEP.format("1-1") + ".open = true")
    live.click("Open it live: program 1.1")
    live.wait("""document.querySelector('[aria-label="Run program 1.1"]')""")
    live.click("Run program 1.1")
    live.click("Stop program 1.1")
    live.wait("""!document.querySelector('[aria-label="Run program 1.1"]').disabled""")
    assert live.page.run("document.querySelector('.step-open .live-status').innerText") == "stopped"
    assert "element (1, 2, 3) lives at 23" in output(live, "1.1")


def test_files_that_did_not_load_are_asked_for_again(page):
    live = Live(page, path=PAGE.with_name("02_cpu.html"))
    live.page.run(STEP.format("2-1") + ".open = true")
    live.page.run(
        "window.append = document.head.append; document.head.append = (one) => one.onerror();"
    )
    live.click("Open it live: program 2.1")
    status = STEP.format("2-1") + ".querySelector('.live-status').innerText"
    live.wait(f"{status}.includes('did not load')")
    live.page.run("document.head.append = window.append")
    opens = """document.querySelector('[aria-label="Open it live: program 2.1"]')"""
    live.page.run(f"{opens}.click(); {opens}.click()")
    live.wait("document.querySelector('.step-open')")
    assert live.page.run("document.querySelectorAll('.step-open').length") == 1


def test_a_mistake_is_told_where_it_is(live):
    live.page.run(STEP.format("1-2") + ".open = true")
    live.click("Open it live: program 1.2")
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


def test_the_page_of_all_steps_says_their_lines(page):
    from steps import programs

    page.show(PAGE.parents[1] / "program.html")
    rows = page.run(
        "[...document.querySelectorAll('.steps tbody tr')].map((one) =>"
        "one.querySelectorAll('td')[2].innerText.trim())"
    )
    lines = [programs.count(programs.program(step.id)) for step in programs.manifest()[0]]
    assert rows == [f"{total:,}" for total in lines]
