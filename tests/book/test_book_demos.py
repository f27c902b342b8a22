"""The things to play with, played with: by keyboard alone, and by finger on a phone.

Their arithmetic is compared with norch in tests/test_book.py. Here a browser presses the keys. No
demo may ask for anything outside its page.
"""

from pathlib import Path

import pytest

CHAPTERS = Path(__file__).resolve().parents[2] / "book" / "_build" / "html" / "chapters"
DEMOS = {
    ".strides-explorer": "01_strides.html",
    ".block-map": "03_cuda.html",
    ".autograd-stepper": "04_autograd.html",
    "norch-player": "06_fsdp.html",
    "plan-explorer": "../planning.html",
}
SMALLEST = 24  # pixels each way: WCAG 2.2's smallest target

pytestmark = pytest.mark.skipif(not CHAPTERS.exists(), reason="the book is not built: make book")


class Demo:
    """A demo in its page; the keyboard stands just in front of it."""

    def __init__(self, page, root, width=1280):
        self.page, self.root = page, root
        page.show(CHAPTERS / DEMOS[root], width)
        page.run(
            f"""(() => {{
              const door = Object.assign(document.createElement("button"), {{id: "door"}});
              document.querySelector("{root}").before(door);
              door.focus();
            }})()"""
        )

    def tab_to(self, words):
        """Press Tab until the focus is on what is called so, or shows so; it stays in the demo."""
        for _ in range(60):
            self.page.press("Tab")
            name = self.page.run(
                """(() => {
                  const at = document.activeElement, label = at.closest("label");
                  return at.getAttribute("aria-label") ?? (label ?? at).textContent;
                })()"""
            )
            inside = self.page.run(f'!!document.activeElement.closest("{self.root}")')
            assert inside, f"left the demo without meeting {words!r}"
            if name.strip().startswith(words):
                return
        raise AssertionError(f"60 times Tab, and no {words!r}")

    def write(self, text):
        """Replace the text of the field that has the focus."""
        self.page.run("document.activeElement.select()")
        self.page.call("Input.insertText", text=text)

    def says(self):
        """Return the sentence of the demo."""
        return self.page.run(f'document.querySelector("{self.root} .say").textContent')

    def count(self, selector):
        """Count what the demo shows of a kind."""
        return self.page.run(f'document.querySelectorAll("{self.root} {selector}").length')


def test_the_explorer_works_by_keyboard(page):
    demo = Demo(page, ".strides-explorer")
    demo.tab_to("shape")
    demo.write("2, 6")
    demo.tab_to("strides")
    demo.write("6, 1")
    assert demo.says() == "12 elements over 12 places in memory, contiguous."
    demo.tab_to("transpose")
    page.press("Enter")
    assert demo.says() == "12 elements over 12 places in memory, not contiguous."
    demo.tab_to("element (0, 0)")
    page.press("ArrowRight")
    assert demo.says() == "element (0, 1): 0 + 0*1 + 1*6 = position 6"
    page.press("ArrowDown", "End", "Home", "ArrowDown")
    assert demo.says() == "element (1, 0): 0 + 1*1 + 0*6 = position 1"
    lit = page.run("[...document.querySelectorAll('.slot')].findIndex((s) => s.matches('.hot'))")
    assert lit == 1


def test_the_explorer_says_what_is_wrong_while_one_types(page):
    demo = Demo(page, ".strides-explorer")
    demo.tab_to("strides")
    demo.write("9, 1")
    assert demo.says() == "12 elements over 12 places in memory, not contiguous."
    demo.write("-9, 1")
    assert "the layout reaches positions -18 to 3" in demo.says()
    assert demo.count(".say.error[role=status]") == 1


def test_the_block_map_works_by_keyboard(page):
    demo = Demo(page, ".block-map")
    demo.tab_to("elements")
    demo.write("20")
    before = demo.says()
    assert "20 elements" in before
    demo.tab_to("Thread 0 of block 0")
    page.press("ArrowRight", "ArrowRight")
    assert demo.says().startswith("Thread 2 of block 0")
    page.press("ArrowDown")
    assert demo.says().startswith("Thread 2 of block 1")
    page.press("Home")
    assert demo.says() == before
    assert demo.count(".thread.hot[aria-selected=true]") == 1


def test_the_stepper_works_by_keyboard(page):
    demo = Demo(page, ".autograd-stepper")
    demo.tab_to("w")
    demo.write("4")
    demo.tab_to("one node")
    page.press("Enter")
    assert demo.says().startswith("y runs. A sum passes its gradient on unchanged")
    page.press("Space")
    assert "m runs. A product sends its gradient times the other factor" in demo.says()
    assert "4 to x" in demo.says() and "All nodes have run." in demo.says()
    assert demo.count("ol li") == 2
    demo.tab_to("start again")
    page.press("Enter")
    assert demo.count("ol li") == 0
    demo.tab_to("impatient walk")
    page.press("Space")
    assert page.run("document.activeElement.checked") is True


def test_the_player_works_by_keyboard(page):
    demo = Demo(page, "norch-player")
    assert demo.says() == "before: a quarter of each weight"
    shown = "g[data-first]:not([visibility=hidden])"
    before = demo.count(shown)
    demo.tab_to("next")
    page.press("Enter")
    assert demo.says() == "all-gather: every rank has all of weight 0"
    assert demo.count(shown) == before + 4 * 3
    demo.tab_to("frame")
    page.press("ArrowRight")
    assert demo.says().startswith("layer 0 has run forward")
    page.press("End")
    last = demo.says()
    assert last.startswith("reduce-scatter") and "weight 0 is dropped" in last
    page.press("Home", "ArrowLeft")
    assert demo.says() == "before: a quarter of each weight"


