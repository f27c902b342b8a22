"""What the things to play with compute, beside norch and beside plain Python.

Node runs their arithmetic. How they behave in a browser is tested in test_book_demos.py.
"""

import json
import re
import shutil
import subprocess

import pytest
from lessons import plans
from prose import BOOK

from norch.distributed.simulate import H100, cluster, simulate
from norch_strides import (
    Layout,
    broadcast_to,
    contiguous,
    flip,
    is_contiguous,
    permute,
    positions,
    slice_dim,
    windows,
)

# ---- The strides explorer ------------------------------------------------------------------------

NODE = shutil.which("node")
TABLE = contiguous((3, 4))
VIEWS = {
    "contiguous": lambda x: contiguous(x.shape),
    "transpose": lambda x: permute(x, range(len(x.shape))[::-1]),
    "slice": lambda x: slice_dim(x, -1, None, None, 2),
    "flip": lambda x: flip(x, -1),
    "broadcast": lambda x: broadcast_to(x, (3, *x.shape)),
    "window": lambda x: windows(x, -1, 2, 1),
}
SAMPLES = [TABLE, Layout((2, 3), (-1, 4), 5), Layout((2, 5), (0, 2), 1), Layout((4,), (3,))]


def in_javascript(expression, file="strides_explorer.js"):
    """Evaluate an expression that sees the functions of a script as `x`, and return its value."""
    script = f"const x = require({json.dumps(str(BOOK / '_static' / file))});"
    script += f"console.log(JSON.stringify({expression}))"
    run = subprocess.run([NODE, "-e", script], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


@pytest.mark.skipif(NODE is None, reason="node is not installed: it runs the explorer's arithmetic")
def test_the_explorer_computes_what_stage_1_computes():
    samples = json.dumps([sample._asdict() for sample in SAMPLES])
    names = json.dumps(list(VIEWS))
    found = in_javascript(f"{names}.map((name) => {samples}.map(x.views[name]))")
    for (name, view), layouts in zip(VIEWS.items(), found, strict=True):
        for sample, layout in zip(SAMPLES, layouts, strict=True):
            expected = view(sample)
            ours = Layout(tuple(layout["shape"]), tuple(layout["strides"]), layout["offset"])
            assert ours == expected, (name, sample)
    assert in_javascript(f"{samples}.map(x.positions)") == [positions(x) for x in SAMPLES]
    assert in_javascript(f"{samples}.map(x.isContiguous)") == [is_contiguous(x) for x in SAMPLES]


@pytest.mark.skipif(NODE is None, reason="node is not installed: it runs the explorer's arithmetic")
@pytest.mark.parametrize(
    ("layout", "message"),
    [
        (TABLE, None),
        (Layout((3,), (1, 1)), "shape and strides differ in length"),
        (Layout((3,), (-1,)), "the layout reaches positions -2 to 0, the memory has 0 to 23"),
        (Layout((5, 5), (5, 1)), "reaches positions 0 to 24"),
        (Layout((-1,), (1,)), "a size is negative"),
        (Layout((100,), (0,)), "up to 96 elements"),
        (Layout((1, 1, 1, 1), (1, 1, 1, 1)), "up to three dimensions"),
    ],
)
def test_the_explorer_says_what_is_wrong(layout, message):
    found = in_javascript(f"x.problem({json.dumps(layout._asdict())})")
    assert found is None if message is None else message in found


# ---- The block map -------------------------------------------------------------------------------

needs_node = pytest.mark.skipif(
    NODE is None, reason="node is not installed: it runs the arithmetic"
)
LAUNCH = {"elements": 14, "threads": 4, "blocks": 2, "stride": 1, "read": 1, "loop": True}
LAUNCHES = [
    LAUNCH,
    {**LAUNCH, "read": 2, "stride": 5},
    {**LAUNCH, "elements": 20, "loop": False},
    {**LAUNCH, "elements": 3, "stride": 0},
    {**LAUNCH, "elements": 0},
    {**LAUNCH, "elements": 100, "threads": 40, "stride": 3},
    {**LAUNCH, "elements": 512, "threads": 48, "blocks": 3, "stride": 8, "read": 3},
]


def in_block_map(expression):
    """Evaluate an expression that sees the functions of the block map as `x`."""
    return in_javascript(expression, "block_map.js")


def shares_by_hand(launch):
    """Return the elements of each thread, block after block, as a kernel's loop would take them."""
    everybody = launch["blocks"] * launch["threads"]
    end = launch["elements"]
    if launch["loop"]:
        return [list(range(number, end, everybody)) for number in range(everybody)]
    return [[number] if number < end else [] for number in range(everybody)]


def segments_by_hand(launch, number):
    """Return the pieces of 32 bytes that the 32 threads around this one touch in one read."""
    shares, threads = shares_by_hand(launch), launch["threads"]
    block, thread = divmod(number, threads)
    together = [block * threads + t for t in range(threads) if t // 32 == thread // 32]
    elements = [shares[one][launch["read"] - 1 : launch["read"]] for one in together]
    return sorted({4 * launch["stride"] * i // 32 for found in elements for i in found})


@needs_node
@pytest.mark.parametrize("launch", LAUNCHES)
def test_the_block_map_shares_out_as_a_loop_does(launch):
    given = json.dumps(launch)
    everybody = range(launch["blocks"] * launch["threads"])
    assert in_block_map(f"x.problem({given})") is None
    assert in_block_map(f"x.shares({given})") == shares_by_hand(launch)
    found = in_block_map(f"{list(everybody)}.map((k) => x.segments({given}, k))")
    assert found == [segments_by_hand(launch, number) for number in everybody]


@needs_node
def test_the_block_map_agrees_with_a_kernel_on_the_simulator():
    import norch_cuda

    text = """
extern "C" __global__ void mine(i64 n, T* out) {
  for (i64 i = first_element(); i < n; i += element_step())
    out[i] = blockIdx.x * blockDim.x + threadIdx.x;
}
"""
    out = norch_cuda.ops_for("cuda-sim").from_list([-1.0] * 14, None)
    norch_cuda.load_kernel(text, "mine")(2, 4, 14, out)
    shares = in_block_map(f"x.shares({json.dumps(LAUNCH)})")
    owners = {element: number for number, mine in enumerate(shares) for element in mine}
    assert out.tolist() == [owners[element] for element in range(14)]


@needs_node
@pytest.mark.parametrize("stride", [1, 2, 8, 64])
def test_the_block_map_counts_the_pieces_of_the_chapters_picture(stride, monkeypatch):
    monkeypatch.syspath_prepend(str(BOOK))
    from figures import threads

    launch = {**LAUNCH, "elements": 32, "threads": 32, "blocks": 1, "stride": stride}
    count = in_block_map(f"x.segments({json.dumps(launch)}, 0).length")
    assert f"stride {stride}: {count} pieces" in threads.segments([stride]).svg()


@needs_node
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"elements": 513}, "elements is 513; it goes from 0 to 512"),
        ({"elements": -1}, "elements is -1"),
        ({"threads": 0}, "threads is 0; it goes from 1 to 1024"),
        ({"threads": 1025}, "threads is 1025"),
        ({"blocks": 0}, "blocks is 0; it goes from 1 to 256"),
        ({"threads": 64, "blocks": 5}, "5 blocks of 64 are 320 threads; this map draws up to 256"),
        ({"stride": 65}, "stride is 65; it goes from 0 to 64"),
        ({"stride": 1.5}, "stride: expected a whole number"),
        ({"read": 3}, "read is 3, and no thread reads more often than 2"),
        ({"read": 2, "loop": False}, "read is 2, and no thread reads more often than 1"),
    ],
)
def test_the_block_map_says_what_is_wrong(change, message):
    assert message in in_block_map(f"x.problem({json.dumps({**LAUNCH, **change})})")


