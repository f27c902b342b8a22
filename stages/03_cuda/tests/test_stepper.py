"""What the stepper replays, beside steps that can be worked out by hand.

How its page behaves in a browser is tested in tests/book/test_book_stepper.py.
"""

import json
import re

import numpy as np
import pytest
from cuda_lessons import MIRROR, SIM, floats, kernel

import norch_cuda
from norch_cuda.profiling.stepper import replay

EVERYBODY = 0xFFFFFFFF


def replayed(body, *arrays, grid=1, block=64, which=(0, 0, 0), **given):
    lesson = kernel(body, **given)
    arrays = arrays or (floats(), floats())
    return replay(norch_cuda.profile(lesson, grid, block, *arrays, replay=which).launches[0])


def short(step):
    """Warp, line, lanes and what is said after that."""
    return step["warp"], step["line"], step["mask"], step["said"].partition("lanes. ")[2]


def test_two_warps_take_turns_and_wait_at_the_barrier():
    data = replayed(MIRROR)
    read_one = "They read argument 1, elements {} to {}: 4 sectors."
    write_two = "They write argument 2, elements {} to {}: 4 sectors."
    share = "They {} shared memory in 1 pass."
    wait = "They wait at the barrier."
    by_line = {
        3: [f"{read_one.format(32 * w, 32 * w + 31)} {share.format('write')}" for w in (0, 1)],
        4: [wait, wait],
        5: [f"{share.format('read')} {write_two.format(32 * w, 32 * w + 31)}" for w in (0, 1)],
    }
    expected = [
        (warp, line, EVERYBODY, said)
        for line, both in by_line.items()
        for warp, said in enumerate(both)
    ]
    assert [short(step) for step in data["steps"] if step["line"] in by_line] == expected
    assert [step["line"] for step in data["steps"] if step["barrier"]] == [4, 4]


def test_what_is_written_and_read_has_its_place_and_its_value():
    data = replayed(MIRROR)
    (tile,) = data["arrays"]
    assert (tile["name"], tile["size"], tile["unit"]) == ("tile", 256, 4)
    written = next(step for step in data["steps"] if step["line"] == 3)["touched"][0]
    assert written["write"]
    assert tile["offset"] < 128  # counted from the first array, whatever lies before it
    assert written["offsets"] == [tile["offset"] + 4 * i for i in range(32)]
    assert written["values"] == [[str(i)] for i in range(32)]
    read = next(step for step in data["steps"] if step["line"] == 5)["touched"][0]
    assert not read["write"]
    assert read["values"] == [[str(63 - i)] for i in range(32)]


def test_lanes_that_go_different_ways_take_steps_of_their_own():
    body = """    if (threadIdx.x < 8)
      out[threadIdx.x] = 1;
    else
      out[threadIdx.x] = 2;"""
    steps = replayed(body, block=32)["steps"]
    assert [step["mask"] for step in steps if step["line"] == 3] == [0xFF]
    assert [step["mask"] for step in steps if step["line"] == 5] == [EVERYBODY ^ 0xFF]
    assert "8 of 32 lanes" in next(step for step in steps if step["line"] == 3)["said"]


def test_a_line_that_is_repeated_is_several_steps():
    body = "    for (int i = 0; i < 3; i++)\n      out[threadIdx.x + i] = 1;"
    steps = replayed(body, block=4)["steps"]
    assert [step["said"] for step in steps if step["line"] == 3] == [
        f"Warp 0, line 3: 4 of 4 lanes. They write argument 2, elements {i} to {i + 3}: 1 sector."
        for i in range(3)
    ]


def test_conflicts_atomics_and_shuffles_are_told():
    body = """    __shared__ int counts[64];
    counts[2 * threadIdx.x] = 5;
    atomicAdd(counts + threadIdx.x / 8, 1);
    int v = __shfl_down_sync(0xffffffff, counts[0], 1);
    out[threadIdx.x] = v;"""
    steps = replayed(body, block=32)["steps"]
    said = {step["line"]: step["said"] for step in steps}
    assert "They write shared memory in 2 passes." in said[3]
    assert "They write shared memory in 8 passes." in said[4]
    assert "They hand numbers to each other." in " ".join(step["said"] for step in steps)
    first = next(step for step in steps if step["line"] == 3)
    assert first["touched"][0]["values"] == [["5"]] * 32  # an int, not a float of its bytes


@pytest.mark.parametrize(
    ("kind", "element", "value"),
    [("double", "float64", "2.5"), ("long long", "int64", "2"), ("unsigned char", "uint8", "2")],
)
def test_numbers_are_shown_as_what_they_are(kind, element, value):
    body = """    __shared__ T tile[32];
    tile[threadIdx.x] = x[threadIdx.x];
    out[threadIdx.x] = tile[threadIdx.x];"""
    lesson = kernel(body, element=element)
    numbers = [SIM.from_buffer(np.full(32, 2.5).astype(element)) for _ in range(2)]
    data = replay(norch_cuda.profile(lesson, 1, 32, *numbers).launches[0])
    touched = next(step for step in data["steps"] if step["line"] == 3)["touched"][0]
    assert touched["values"] == [[value]] * 32


def test_another_block_can_be_replayed_and_a_missing_one_is_refused():
    body = "    out[blockIdx.x * 32 + threadIdx.x] = 1;"
    steps = replayed(body, grid=2, block=32, which=(1, 0, 0))["steps"]
    assert "elements 32 to 63" in steps[-1]["said"] or "elements 32 to 63" in steps[-2]["said"]
    with pytest.raises(ValueError, match=r"\[profile\] block \(7, 0, 0\) took no steps"):
        replayed(body, grid=2, block=32, which=(7, 0, 0))


def test_the_page_holds_the_data_and_asks_for_nothing(tmp_path):
    found = norch_cuda.profile(kernel(MIRROR + "  // </script>"), 1, 64, floats(), floats())
    page = found.html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text("utf-8") == page
    data = re.search(r"^const data = (.*);$", page, re.MULTILINE)[1]
    assert json.loads(data) == replay(found.launches[0])
    assert page.count("</script>") == 1
    assert not re.search(r"https?:|src=|href=", page)