@pytest.mark.parametrize("root", ["norch-player", "plan-explorer"])
def test_on_paper_the_last_frame_and_a_table_are_seen(page, root):
    page.show(CHAPTERS / DEMOS[root])
    page.call("Emulation.setEmulatedMedia", media="print")
    page.run("dispatchEvent(new Event('beforeprint'))")
    drawn = page.run(
        f"""[...document.querySelectorAll("{root}")].map((one) =>
          [...one.querySelectorAll(".buttons, form, .fallback")].filter((part) =>
            part.getBoundingClientRect().height).map((part) => part.className))"""
    )
    assert drawn == [["fallback"] if root == "plan-explorer" else []] * len(drawn)
    frames = page.run(f"[...document.querySelectorAll('{root}')].map((p) => [p.frame, p.says])")
    assert root == "plan-explorer" or all(frame == len(says) - 1 for frame, says in frames)


def test_the_player_plays_and_stops_at_the_end(tab):
    tab.show(CHAPTERS / "06_fsdp.html")
    tab.run("document.querySelector('norch-player').show(12); 0")
    tab.run("[...document.querySelectorAll('norch-player button')][1].click(); 0")
    tab.run(
        """new Promise((done) => {
          const player = document.querySelector("norch-player");
          const look = () => (player.timer ? setTimeout(look, 50) : done());
          look();
        })"""
    )
    assert tab.run("document.querySelector('norch-player').frame") == 14
    says = "document.querySelector('norch-player .say').textContent"
    assert tab.run(says).startswith("reduce-scatter")
    assert tab.run("document.querySelectorAll('norch-player button')[1].textContent") == "play"


def test_the_plan_explorer_finds_a_plan(tab):
    tab.show(CHAPTERS / DEMOS["plan-explorer"])
    says = "document.querySelector('plan-explorer .say').textContent"
    assert "does not fit into 80 GB" in tab.run(says)
    tab.run("document.querySelector('plan-explorer button').click(); 0")
    assert " fits into 80 GB" in tab.run(says)
    assert tab.run("document.querySelector('plan-explorer .fallback').offsetHeight") == 0


def test_the_plan_explorer_works_by_keyboard(page):
    demo = Demo(page, "plan-explorer")
    assert "does not fit into 80 GB" in demo.says()
    for name, keys, words in [
        ("ranks", ("End",), "8192 copies"),
        ("batch", ("End",), "cannot be dealt"),
        ("tensor", ("End",), "MFU"),
        ("ZeRO", ("End",), " fits into 80 GB"),
    ]:
        demo.tab_to(name)
        page.press(*keys)
        assert words in demo.says(), name
    demo.tab_to("fastest that fits")
    page.press("Enter")
    assert " fits into 80 GB" in demo.says() and demo.count(".strip i") == 4 + 5
    demo.tab_to("start again")
    page.press("Space")
    assert "does not fit into 80 GB" in demo.says()


@pytest.mark.parametrize("root", DEMOS)
def test_what_has_the_focus_is_framed(page, root):
    demo = Demo(page, root)
    page.press("Tab")
    style = page.run("getComputedStyle(document.activeElement).outlineStyle")
    assert page.run(f'!!document.activeElement.closest("{demo.root}")') and style == "solid"


@pytest.mark.parametrize("root", DEMOS)
def test_a_finger_meets_everything_on_a_phone(page, root):
    demo = Demo(page, root, width=390)
    small = page.run(
        f"""[...document.querySelectorAll("{root} :is(button, input, select, td, .thread)")]
          .filter((one) => one.getClientRects().length)
          .map((one) => (one.type === "checkbox" ? one.closest("label") : one))
          .map((one) => [one.textContent || one.value, one.getBoundingClientRect()])
          .filter(([_, box]) => box.width < {SMALLEST} || box.height < {SMALLEST})
          .map(([name, box]) => `${{name}}: ${{box.width}} x ${{box.height}}`)"""
    )
    assert small == []
    wide = page.run(f'document.querySelector("{root}").getBoundingClientRect().right')
    assert wide <= 390 and demo.says()


TAPS = {
    ".strides-explorer": ("td:nth-child(3)", "element (0, 2): 0 + 0*4 + 2*1 = position 2"),
    ".block-map": (".thread:nth-of-type(3)", "Thread 2 of block 0"),
    ".autograd-stepper": ("button", "y runs."),
    "norch-player": ("button:last-of-type", "all-gather: every rank has all of weight 0"),
    "plan-explorer": ("button", "fits into 80 GB"),
}


@pytest.mark.parametrize(("root", "tap"), TAPS.items())
def test_a_tap_does_what_a_key_does(page, root, tap):
    demo = Demo(page, root, width=390)
    selector, words = tap
    x, y = page.run(
        f"""(() => {{
          const one = document.querySelector("{root} {selector}");
          one.scrollIntoView({{block: "center", behavior: "instant"}});
          const box = one.getBoundingClientRect();
          return [box.x + box.width / 2, box.y + box.height / 2];
        }})()"""
    )
    page.call("Emulation.setTouchEmulationEnabled", enabled=True)
    page.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
    page.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
    page.settle()
    assert words in demo.says()


@pytest.mark.parametrize("root", DEMOS)
def test_a_demo_asks_for_nothing_outside(page, root):
    demo = Demo(page, root)
    page.press("Tab", "Tab", "Tab", "Enter")
    outside = [one for one in page.asked() if not one.startswith(("file:", "data:"))]
    assert outside == [] and page.complaints() == [] and demo.says()
