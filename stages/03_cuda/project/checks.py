"""The properties of project 3: the gradient of a weight, right on awkward shapes, with few reads.

`make project 3` hands `product.cu` to each function in turn. Counts are the simulator's, of one
product of 64 x 64 matrices; ours are those of `matmul`, the tiled kernel of `matmul.cu`.
"""

import re
from functools import cache
from pathlib import Path

import numpy as np

import norch_cuda
import norch_strides
from norch_course.projects import NotYet, claim
from norch_cuda import load_kernel, profile, simulator
from norch_cuda.profiling.result import Profile

SIM = norch_cuda.ops_for("cuda-sim")
NUMBERS = ("kThreadsX", "kThreadsY", "kRows", "kColumns")
SHAPES = [  # k, m, n
    *[(1, 1, 1), (2, 3, 4), (16, 16, 16), (17, 15, 33), (1, 70, 2), (130, 1, 1)],
    *[(3, 65, 64), (32, 64, 130), (40, 100, 7), (33, 31, 65)],
]
SIDE = 64  # from here on `matmul` takes a kernel of the lessons
MOST = 64  # elements of out a thread: each wants a register, and a GPU's thread has 255


@cache
def sizes(file: Path) -> dict[str, int]:
    """Return the four numbers of the learner's file."""
    text = file.read_text(encoding="utf-8")
    found = {name: re.search(rf"\b{name} = (\d+)[,;]", text) for name in NUMBERS}
    missing = [name for name in NUMBERS if not found[name]]
    if missing:
        raise NotYet(f"{missing[0]} is no number", "write `constexpr int kRows = 64;` and so on.")
    return {name: int(match[1]) for name, match in found.items()}


def operands(k: int, m: int, n: int) -> list[norch_cuda.CudaArray]:
    """Return x and g of whole numbers, whose sums are exact in any order."""
    draw = np.random.default_rng(k + m + n)
    pair = (draw.integers(-9, 10, shape).astype(np.float32) for shape in [(k, m), (k, n)])
    return [SIM.from_buffer(array) for array in pair]


def product(file: Path, x: norch_cuda.CudaArray, g: norch_cuda.CudaArray) -> norch_cuda.CudaArray:
    """Launch the learner's kernel."""
    given, (k, m), n = sizes(file), x.shape, g.shape[1]
    out = SIM.empty((m, n), x.dtype)  # on the simulator full of NaN
    grid = (-(-n // given["kColumns"]), -(-m // given["kRows"]))
    kernel = load_kernel(file, "product")
    kernel(grid, (given["kThreadsX"], given["kThreadsY"]), m, n, k, x, g, out)
    return out


@cache
def counted(file: Path | None) -> Profile:
    """Return what the learner's kernel does, or without a file what ours does."""
    x, g = operands(SIDE, SIDE, SIDE)
    if file:
        return profile(product, file, x, g)
    return profile(SIM.matmul, x.view(norch_strides.transpose(x.layout, 0, 1)), g)


@claim("right")
def right(file: Path) -> str:
    """Every access is watched, threads take their turns in both orders."""
    for shape in SHAPES:
        x, g = operands(*shape)
        wanted = np.array(x.tolist()).T @ np.array(g.tolist())
        for order in ("forward", "reversed"):
            with simulator(order=order, check=True):
                got = np.array(product(file, x, g).tolist())
            if not np.array_equal(got, wanted):
                i, j = np.argwhere(got != wanted)[0]
                raise NotYet(
                    f"x {shape[:2]}, g {shape[::2]}: out[{i}, {j}] = {got[i, j]:g}, "
                    f"expected {wanted[i, j]:g}",
                    "is something outside a matrix counted, or something inside left out?",
                )
    return f"{len(SHAPES)} shapes, every access watched"


def fewer(file: Path, name: str, advice: str) -> str:
    """Compare a sum over all lines with ours; half of it is asked for."""
    mine, ours = (sum(getattr(line, name) for line in counted(of).lines) for of in (file, None))
    if 2 * mine > ours:
        raise NotYet(f"{mine:,}, ours {ours:,}", advice)
    return f"{mine:,}, ours {ours:,}"


@claim("bytes fetched")
def fetched(file: Path) -> str:
    """From global memory, by all threads."""
    advice = "at most half of ours: how often is a number used after it was fetched once?"
    return fewer(file, "bytes_read", advice)


@claim("shared passes")
def shared(file: Path) -> str:
    """A pass serves the 32 banks once: conflicts count, four floats in one read count as four."""
    mine = sum(line.passes for line in counted(file).lines)
    if not mine:
        raise NotYet("0", "nothing is shared: each thread fetches what its neighbour fetches too.")
    advice = "at most half of ours: what a thread has in a register need not be read again."
    return fewer(file, "passes", advice)


@claim("moved in vain")
def coalesced(file: Path) -> str:
    """Memory hands out 32 bytes at a time."""
    useful = counted(file).efficiency
    if useful < 0.9:
        raise NotYet(f"{1 - useful:.0%}", "at most 10 %: threads side by side read side by side.")
    return f"{1 - useful:.0%}"


@claim("registers")
def registers(file: Path) -> str:
    """A GPU's thread has 255 of them."""
    given = sizes(file)
    area = given["kRows"] * given["kColumns"]
    each = area / (given["kThreadsX"] * given["kThreadsY"])
    if each > MOST:
        raise NotYet(f"{each:g} sums a thread", f"at most {MOST}: each wants a register.")
    return f"{each:g} sums a thread"
