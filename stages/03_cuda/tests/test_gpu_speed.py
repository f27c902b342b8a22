"""Are kernels as fast as gpu_expectations.toml expects of this GPU? Right or wrong, row by row.

Only a GPU that the file names can tell, under `make gpu-check`: nothing else here takes a time. The
rows themselves, their counts and the judgement are tried anywhere.
"""

import math
import time
import tomllib
from pathlib import Path

import pytest

import norch_cpu_ops as cpu
import norch_cuda
from norch_cuda.profiling.gpus import GPUS

ROWS = tomllib.loads(Path(__file__).with_name("gpu_expectations.toml").read_text())["speed"]
NAMES = [f"{row['call']}-{'x'.join(map(str, row['shapes'][0]))}-{i}" for i, row in enumerate(ROWS)]
ITEMS = {"float32": 4, "float16": 2, "int64": 8}
ALLOWED = 0.9  # of the expected fraction: what a measurement may vary by
REPEATS = 20
rows = pytest.mark.parametrize("row", ROWS, ids=NAMES)


def least_seconds(row, gpu):
    """The time at the GPU's peaks; those of halves are of tensor cores."""
    halves = row.get("dtype") == "float16"
    peak = gpu.peak * gpu.tensor / gpu.lanes if halves else gpu.peak
    return max(row["bytes"] / gpu.bandwidth, row["flops"] / peak) * 1e-9


def judge(row, name, seconds):
    """Whether a row is right on a GPU, and the sentence that says so."""
    expected, found = row["fraction"][name], least_seconds(row, GPUS[name]) / seconds
    right = found >= ALLOWED * expected
    return right, (
        f"{row['call']} {row['shapes']} on {name}: {found:.0%} of its limit, expected "
        f"{expected:.0%}: {'right' if right else 'wrong'}"
    )


def dtypes(row):
    """The dtypes of a row's arrays: `indices` makes the last one whole numbers below it."""
    floats = [row.get("dtype", "float32")] * (len(row["shapes"]) - ("indices" in row))
    return [*floats, "int64"] if "indices" in row else floats


def draw(ops, shape, dtype, below):
    """An array of random numbers, whole ones below `below`."""
    if dtype == "int64":
        return ops.randint(shape, 0, below, 1, 0)
    return ops.cast(ops.uniform(shape, 0.25, 0.75, cpu.float32, 1, 0), getattr(cpu, dtype))


def call(ops, row):
    """A function that makes the row's call once, on arrays made now."""
    given = zip(row["shapes"], dtypes(row), strict=True)
    arrays = [draw(ops, tuple(shape), dtype, row.get("indices")) for shape, dtype in given]
    return lambda: getattr(ops, row["call"])(*arrays, *row.get("arguments", []))


def smaller(row):
    """The row for the simulator: what it says in `small`, or no size above 8."""
    shapes = [[min(size, 8) for size in shape] for shape in row["shapes"]]
    return {**row, "shapes": shapes, "result": [min(size, 8) for size in row["result"]]} | row.get(
        "small", {}
    )


@rows
def test_a_row_counts_each_array_once(row):
    """A row whose kernels move more says in `moves` what."""
    items = [ITEMS[name] for name in (*dtypes(row), row.get("dtype", "float32"))]
    sizes = map(math.prod, [*row["shapes"], row["result"]])
    once = sum(size * item for size, item in zip(sizes, items, strict=True))
    assert row["bytes"] > once if "moves" in row else row["bytes"] == once


@rows
def test_a_row_expects_a_part_of_the_limit_on_each_gpu(row):
    assert row["fraction"].keys() == GPUS.keys()
    assert all(0 < fraction < 1 for fraction in row["fraction"].values())
    assert row["why"]


@rows
def test_a_row_names_a_call_with_this_result(row):
    row = smaller(row)
    out = call(norch_cuda.ops_for("cuda-sim"), row)()
    assert (out[0] if isinstance(out, tuple) else out).shape == tuple(row["result"])


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (1.2e-3, "add [[8], [8]] on A100: 83% of its limit, expected 80%: right"),
        (1.3e-3, "add [[8], [8]] on A100: 77% of its limit, expected 80%: right"),
        (2e-3, "add [[8], [8]] on A100: 50% of its limit, expected 80%: wrong"),
    ],
)
def test_a_row_is_right_or_wrong(seconds, said):
    row = {"call": "add", "shapes": [[8], [8]], "fraction": {"A100": 0.8}}
    memory, arithmetic = {"bytes": 1_555_000_000, "flops": 1}, {"bytes": 1, "flops": 19_491_840_000}
    for counts in (memory, arithmetic):  # a millisecond, either way
        assert judge({**row, **counts}, "A100", seconds) == (said.endswith("right"), said)


def model():
    """This machine's GPU among those that the rows name, or None."""
    if not norch_cuda.is_available():
        return None
    name = norch_cuda.get_device_name(0)
    return next((known for known in GPUS if known in name), None)


@pytest.mark.gpu
@rows
def test_a_kernel_is_as_fast_as_expected(row):
    name = model()
    if name is None:
        pytest.skip(f"no GPU here that a row expects something of: {', '.join(GPUS)}")
    ops = norch_cuda.ops_for("cuda")
    once = call(ops, row)
    once()
    ops.backend.synchronize()
    start = time.perf_counter()
    for _ in range(REPEATS):
        once()
    ops.backend.synchronize()
    right, said = judge(row, name, (time.perf_counter() - start) / REPEATS)
    print(said)
    assert right, said