@needs_node
@pytest.mark.parametrize(
    ("change", "number", "words"),
    [
        ({}, 5, "Thread 1 of block 1 is number 1 * 4 + 1 = 5 and takes elements 5, 13."),
        ({}, 7, "takes element 7."),
        ({}, 7, "Read 1 of warp 0 in block 1 (4 threads) touches 1 piece of 32 bytes."),
        ({"elements": 5}, 6, "That is beyond the end: it takes nothing."),
        ({"elements": 5}, 0, "5 elements, 8 threads: 3 threads without work."),
        ({"loop": False}, 0, "14 elements, 8 threads: 6 elements that nobody takes, from 8 on."),
    ],
)
def test_the_block_map_says_who_handles_what(change, number, words):
    given = json.dumps({**LAUNCH, **change})
    calls = f"[x.sentence({given}, {number}), x.traffic({given}, {number}), x.whole({given})]"
    assert words in in_block_map(f"{calls}.join(' ')")


# ---- The plan explorer ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tabulated():
    """Return the numbers that the page on planning holds."""
    pages = (BOOK / "planning.ipynb").read_text("utf-8")
    outputs = [output for cell in json.loads(pages)["cells"] for output in cell.get("outputs", [])]
    htmls = ["".join(output.get("data", {}).get("text/html", "")) for output in outputs]
    (found,) = [html for html in htmls if "<plan-explorer" in html]
    return json.loads(re.search(r'json">(.*?)</script>', found)[1])


