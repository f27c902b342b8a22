"""The book is whole: every cell was run, every picture is described, every page stands in the list.

Here are only the checks that nbval cannot make; nbval compares the outputs themselves.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import norch_autograd as norch
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

BOOK = Path(__file__).resolve().parent.parent / "book"
CHAPTERS = sorted((BOOK / "chapters").glob("*.ipynb"))
NOTEBOOKS = [*CHAPTERS, *sorted(BOOK.glob("*.ipynb"))]
PAGES = [*NOTEBOOKS, *sorted(BOOK.glob("*.md"))]
LONGEST_CELL = 20


def cells(path, kind):
    """Return the cells of one kind, with their text as one string."""
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [
        {**cell, "text": "".join(cell["source"])} for cell in found if cell["cell_type"] == kind
    ]


def prose(path):
    """Return the text of a page."""
    if path.suffix == ".md":
        return path.read_text(encoding="utf-8")
    return "\n".join(cell["text"] for cell in cells(path, "markdown"))


def not_run(code_cells):
    """Name the cells that were not run, in order, from a fresh kernel."""
    counts = [cell["execution_count"] for cell in code_cells]
    return [cell["text"] for cell, n in zip(code_cells, counts, strict=True) if n is None] or (
        [] if counts == list(range(1, len(counts) + 1)) else [f"run out of order: {counts}"]
    )


def errors(code_cells):
    """Name the errors stored in the outputs."""
    outputs = [output for cell in code_cells for output in cell["outputs"]]
    return [output["ename"] for output in outputs if output["output_type"] == "error"]


def torn(code_cells):
    """Name the cells whose printed text is stored in pieces: a page shows several boxes."""
    kinds = [[output["output_type"] for output in cell["outputs"]] for cell in code_cells]
    pairs = zip(code_cells, kinds, strict=True)
    return [cell["text"] for cell, found in pairs if found.count("stream") > 1]


def undescribed(code_cells):
    """Name the pictures in the outputs that say nothing to those who cannot see them."""
    missing = []
    for cell in code_cells:
        for output in cell["outputs"]:
            data = output.get("data", {})
            missing += [kind for kind in data if kind in ("image/png", "image/jpeg")]
            html = "".join(data.get("text/html", []))
            drawings = re.findall(r"<svg [^>]*>\s*<title>", html)
            named = [one for one in drawings if re.search(r'aria-label="[^"]{20,}"', one)]
            missing += ["svg"] * (html.count("<svg") - len(named))
            missing += re.findall(r"<img (?![^>]*alt=\"[^\"]+\")[^>]*>", html)
    return missing


def test_there_is_a_chapter():
    assert [path.name for path in NOTEBOOKS][:1] == ["01_strides.ipynb"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_was_run_without_error(path):
    code = cells(path, "code")
    assert code and all(cell["text"].strip() for cell in code)
    assert not_run(code) == []
    assert errors(code) == []
    assert torn(code) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_picture_is_described(path):
    assert undescribed(cells(path, "code")) == []
    assert re.findall(r"!\[\s*\]\(", prose(path)) == []


def test_these_checks_can_fail():
    drawing = {
        "data": {"text/html": ['<svg viewBox="0 0 1 1"></svg>']},
        "output_type": "display_data",
    }
    broken = {"ename": "ValueError", "output_type": "error"}
    cell = {"text": "1 + 1", "execution_count": None, "outputs": [drawing, broken]}
    assert not_run([cell]) == ["1 + 1"]
    assert not_run([{**cell, "execution_count": 7}]) == ["run out of order: [7]"]
    assert errors([cell]) == ["ValueError"]
    assert torn([{**cell, "outputs": [{"output_type": "stream"}] * 2}]) == ["1 + 1"]
    assert undescribed([cell]) == ["svg"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_cells_are_short_and_timed_cells_hold_a_bound(path):
    for cell in cells(path, "code"):
        assert cell["text"].count("\n") < LONGEST_CELL, cell["text"]
        timed = "perf_counter" in cell["text"] or ".measure_" in cell["text"]
        ignored = "nbval-ignore-output" in cell["metadata"].get("tags", [])
        assert timed == ignored, cell["text"]
        assert not timed or "assert " in cell["text"], cell["text"]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_has_its_eight_beats_in_order(path):
    beats = [
        "The question",
        "What PyTorch does",
        "By hand",
        "The code",
        "Predict, then run",
        "Your turn",
        "What it costs",
        "What we left out",
    ]
    found = re.findall(r"^## (.+)$", prose(path), re.MULTILINE)
    assert [name for name in found if name in beats] == beats


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_code_of_the_library_is_included_from_its_source(path):
    pattern = r"```\{literalinclude\} (\S+)\n(?::language: \w+\n)?:pyobject: (\w+)"
    for file, name in re.findall(pattern, prose(path)):
        source = (path.parent / file).resolve().read_text(encoding="utf-8")
        assert re.search(rf"^(def|class) {name}\b", source, re.MULTILINE), (file, name)
    assert "\ndef " not in prose(path), "code pasted into prose"


def test_the_list_of_pages_is_complete():
    listed = set(re.findall(r"(?:root|file): (\S+)", (BOOK / "_toc.yml").read_text("utf-8")))
    assert listed == {str(path.relative_to(BOOK).with_suffix("")) for path in PAGES}


def test_nothing_is_fetched_from_the_network():
    for path in (BOOK / "_static").glob("*.*"):
        assert not re.search(r"https?://(?!www\.w3\.org)", path.read_text("utf-8")), path


def test_figures_are_the_same_on_every_run():
    draw = "from figures import memory; from norch_strides import contiguous as c; "
    draw += "print(memory.walk(c((3, 4)), 12).svg(), memory.table_and_memory(c((2, 3)), 6).svg())"
    runs = {
        subprocess.run(
            [sys.executable, "-c", draw],
            cwd=BOOK,
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1


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


# ---- The autograd stepper ------------------------------------------------------------------------

FORMULAS = {
    "line": lambda w, x, b: [m := w * x, m + b],
    "diamond": lambda a: [b := a * 1, c := b * 2, d := b * 3, c + d],
    "square": lambda x: [x * x],
}
NUMBERS = [(2.0, 3.0, 1.0), (0.0, -1.5, 4.0), (-0.1, 1000.0, 0.3)]


def stepped(expression):
    """Evaluate an expression that sees the stepper as `x`."""
    return in_javascript(expression, "autograd_stepper.js")


def walked(key, leaves, impatient=False):
    """Return the stepper's finished walk; its places are in the order of their creation."""
    start = f"x.start(x.build({json.dumps(key)}, {json.dumps(leaves)}), {json.dumps(impatient)})"
    return stepped(f"x.finish({start})")


