"""The cache, Philox, the outlier and the fused chain, as the pages show them, beside norch.

What chapters store of these and of the stepper and the valley is what the figures give now.

Node runs what their scripts compute; a browser presses their keys in the built pages.
"""

import ast
import json
import re
from itertools import islice, product

import pytest
from figures import caches as cache_figures, fusion, number_line, philox as philox_figure
from figures.explorer import data_script
from lessons import caches, outliers, philox
from lessons.caches import ORDERS, WORK, Cache, Task
from prose import BOOK
from test_book_arithmetic import in_javascript, needs_node
from test_book_demos import CHAPTERS, Demo

import norch
import norch_cuda
import norch_nn
from norch_autograd.more.nn.quantized import quantize_rows
from norch_cpu_ops import float32, ops

needs_book = pytest.mark.skipif(not CHAPTERS.exists(), reason="the book is not built: make book")

# ---- Cache lines ---------------------------------------------------------------------------------

TASKS = [
    Task(work, order, size, line, capacity)
    for work, orders in ORDERS.items()
    for order, size, line, capacity in product(orders, (8, 16), (1, 2, 4, 8), (4, 8, 16, 64))
]
TASKS += [Task("product", order, 24, 4, 32) for order in ORDERS["product"]]


def recount(asked, capacity):
    """Count fetches without a cache: a line is there if few others were asked for since."""
    fetches = 0
    for now, line in enumerate(asked):
        since = next((asked[k + 1 : now] for k in range(now - 1, -1, -1) if asked[k] == line), None)
        fetches += since is None or len(set(since)) >= capacity
    return fetches


