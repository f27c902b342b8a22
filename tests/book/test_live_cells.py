"""Cells as a notebook's: keys, colours, turns, Run all, Stop, progress, and cells that stay still.

What Python tells the page on its way, a cell of the test tells itself, by the same messages.
"""

import json

import live_page
import pytest
from live_page import PAGE, Live, nothing_outside, output

pytestmark = live_page.NEEDED

# For every listing of the page: the letters whose colour the editor's scanner would change.
COLOURS = """(() => {
  const colours = (pre) => {
    const walker = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT), found = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const { color } = getComputedStyle(node.parentElement);
      for (const one of node.data.replace(/\\s/g, "")) found.push(one + color);
    }
    return found;
  };
  for (const one of document.querySelectorAll("details")) one.open = true;
  const changed = [];
  let letters = 0;
  for (const pre of document.querySelectorAll("[class^=highlight-] pre")) {
    if (!pre.closest(".highlight-python, .highlight-ipython3")) continue;
    const layer = document.createElement("pre");
    layer.append(...norchLive.coloured(pre.textContent));
    pre.after(layer);
    const [built, ours] = [colours(pre), colours(layer)];
    layer.remove();
    letters += built.length;
    built.forEach((one, k) => { if (one !== ours[k]) changed.push([one, ours[k]]); });
  }
  return { letters, changed };
})()"""
LAYERS = """(() => {
  const [box, layer, area] = [".live-code", ".live-layer", ".live-editor"].map(
    (one) => document.querySelector(one));
  const [below, above] = [layer.getBoundingClientRect(), area.getBoundingClientRect()];
  const letters = ({ font, padding, letterSpacing }) => font + padding + letterSpacing;
  return {
    same: letters(getComputedStyle(layer)) === letters(getComputedStyle(area)),
    off: ["x", "y", "width", "height"].map((one) => Math.abs(below[one] - above[one])),
    hidden: [area.scrollWidth - area.clientWidth, area.scrollHeight - area.clientHeight],
    scrolls: [box.scrollWidth > box.clientWidth, box.scrollHeight > box.clientHeight],
  };
})()"""
RUN_ALL = "document.querySelector('[aria-label=\"Run all cells\"]')"
STATUS = '[aria-label="Run cell {}"] ~ .live-status'


@pytest.fixture
def live(tab):
    """Return the page in each browser in turn."""
    return Live(tab)


def key(live, label, **keys):
    """Press Enter on an element, with other keys held."""
    event = json.dumps({"key": "Enter", "bubbles": True, "cancelable": True, **keys})
    live.page.run(
        f"document.querySelector('[aria-label={json.dumps(label)}]')"
        f".dispatchEvent(new KeyboardEvent('keydown', {event}))"
    )


def focused(live):
    """Return the name of what has the focus."""
    return live.page.run("document.activeElement.getAttribute('aria-label')")


def status(live, number):
    """Return what a cell says of itself."""
    return live.page.run(f"document.querySelector('{STATUS.format(number)}').textContent")


def edit(live, number, text):
    """Open a cell and write into it."""
    live.click(f"Edit cell {number}")
    live.write(f"Code of cell {number}", text)


def shown(live, number):
    """Return what a cell shows."""
    return live.page.run(f"document.querySelector('{output(number)}').innerText.trim()")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_editor_has_the_colours_of_the_page(tab, theme):
    tab.show(PAGE, theme=theme)
    found = tab.run(COLOURS)
    assert found["letters"] > 5000 and found["changed"] == []


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("'open", ["s1 'open"]),
        ('"""open\nfor', ['sd """open\nfor']),
        ("x = '''a\nb''' # c", ["n x", "o =", "s2 '''a\nb'''", "c1 # c"]),
        ("@a.b\nclass C: x @y", ["nd @a.b", "k class", "nc C", "p :", "n x", "o @y"]),
        ("0x1f 1_0 .5 2e-3j", ["mi 0x1f", "mi 1_0", "mf .5", "mf 2e-3j"]),
        ("größe is None", ["n größe", "ow is", "kc None"]),
        (r"'\'' rb'\\'", [r"s1 '\''", r"s1 rb'\\'"]),
    ],
)
def test_words_are_told_apart(page, text, classes):
    page.show(PAGE)
    asked = f"norchLive.coloured({json.dumps(text)}).filter((one) => one.className)"
    found = page.run(asked + ".map((one) => `${one.className} ${one.textContent}`)")
    assert found == classes


def test_text_and_colours_lie_on_each_other(live):
    edit(live, 3, "x = 1\n" * 60 + "y = '" + "long " * 60 + "'\n\n")
    found = live.page.run(LAYERS)
    assert found["same"] and max(found["off"]) < 0.5
    assert max(found["hidden"]) <= 0 and found["scrolls"] == [True, True]
    live.page.run("document.querySelector('.live-editor').setSelectionRange(650, 650)")
    live.page.type("x")  # at the end of the long line: the box follows
    live.wait("document.querySelector('.live-code').scrollLeft > 0")


def test_keys_run_and_go_on(live):
    edit(live, 3, "1 + 1")
    key(live, "Code of cell 3", ctrlKey=True)
    live.is_idle()
    assert shown(live, 3) == "2" and focused(live) == "Code of cell 3"
    edit(live, 4, "2 + 2")
    key(live, "Code of cell 3", shiftKey=True)
    assert focused(live) == "Code of cell 4"
    key(live, "Code of cell 4", shiftKey=True)
    assert focused(live) == "Edit cell 5"
    live.is_idle()
    assert shown(live, 4) == "4"  # it waited for cell 3
    key(live, "Edit cell 5", metaKey=True)
    live.is_idle()
    assert status(live, 5).startswith("done")
    nothing_outside(live.page)