def recorded(key, values):
    """Compute a formula of the stepper with norch; return leaves and made tensors by name."""
    parts = FORMULAS[key].__code__
    names = parts.co_varnames[: parts.co_argcount]
    leaves = [norch.tensor(value, dtype=norch.float64, requires_grad=True) for value in values]
    found = dict(zip(names, leaves, strict=False))
    return found, FORMULAS[key](*found.values())


@needs_node
@pytest.mark.parametrize("values", NUMBERS)
@pytest.mark.parametrize("key", FORMULAS)
def test_the_stepper_computes_what_the_engine_computes(key, values):
    leaves, made = recorded(key, values)
    walk = walked(key, {name: leaf.item() for name, leaf in leaves.items()})
    places = walk["graph"]["places"]
    assert [places[name]["value"] for name in places if name not in leaves] == [
        tensor.item() for tensor in made
    ]
    made[-1].backward()
    assert {name: walk["total"][name] for name in leaves} == {
        name: leaf.grad.item() for name, leaf in leaves.items()
    }


@needs_node
@pytest.mark.parametrize("key", FORMULAS)
def test_the_stepper_runs_the_nodes_in_the_order_of_the_engine(key):
    leaves, made = recorded(key, NUMBERS[0])
    walk = walked(key, {name: leaf.item() for name, leaf in leaves.items()})
    names = [name for name in walk["graph"]["places"] if name not in leaves]
    order, _ = norch.engine.plan([made[-1].node])
    nodes = [tensor.node for tensor in made]
    assert walk["ran"] == [names[nodes.index(node)] for node in order]


@needs_node
@pytest.mark.parametrize("key", FORMULAS)
def test_the_steppers_impatient_walk_is_as_wrong_as_the_lessons(key, monkeypatch):
    monkeypatch.syspath_prepend(BOOK)
    from lessons import walks

    leaves, made = recorded(key, NUMBERS[0])
    walk = walked(key, {name: leaf.item() for name, leaf in leaves.items()}, impatient=True)
    visits = []
    total = walks.impatient(made[-1], lambda node, blame: visits.append(blame.item()))
    assert {name: walk["total"][name] for name in leaves} == {
        name: total[leaf].item() for name, leaf in leaves.items()
    }
    assert len(walk["ran"]) == len(visits)


@needs_node
def test_the_stepper_says_what_happens():
    walk = "x.step(x.step(x.start(x.build('diamond', {a: 1}))))"
    assert "3 to b. b must wait: c uses it too and has not run." in stepped(f"x.told({walk})")
    hurried = "x.finish(x.start(x.build('diamond', {a: 1}), true))"
    assert "b runs again, and sends on its whole total, 5" in stepped(f"x.told({hurried})")
    assert "Blame of a: 7. That is wrong; right is a: 5." in stepped(f"x.result({hurried})")


@needs_node
@pytest.mark.parametrize(
    ("text", "message"),
    [("-2.5", None), ("", 'w is ""'), ("two", 'w is "two": expected'), ("1e9", "from -1000 to")],
)
def test_the_stepper_refuses_what_is_no_number(text, message):
    found = stepped(f"x.problem('w', {json.dumps(text)})")
    assert found is None if message is None else message in found