@pytest.mark.parametrize("capacity", [1, 3, 8, 64])
@pytest.mark.parametrize("order", ORDERS["product"])
def test_the_cache_keeps_what_was_asked_for_last(order, capacity):
    task = Task("product", order, 8, 2, capacity)
    asked = [(name, (8 * row + column) // 2) for name, row, column in caches.places(task)]
    assert sum(caches.count(task).values()) == recount(asked, capacity)


@pytest.mark.parametrize("order", ORDERS["product"])
def test_each_order_is_the_same_product(order):
    steps = {tuple(sorted(at.items())) for at in caches.steps(Task("product", order, 8, 4))}
    assert len(steps) == 8**3 == sum(1 for _ in caches.steps(Task("product", order, 8, 4)))


WALK = """
extern "C" __global__ void walk(i64 n, i64 step, i64 along, const T* x, T* out) {
  T sum = 0;
  for (i64 k = 0; k < n; k++) sum += x[k * step + threadIdx.x * along];
  out[threadIdx.x] = sum;
}
"""


@pytest.mark.parametrize(("order", "step", "along"), [("ij", 32, 1), ("ji", 1, 32)])
def test_a_warp_of_the_simulator_moves_what_an_empty_cache_fetches(order, step, along):
    """The simulator has no cache: each request of 32 threads begins with an empty one."""
    task = Task("sum", order, 32, 8)  # lines of 32 bytes, which are its sectors
    asked = [(name, (32 * i + j) // 8) for name, i, j in caches.places(task)]
    fetched = 0
    for start in range(0, len(asked), 32):
        cache = Cache(32)
        fetched += sum(not cache.has(line) for line in asked[start : start + 32])
    there = norch_cuda.ops_for("cuda-sim")
    x, out = (there.from_list([0.0] * size, None) for size in (32 * 32, 32))
    kernel = norch_cuda.load_kernel(WALK, "walk")
    seen = norch_cuda.profile(kernel, 1, 32, 32, step, along, x, out)
    assert seen.sectors == fetched + 4  # and the 32 sums that are written


@needs_node
def test_the_page_counts_what_the_lesson_counts():
    given = [(one._asdict(), WORK[one.work]) for one in TASKS]
    count = "(([task, operands]) => [...x.after(task, x.steps(task), operands).fetched])"
    found = in_javascript(f"{json.dumps(given)}.map({count})", "cache_explorer.js")
    for task, lines in zip(TASKS, found, strict=True):
        counted = {f"{name} {line}": times for (name, line), times in caches.count(task).items()}
        assert dict(lines) == counted, task


@needs_node
def test_the_page_goes_back_and_forth_in_a_loop():
    task, given = Task("product", "blocked", 16, 4, 8), json.dumps(WORK["product"])
    known = f"[x, {json.dumps(task._asdict())}, {given}]"
    script = """(([x, task, operands]) => {
      const walked = x.steps(task), replay = new x.Replay(task, walked, operands);
      const told = ({ asked, total, fetched, cache }) =>
        JSON.stringify([asked, total, [...fetched], [...cache.kept]]);
      return [0, 1, 4096, 700, 512, 511, 256, 255, 3000, 0, 257].filter((step) =>
        told(replay.at(step)) !== told(x.after(task, walked.slice(0, step), operands)));
    })"""
    assert in_javascript(f"{script}({known})", "cache_explorer.js") == []


@needs_node
def test_the_page_shows_a_moment_of_the_loop():
    task, steps = Task("product", "jpi", 8, 4, 8), 77
    moment = f"x.after(task, x.steps(task).slice(0, {steps}), {json.dumps(WORK['product'])})"
    script = f"((task) => {{ const at = {moment}; return [at.asked, at.total]; }})"
    asked, total = in_javascript(f"{script}({json.dumps(task._asdict())})", "cache_explorer.js")
    places = list(islice(caches.places(task), 3 * steps))
    assert [(one["matrix"], one["row"], one["column"]) for one in asked] == places[-3:]
    assert total == recount([(name, (8 * i + j) // 4) for name, i, j in places], 8)


def test_the_question_of_the_page_has_an_answer():
    few, many = (
        [
            sum(caches.count(Task(order=order, capacity=capacity)).values())
            for order in ("ijp", "ipj")
        ]
        for capacity in (16, 32)
    )
    assert few[0] > 4 * few[1] and many[0] == many[1]
    shown = cache_figures.explorer()
    assert shown.given["task"] == Task()._asdict() and f"i j p: {few[0]}" in repr(shown)


@needs_book
def test_the_cache_explorer_works_by_keyboard(page):
    demo = Demo(page, "cache-explorer")
    total = sum(caches.count(Task()).values())
    assert f"{total:,} lines so far" in demo.says()
    demo.tab_to("i p j (reordered)")
    page.press("Enter")
    total = sum(caches.count(Task(order="ipj")).values())
    assert f"The whole loop fetches {total:,} lines." in demo.says()
    assert demo.count(".orders [aria-pressed=true]:focus") == 1
    demo.tab_to("start")
    page.press("Space")
    assert demo.says().startswith("Nothing has been asked for yet")
    demo.tab_to("next fetch")
    page.press("Enter", "Enter")
    assert "asks for a[0, 0], b[0, 4] and out[0, 4]. It fetches a line of b and out." in demo.says()
    assert demo.count("rect.fresh") == 2 and demo.count("rect.kept") == 5
    demo.tab_to("step")
    page.press("ArrowRight")
    assert demo.says().startswith("Step 6 of 4,096") and "All of it is in the cache" in demo.says()


@needs_book
def test_the_cache_explorer_sums_a_matrix(page):
    demo = Demo(page, "cache-explorer")
    demo.tab_to("work")
    page.press("ArrowDown")
    assert demo.count(".orders button") == 2 and demo.count("svg[role=img]:not(.fallback *)") == 1
    assert "asks for x[15, 15]" in demo.says()
    assert "64 lines so far" in demo.says()


# ---- Philox --------------------------------------------------------------------------------------

DRAWN = [(0, 0), (7, 4), (7, 5), (1 << 40, 3), ((1 << 53) - 1, (1 << 36) + 2)]


@pytest.mark.parametrize(("seed", "position"), DRAWN)
def test_the_rounds_end_in_the_numbers_that_norch_draws(seed, position):
    words = philox.rounds(seed, position)[-1]
    drawn = ops.uniform((4,), 0.0, 1.0, float32, seed, position - position % 4).tolist()
    assert [philox.uniform(word) for word in words] == drawn


def test_the_rounds_agree_with_the_authors():
    """Random123 lists this answer of philox4x32 in ten rounds for a counter and a key of zeros."""
    assert philox.rounds(0, 0)[-1] == (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)


@needs_node
def test_the_page_has_the_same_rounds():
    found = in_javascript(
        f"{json.dumps(DRAWN)}.map((one) => x.rounds(...one))", "philox_picture.js"
    )
    rounds = [philox.rounds(*one) for one in DRAWN]
    assert found == [[list(words) for words in states] for states in rounds]
    ends = json.dumps([states[-1] for states in rounds])
    numbers = in_javascript(f"{ends}.map((words) => words.map(x.uniform))", "philox_picture.js")
    assert numbers == [[philox.uniform(word) for word in states[-1]] for states in rounds]
    differ = in_javascript(f"{ends}.map((words) => x.flips(words, {ends}[0]))", "philox_picture.js")
    assert differ == [philox.flips(states[-1], rounds[0][-1]) for states in rounds]


def test_about_half_the_bits_of_a_neighbour_are_others():
    pairs = [(philox.rounds(7, 4 * k), philox.rounds(7, 4 * k + 4)) for k in range(1000)]
    ends = [philox.flips(one[-1], other[-1]) for one, other in pairs]
    assert 60 < sum(ends) / len(ends) < 68 and min(ends) > 30
    assert philox.flips(pairs[0][0][-1], pairs[0][1][-1]) in range(56, 73)  # the page's own
    with pytest.raises(ValueError, match="position 3 has no group before"):
        philox_figure.picture(7, 3)


@needs_book
def test_the_picture_of_philox_works_by_keyboard(page):
    demo = Demo(page, "philox-picture")
    first = philox.rounds(7, 4)[-1]
    assert f"as a number {philox.uniform(first[0]):.7f}" in demo.says()
    demo.tab_to("position")
    demo.write("6")
    assert "word 2" in demo.says() and "The same four words as before" in demo.says()
    demo.tab_to("next seed")
    page.press("Enter")
    words = philox.rounds(8, 6)
    other = philox.flips(words[-1], first)
    assert (
        f"Seed 8, position 6: counter 1, word 2, as a number {philox.uniform(words[-1][2]):.7f}"
        in (demo.says())
    )
    assert "Bits that differ: 0 in the counter" in demo.says() and f"{other} of 128" in demo.says()
    assert demo.count(".round") == philox.ROUNDS + 1 and demo.count("li[aria-current=true]") == 1


@needs_book
def test_a_seed_that_is_none_changes_nothing(page):
    demo = Demo(page, "philox-picture")
    before = demo.says()
    demo.tab_to("seed")
    for words in ("-3", ""):
        demo.write(words)
        note = page.run(
            "document.activeElement.closest('label').querySelector('.error').textContent"
        )
        assert note == "expected a whole number from 0 to 9007199254740991"
    assert demo.says() == before
    demo.write("7")
    assert demo.count(".error:not(:empty)") == 0


@needs_book
def test_a_seed_that_is_typed_is_compared_with_the_one_before_the_typing(page):
    demo = Demo(page, "philox-picture")
    demo.tab_to("seed")
    demo.write("4")
    page.call("Input.insertText", text="2")
    assert demo.says().startswith("Seed 42,") and "Before: seed 7, position 4." in demo.says()


@needs_book
def test_the_words_of_the_rounds_are_there_to_read(page):
    demo = Demo(page, "philox-picture")
    demo.tab_to("the words after each round")
    page.press("Enter")
    shown = page.run("document.querySelector('philox-picture details[open] pre').innerText")
    rows = [" ".join(f"{word:08x}" for word in words) for words in philox.rounds(7, 4)]
    assert [line.partition(": ")[2] for line in shown.splitlines()] == rows


# ---- The outlier ---------------------------------------------------------------------------------

WEIGHT, PLACE, SIZES = (
    norch.tensor([[0.1, -0.2, 0.05, 0.13], [0.02, 0.3, -0.11, 0.07]]),
    (1, 1),
    [0.3, 3.0, 30.0],
)


def test_the_levels_are_those_of_int8():
    seen = outliers.record(WEIGHT, PLACE, SIZES)
    for moment in seen:
        moved = WEIGHT.clone()
        moved[PLACE] = moment.outlier
        whole, scale = quantize_rows(moved)
        rows = moment.ways["a scale for each row"]
        assert [row.levels for row in rows] == whole.tolist()
        assert [row.scale for row in rows] == scale.tolist()
        for way in moment.ways.values():
            for row, values in zip(way, moved.tolist(), strict=True):
                levels = zip(row.levels, values, strict=True)
                assert all(abs(q * row.scale - w) <= 0.5001 * row.scale for q, w in levels)
    assert len({moment.ways["a scale for each row"][0].error for moment in seen}) == 1
    scales = [moment.ways["one scale"][0].scale for moment in seen]
    assert scales == pytest.approx([size / 127 for size in SIZES])
    errors = [moment.ways["one scale"][0].error for moment in seen]
    assert errors[0] < 0.02 < errors[1] < 0.2 < errors[2]


def test_the_line_says_what_was_recorded():
    seen = outliers.record(WEIGHT, PLACE, SIZES)
    player = number_line.outlier(WEIGHT.tolist(), PLACE, seen)
    assert len(player.says) == len(SIZES) and "The large weight is 30." in player.says[-1]
    assert f"{seen[-1].ways['one scale'][0].error:.1%}" in player.says[-1]
    assert 'data-slider="the large weight"' in player._repr_html_()


def test_a_tiny_weight_and_others_that_are_0_have_a_picture():
    weight = norch.tensor([[0.0, 0.0], [0.0, 0.5]])
    seen = outliers.record(weight, (1, 1), [0.5, 1e-6])
    drawn = number_line.outlier(weight.tolist(), (1, 1), seen)._repr_html_()
    assert "nan" not in drawn and "dasharray:0.8 -" not in drawn


@needs_book
def test_the_outlier_is_dragged_by_keyboard(page):
    page.show(CHAPTERS.parent / "quantization.html")
    page.run("document.querySelector('norch-player input').focus()")
    page.press("Home", "ArrowRight")
    says = "document.querySelector('norch-player .say').textContent"
    assert page.run(says).startswith("The large weight is 0.5.")
    page.press("End")
    assert page.run(says).startswith("The large weight is 30.")


# ---- The chain and the loop ----------------------------------------------------------------------

LOOP = """
      const float t0 = x0 * float(c0);
      const float t1 = tanh(t0);
      const float t2 = t1 + x1;
      out0[j] = t2;
"""


def test_the_operations_are_read_off_the_loop():
    first, second, third = fusion.operations(LOOP)
    assert (first.words, first.reads, first.moved) == ("x0 * c0", ["x0"], 8)
    assert second.reads == ["t0"] and third.reads == ["t1", "x1"] and third.moved == 12
    drawn = fusion.chain_and_loop(LOOP)
    assert "3 operations" in drawn.alt and "28 bytes for each element" in drawn.alt
    assert "as one loop they move 12" in drawn.alt and len(drawn.says) == 4


def test_a_line_that_reads_much_or_the_same_twice():
    loop = LOOP.replace("t1 + x1", "fma(t1, x1, x2) + x2").replace("tanh(t0)", "t0 * t0")
    drawn = fusion.chain_and_loop(loop)
    assert "reads t0 from memory" in drawn.says[1]
    assert "reads t1, x1 and x2 from memory and writes t2" in drawn.says[2]
    assert drawn.says[3].startswith("One loop: x0, x1 and x2 in, t2 out")
    frame = drawn.svg().split('data-first="2"')[1]
    places = re.findall(r'<text x="([\d.]+)"[^>]*>(?:t1|x1|x2|t2)<', frame)[:4]
    assert len(set(places)) == 4
    with pytest.raises(ValueError, match="no operation is in this loop"):
        fusion.chain_and_loop("")


def test_the_picture_counts_the_bytes_that_the_page_counts():
    cells = json.loads((BOOK / "fusion.ipynb").read_text("utf-8"))["cells"]
    told = "".join(str(cell.get("outputs")) for cell in cells)
    operations, moved, must = re.search(
        r"(\d+) operations move (\d+) bytes .*?, (\d+) must", told
    ).groups()
    picture = f"{operations} operations one after the other move {moved} bytes for each element; "
    assert picture + f"as one loop they move {must}" in told


# ---- What the chapters store ---------------------------------------------------------------------

STORED = {
    "caches.explorer(": ("02_cpu", {}),
    "philox.picture(": ("02_cpu", {}),
    "Stepper(": ("04_autograd", {}),
    "LossValley(": ("05_nn", {"nn": norch_nn}),
}
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


@pytest.mark.parametrize("call", STORED)
def test_a_chapter_shows_what_its_figure_gives_now(call):
    page, names = STORED[call]
    cells = json.loads((BOOK / "chapters" / f"{page}.ipynb").read_text("utf-8"))["cells"]
    code = [one for one in cells if one["cell_type"] == "code"]
    (cell,) = [one for one in code if call in "".join(one["source"])]
    *before, last = ast.parse("".join(cell["source"])).body
    known = dict(names)
    exec(compile(ast.Module(before, []), page, "exec"), known)
    shown = eval(compile(ast.Expression(last.value), page, "eval"), known)._repr_html_()
    stored = "".join(cell["outputs"][0]["data"]["text/html"])
    assert NUMBER.sub("#", stored) == NUMBER.sub("#", shown)
    pairs = zip(NUMBER.findall(stored), NUMBER.findall(shown), strict=True)
    for one, other in pairs:  # a decimal may have been rounded to its neighbour elsewhere
        close = pytest.approx(float(other), rel=0.006, abs=0.11) if "." in one else float(other)
        assert float(one) == close


def test_data_for_a_script_ends_no_script():
    assert data_script({"a": "</script>"}).count("</script>") == 1
    assert json.loads(data_script({"a": "</b>"})[len(data_script({})) - 11 : -9]) == {"a": "</b>"}