def test_what_is_typed_can_be_taken_back(page):
    live = Live(page)
    live.click("Edit cell 3")
    area = "document.querySelector('[aria-label=\"Code of cell 3\"]')"
    before = page.run(f"{area}.value")
    page.run(f"{area}.setSelectionRange(0, 0)")
    page.press("Tab")
    page.type("x")
    assert page.run(f"{area}.value") == "    x" + before
    assert page.run("document.querySelector('.live-layer').textContent") == f"    x{before}\n"
    page.run("document.execCommand('undo'); document.execCommand('undo')")
    assert page.run(f"{area}.value") == before


def test_run_all_runs_every_cell_until_one_fails(live):
    live.click("Run all cells")
    live.wait(f"!{RUN_ALL}.disabled")
    said = f"{RUN_ALL}.parentElement.querySelector('.live-status').textContent"
    assert live.page.run(said) == "done"
    each = "[...document.querySelectorAll('.cell .live-status')].map((one) => one.textContent)"
    found = live.page.run(each)
    assert len(found) > 20 and {one.partition(":")[0] for one in found} == {"done"}
    edit(live, 4, "nothing_of_this_name")
    live.click("Run all cells")
    live.wait(f"!{RUN_ALL}.disabled")
    assert live.page.run(said) == "cell 4 ended in an error"
    assert "NameError" in shown(live, 4)
    nothing_outside(live.page)


def test_a_cell_above_that_fails_says_so_itself(live):
    edit(live, 2, "nothing_of_this_name")
    edit(live, 3, "'third'")
    assert live.run_cell(3) == "'third'"
    assert "NameError" in shown(live, 2) and status(live, 2) == "an error"


def test_an_endless_loop_leaves_the_page_usable(live):
    edit(live, 3, "while True:\n    pass")
    edit(live, 4, "'never'")
    live.click("Run cell 3")
    live.click("Run cell 4")
    live.wait(f"document.querySelector('{STATUS.format(3)}').textContent === 'running ...'")
    assert status(live, 4) == "waits for its turn"
    live.write("Code of cell 4", "'later'")  # the page answers while Python does not
    live.click("Next hint for exercise 1.1")
    assert live.page.run("document.querySelector('#exercise-1-1 details').open")
    live.click("Stop cell 3")
    live.is_idle()
    assert status(live, 3).startswith("stopped") and status(live, 4) == ""
    live.click("Reset cell 3")
    assert live.run_cell(4) == "'later'"
    nothing_outside(live.page)


def test_stop_ends_the_wait_for_python_too(live):
    live.page.run("norchLive.python = () => new Promise(() => {})")
    live.click("Run cell 3")
    live.wait(f"document.querySelector('{STATUS.format(3)}').textContent.startsWith('starting')")
    live.click("Stop cell 3")
    live.is_idle()
    assert status(live, 3).startswith("stopped")


def test_what_a_cell_tells_on_its_way_is_shown_in_order(live):
    text = """
from IPython.display import HTML, display
print("one")
display(HTML("<b>two</b>"))
print("three")
display(4)
"""
    edit(live, 3, text + "5")
    assert live.run_cell(3).split() == ["one", "two", "three", "4", "5"]
    assert live.page.run(f"document.querySelector('{output(3)} b').textContent") == "two"


def test_progress_is_a_bar_under_the_cell(live):
    text = """
from tqdm import tqdm
bar = tqdm(desc="three of four", total=4)
bar.update(3)
while True: pass
"""
    edit(live, 3, text)
    live.click("Run cell 3")
    bar = "document.querySelector('progress[aria-label=\"Progress of cell 3\"]')"
    live.wait(f"{bar}.parentElement.textContent === 'three of four'")
    assert live.page.run(f"[{bar}.value, {bar}.max, {bar}.checkVisibility()]") == [3, 4, True]
    live.wait(
        f"/^[1-9]\\d* s$/.test({bar}.closest('.cell').querySelector('.live-clock').textContent)"
    )
    live.click("Stop cell 3")
    live.is_idle()
    assert live.page.run(f"{bar}.checkVisibility()") is False
    nothing_outside(live.page)


def test_a_cell_that_does_not_run_in_a_page_says_why(tab, tmp_path):
    """The reasons come from the tags of a cell."""
    html = PAGE.read_text(encoding="utf-8")
    cell = '<div class="cell docutils container">'
    html = html.replace(cell, '<div class="cell tag_wants-data docutils container">', 1)
    html = html.replace("<head>", f'<head><base href="{PAGE.as_uri()}">', 1)
    path = tmp_path / "page.html"
    path.write_text(html, encoding="utf-8")
    tab.show(path)
    said = tab.run("[...document.querySelectorAll('.live-not-here')].map((one) => one.textContent)")
    start = "This cell does not run in the page: "
    assert said == [f"{start}it reads a large file that is not in the book."]
    assert tab.run("document.querySelector('[aria-label=\"Run cell 2\"]')") is None
    assert tab.run("document.querySelector('[aria-label=\"Run cell 3\"]') !== null")