def explored(expression, table, choice):
    """Evaluate an expression that sees the explorer as `x`, a table and a choice."""
    known = f"((table, choice) => {expression})({json.dumps(table)}, {json.dumps(choice)})"
    return in_javascript(known, "plan_explorer.js")


SMALL = {
    "sliders": {"model": ["m"], "ranks": [8], "batch": [4], "tensor": [1, 8], "pipeline": [1, 2]}
    | {"ZeRO": [0], "recompute": ["none"]},
    "rows": [None, [4, 10, 20, 30, 40, 1000, 0, 500, 250, 250], [1] * 5 + [3000] + [0] * 4, None],
    "tokens": 10,
    "operations": {"m": 5e3},
    "peak": 1e5,
    "room": 9.0,
}
CHOICE = {"model": 0, "ranks": 0, "batch": 0, "tensor": 0, "pipeline": 1, "ZeRO": 0, "recompute": 0}


@needs_node
def test_the_plan_explorer_adds_up_a_row():
    found = explored("x.costs(table, choice)", SMALL, CHOICE)
    assert found["memory"] == [1, 2, 3, 4] and found["seconds"] == [1, 0, 0.5, 0.25, 0.25]
    assert found["mfu"] == pytest.approx(5e3 * 4 * 10 / (2 * 8 * 1e5))
    assert found["microBatches"] == 4 and found["fits"] is False
    other = explored("x.fastest(table, choice)", SMALL, CHOICE)
    assert other == {**CHOICE, "tensor": 1, "pipeline": 0}  # slower, but it fits


@needs_node
@pytest.mark.parametrize(
    ("tensor", "pipeline", "words"),
    [(0, 0, "4 samples cannot be dealt to 8 copies"), (1, 1, "8 tensor and 2 pipeline want 16")],
)
def test_the_plan_explorer_says_why_there_is_no_plan(tensor, pipeline, words):
    choice = {**CHOICE, "tensor": tensor, "pipeline": pipeline}
    assert explored("x.costs(table, choice)", SMALL, choice) is None
    assert words in explored("x.why(table, choice)", SMALL, choice)


@needs_node
def test_the_page_has_the_simulators_numbers_and_the_explorer_finds_them(tabulated):
    sliders = tabulated["sliders"]
    assert sliders == plans.SLIDERS
    tried = [*plans.plans()]
    assert [row is None for row in tabulated["rows"]] == [one is None for _, one, _ in tried]
    topology = cluster(H100, sliders["ranks"][-1] // 8)
    for number in range(5, len(tried), 400):
        model, plan_of, batch = tried[number]
        if plan_of is None:
            continue
        compute = plans.MODELS[model].on(H100)
        row = plans.row(simulate(compute, topology, plan_of, batch))
        assert tabulated["rows"][number] == row
        values = (model, plan_of.ranks, batch, plan_of.tensor, plan_of.pipeline, plan_of.zero)
        named = zip(sliders, (*values, plan_of.recompute), strict=True)
        choice = {name: sliders[name].index(value) for name, value in named}
        assert explored("x.place(table, choice)", {"sliders": sliders}, choice) == number
