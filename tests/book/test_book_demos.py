"""The things to play with, played with: by keyboard alone, and by finger on a phone.

Their arithmetic is compared with norch in test_book_arithmetic.py, test_book_walks.py and
test_book_valley.py. Here a browser presses the keys. No
demo may ask for anything outside its page.
"""

import json
from pathlib import Path

import pytest

CHAPTERS = Path(__file__).resolve().parents[2] / "book" / "_build" / "html" / "chapters"
DEMOS = {
    ".strides-explorer": "01_strides.html",
    "cache-explorer": "02_cpu.html",
    "philox-picture": "02_cpu.html",
    ".block-map": "03_cuda.html",
    "autograd-stepper": "04_autograd.html",
    "loss-valley": "05_nn.html",
    "norch-player": "06_fsdp.html",
    "plan-explorer": "../planning.html",
    "gpt-heads": "07_attention.html",
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
    demo.tab_to("t0")
    page.press("ArrowRight", "ArrowRight")
    assert demo.says().startswith("Thread 2 of block 0")
    page.press("ArrowDown")
    assert demo.says().startswith("Thread 2 of block 1")
    page.press("Home")
    assert demo.says() == before
    assert demo.count(".thread.hot[aria-selected=true]") == 1


def test_the_stepper_works_by_keyboard(page):
    demo = Demo(page, "autograd-stepper")
    assert demo.says().startswith("b = a * 1 is computed.")
    demo.tab_to("next")
    page.press("Enter", "ArrowRight", "ArrowRight", "ArrowRight")
    assert demo.says().startswith("Now back. The gradient of e, the result, is 1.")
    page.press("Space", "Space")
    assert demo.says().startswith("d runs. It has got 1 and sends 3 to b. b must wait for c.")
    page.press("ArrowLeft")
    assert demo.says().startswith("e runs.")
    demo.tab_to("frame")
    page.press("End")
    assert "All nodes have run. Gradients: a 5." in demo.says()


def test_the_steppers_menu_changes_the_formula(page):
    demo = Demo(page, "autograd-stepper")
    demo.tab_to("prepared")
    page.press("ArrowDown")
    field = f"document.querySelector('{demo.root} form input').value"
    assert page.run(field).startswith("a = 1; b = a * 1") and demo.says().startswith("The gradient")
    page.press("ArrowDown", "ArrowDown", "ArrowDown")
    assert page.run(field) == "x = 3; y = x * x; y + y * y"
    demo.tab_to("frame")
    page.press("End")
    assert "Gradients: x 114." in demo.says()
    assert demo.count("norch-player") == 1


def bars(page, root):
    """Return how many bytes are kept and how many gradients take, as the drawing says now."""
    return page.run(
        f"""[...document.querySelectorAll("{root} g:not([visibility=hidden]) > text")]
          .map((one) => one.textContent).filter((words) => /^(kept for|gradients:)/.test(words))"""
    )


def test_the_steppers_memory_moves_with_the_frame(page):
    demo = Demo(page, "autograd-stepper")
    demo.tab_to("prepared")
    page.press("End")
    demo.tab_to("frame")
    assert bars(page, demo.root) == ["kept for the way back: 36", "gradients: 0"]
    page.press("ArrowRight")
    assert bars(page, demo.root) == ["kept for the way back: 44", "gradients: 0"]
    page.press("End")
    assert bars(page, demo.root) == ["kept for the way back: 0", "gradients: 36"]
    assert demo.says().endswith("Bytes alive: 0 kept, 36 in gradients.")


def test_the_valley_works_by_keyboard(page):
    demo = Demo(page, "loss-valley")
    first = demo.says()
    assert first.startswith("It converges: after 36 steps")
    demo.tab_to("learning rate")
    page.press(*["ArrowRight"] * 8)
    assert demo.says().startswith("It diverges: ")
    page.press("Home")
    assert demo.says().startswith("It is not there after 60 steps")
    demo.tab_to("start, slope")
    page.press("End")
    assert demo.says().startswith("It is not there after 60 steps")
    demo.tab_to("start again")
    page.press("Enter")
    assert demo.says() == first


def test_the_valleys_optimizers_walk_other_ways(page):
    demo = Demo(page, "loss-valley")
    path = f"document.querySelector('{demo.root} path.path').getAttribute('d')"
    is_off = f"document.querySelectorAll('{demo.root} input')[1].disabled"
    demo.tab_to("optimizer")
    seen = [page.run(path)]
    assert page.run(is_off) is True
    for off in (False, True):
        page.press("ArrowDown")
        seen.append(page.run(path))
        assert page.run(is_off) is off
    assert len(set(seen)) == 3


def test_the_valleys_start_is_dragged(page):
    demo = Demo(page, "loss-valley")
    x, y = page.run(
        f"""(() => {{
          const one = document.querySelector("{demo.root} .handle");
          one.scrollIntoView({{block: "center", behavior: "instant"}});
          const box = one.getBoundingClientRect();
          return [box.x + box.width / 2, box.y + box.height / 2];
        }})()"""
    )
    before = demo.says()
    mouse = {"button": "left", "buttons": 1, "clickCount": 1}
    page.call("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, **mouse)
    for step in (10, 20, 40):
        page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + step, y=y + step, **mouse)
    page.call("Input.dispatchMouseEvent", type="mouseReleased", x=x + 40, y=y + 40, **mouse)
    page.settle()
    at = page.run(
        f"(() => {{ const box = document.querySelector('{demo.root} .handle')"
        ".getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()"
    )
    assert abs(at[0] - x - 40) < 12 and abs(at[1] - y - 40) < 12  # as fine as its sliders
    assert demo.says() != before


def test_a_click_moves_the_valleys_start_and_scrolling_does_not(page):
    demo = Demo(page, "loss-valley", width=375)
    box = f"document.querySelector('{demo.root} .handle').getBoundingClientRect()"
    size = page.run(f"[{box}.width, {box}.height]")
    assert min(size) >= SMALLEST
    x, y, before = page.run(
        f"""(() => {{
          const one = document.querySelector("{demo.root} .ground");
          one.scrollIntoView({{block: "center", behavior: "instant"}});
          const {{ right, bottom }} = one.getBoundingClientRect();
          return [right - 40, bottom - 40, {box}.x];
        }})()"""
    )
    page.call("Emulation.setTouchEmulationEnabled", enabled=True)
    touch = {"x": x, "y": y}
    page.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[touch])
    for up in (20, 60, 100):
        moved = {"x": x, "y": y - up}
        page.call("Input.dispatchTouchEvent", type="touchMove", touchPoints=[moved])
    page.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
    page.settle()
    assert page.run(f"{box}.x") == before
    page.run(f"document.querySelector('{demo.root} .ground').scrollIntoView({{block: 'center'}})")
    right = {"button": "right", "buttons": 2, "clickCount": 1}
    left = {"button": "left", "buttons": 1, "clickCount": 1}
    for mouse in (right, left):
        assert page.run(f"{box}.x") == before
        at = page.run(
            f"(() => {{ const one = document.querySelector('{demo.root} .ground')"
            ".getBoundingClientRect(); return {x: one.right - 40, y: one.bottom - 40}; })()"
        )
        page.call("Input.dispatchMouseEvent", type="mousePressed", **at, **mouse)
        page.call("Input.dispatchMouseEvent", type="mouseReleased", **at, **mouse)
        page.settle()
    assert page.run(f"{box}.x") > before


@pytest.mark.parametrize(
    ("root", "seen"), [("autograd-stepper", "div > * > svg"), ("loss-valley", ".fallback > svg")]
)
def test_on_paper_a_drawing_is_seen_and_no_field(page, root, seen):
    page.show(CHAPTERS / DEMOS[root])
    page.call("Emulation.setEmulatedMedia", media="print")
    page.run("dispatchEvent(new Event('beforeprint'))")
    there = (
        "(selector) => [...document.querySelectorAll(`${root} :is(${selector})`)]"
        ".filter((one) => one.getBoundingClientRect().height).length"
    )
    both = json.dumps([seen, "form, button, input"])
    count = f"((root) => {both}.map({there}))({json.dumps(root)})"
    assert page.run(count) == [1, 0]


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
    "cache-explorer": (".orders button:nth-of-type(2)", "The whole loop fetches 1,152 lines."),
    "philox-picture": ("button:nth-of-type(2)", "Seed 7, position 5"),
    ".block-map": (".thread:nth-of-type(3)", "Thread 2 of block 0"),
    "autograd-stepper": ("norch-player button:last-of-type", "c = b * 2 is computed."),
    "loss-valley": (".buttons button", "It converges: after 36 steps"),
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
