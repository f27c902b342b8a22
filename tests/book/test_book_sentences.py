"""Sentences of the pages that no cell shows: each is looked up in its page, and tried here.

They speak of norch, of NumPy, or of the library's sources; tests/parity/test_parity_pages.py asks
PyTorch.
"""

import ast
import re

import norch_times
import numpy as np
import pytest
from prose import BOOK, NOTEBOOKS, cells, markdown

import norch
import norch_cpu_ops as cpu
from norch_strides import StridedArray, contiguous, flip

STAGES = BOOK.parent / "stages"
PAGES = {path.stem: path for path in NOTEBOOKS}


def said(page, sentence):
    """Assert that a page says a sentence, wherever its lines break."""
    text = re.sub(r"\s+", " ", markdown(PAGES[page]))
    assert sentence in text, f"{page} no longer says: {sentence}"


def refused(action):
    """Say whether an action raises an error that a user may see."""
    try:
        action()
    except (RuntimeError, TypeError, ValueError, NotImplementedError):
        return True
    return False


def source(path):
    """Return a file of the stages."""
    return (STAGES / path).read_text(encoding="utf-8")


# ---- Chapter 1 -----------------------------------------------------------------------------------


def test_flip_is_a_view_in_stage_1_and_in_numpy():
    said("01_strides", "NumPy allows negative strides, and so does stage 1: its `flip` is a view.")
    array = StridedArray.from_nested([[1, 2], [3, 4]])
    assert array.flip(1).shares_buffer(array) and flip(contiguous((2,)), (0,)).strides == (-1,)
    x = np.arange(4.0)
    assert np.flip(x).strides == (-8,) and np.shares_memory(x, np.flip(x))


def test_flip_copies_in_the_finished_library():
    said("01_strides", "The finished library follows PyTorch there, and `norch.flip` copies too.")
    x = norch.arange(4)
    assert norch.flip(x, [0]).data_ptr() != x.data_ptr() and norch.flip(x, [0]).stride() == (1,)


def test_a_view_is_refused_where_a_reshape_copies():
    said("01_strides", "then copies, as PyTorch's does; PyTorch's `view` refuses.")
    array = StridedArray.from_nested([[1, 2], [3, 4]]).T
    assert not array.reshape(4).shares_buffer(array)
    turned = norch.arange(4).reshape(2, 2).T
    assert refused(lambda: turned.view(4)) and turned.reshape(4).data_ptr() != turned.data_ptr()


@pytest.mark.parametrize("page", ["01_strides", "02_cpu"])
def test_what_pytorch_does_is_what_norch_does(page):
    for code, value in compared(page):
        names = {"torch": norch}
        exec(code, names)
        assert value is None or eval(code.splitlines()[-1], names) == value, code


def compared(page):
    """List the lines of "What PyTorch does", all before each, and the value of its comment."""
    (block,) = re.findall(
        r"## What PyTorch does.*?```python\n(.*?)```", markdown(PAGES[page]), re.S
    )
    lines = block.splitlines()
    values = [re.search(r"# (\([\d, ]+\)|True|False)", line) for line in lines]
    return [
        ("\n".join(lines[: k + 1]), value and ast.literal_eval(value[1]))
        for k, value in enumerate(values)
    ]


# ---- Chapter 2 -----------------------------------------------------------------------------------


def test_small_integers_are_computed_with_as_chapter_2_says():
    said("02_cpu", "`int16` is stored and cast, and not computed with.")
    said("02_cpu", "A product of `int8` matrices asks for a cast to a type in which its sums fit.")
    bytes_, shorts = (norch.ones(2, 2, dtype=t) for t in (norch.int8, norch.int16))
    assert (bytes_ + bytes_).dtype == norch.int8 and (bytes_ * bytes_).sum().item() == 4
    assert refused(lambda: bytes_ @ bytes_) and refused(lambda: shorts + shorts)
    assert shorts.to(norch.int64).dtype == norch.int64
    said("02_cpu", "Left out: complex numbers.")
    assert not hasattr(norch, "complex64")


def test_a_third_type_holds_both():
    said("02_cpu", "Where neither can hold the other, the result is a third type that holds both.")
    ones = {t: cpu.ops.ones((1,), t) for t in (cpu.int8, cpu.uint8, cpu.float16, cpu.bfloat16)}
    assert cpu.ops.add(ones[cpu.float16], ones[cpu.bfloat16]).dtype == cpu.float32
    said("02_cpu", "norch does not compute with `int16`, so it takes `int32`.")
    assert cpu.ops.add(ones[cpu.int8], ones[cpu.uint8]).dtype == cpu.int32


def test_a_card_draws_the_same_uniform_numbers_and_nearly_the_same_normal_ones():
    said("02_cpu", "A graphics card draws the same uniform numbers, too.")
    said("02_cpu", "so there the last digits may differ")
    drawn = {}
    for kind in (norch.rand, norch.randn):
        for device in ("cpu", "cuda-sim"):
            norch.manual_seed(5)
            drawn[kind, device] = kind(1000, device=device).cpu()
    assert bool((drawn[norch.rand, "cpu"] == drawn[norch.rand, "cuda-sim"]).all())
    off = drawn[norch.randn, "cpu"] - drawn[norch.randn, "cuda-sim"]
    assert off.abs().max().item() < 1e-6


@pytest.mark.parametrize(
    ("page", "sentence", "path", "line"),
    [
        (
            "02_cpu",
            "Its words are computed thirty-two groups of four at a time",
            "02_cpu_ops/csrc/kernels/random_fill.h",
            "kQuads = 32, kBatch = 4 * kQuads;",
        ),
        (
            "02_cpu",
            "Then ten rounds mix the four words",
            "02_cpu_ops/csrc/kernels/philox.h",
            "kRounds = 10",
        ),
        (
            "02_cpu",
            "six rows of two vectors",
            "02_cpu_ops/csrc/kernels/lessons.cpp",
            "kTileRows = 6, kTileCols = 2 * kLanes<float>",
        ),
        (
            "02_cpu",
            "and `kTileRows` is six",
            "02_cpu_ops/csrc/kernels/lessons.cpp",
            "kTileRows = 6",
        ),
        (
            "02_cpu",
            "in runs of 1024 elements",
            "02_cpu_ops/csrc/core/plan.cpp",
            "kBlock = 1024;",
        ),
        (
            "02_cpu",
            "its upper 24 bits, divided by 2^24",
            "02_cpu_ops/csrc/kernels/philox.h",
            "(word(p, 0) >> 8) * 2^-24",
        ),
        (
            "faster",
            "for sixteen results of a 3 x 3 filter at a time",
            "02_cpu_ops/csrc/more/kernels/winograd_transform.h",
            "kOut = 4, kIn = 6",
        ),
        (
            "02_cpu",
            "nearly every kernel three times",
            "02_cpu_ops/csrc/core/isa.h",
            "kIsas[] = {Isa::baseline, Isa::avx2, Isa::avx512}",
        ),
        (
            "faster",
            "nearly all kernels are compiled three times",
            "02_cpu_ops/csrc/core/isa.h",
            "kIsas[] = {Isa::baseline, Isa::avx2, Isa::avx512}",
        ),
        (
            "03_cuda",
            "It has 16 by 16 threads",
            "03_cuda/csrc/matmul.cu",
            "constexpr int kTile = 16;",
        ),
        (
            "03_cuda",
            "`kWarp` is 32, `kAllLanes` the mask of all 32",
            "03_cuda/csrc/kernel.h",
            "constexpr int kWarp = 32;",
        ),
        (
            "03_cuda",
            "Let a thread compute a square of four by four results",
            "03_cuda/csrc/lessons/matmul.cu",
            "a thread has 4 x 4 results",
        ),
    ],
)
def test_a_number_of_the_sources_is_theirs(page, sentence, path, line):
    said(page, sentence)
    assert line in source(path)


# ---- Chapter 3 -----------------------------------------------------------------------------------


def test_one_warp_of_the_fold_that_is_replayed_never_adds():
    said("03_cuda", "Which warp adds nothing in the fold?")
    (cell,) = [
        one["text"] for one in cells(PAGES["03_cuda"], "code") if "sum_halves" in one["text"]
    ]
    assert "profile(fold, 1, 64, 64," in cell  # 64 threads: only those below 32 add
    text = source("03_cuda/csrc/lessons/sum.cu")
    assert "for (int half = blockDim.x / 2; half > 0" in text and "if (t < half) sums[t] +=" in text


def test_asynchronous_copies_and_clusters_are_left_out_of_the_kernels():
    said(
        "03_cuda",
        "Left out of norch's own kernels: asynchronous copies into shared memory, clusters",
    )
    kernels = [*(STAGES / "03_cuda" / "csrc").glob("*.cu"), *(STAGES / "03_cuda/csrc").glob("*.h")]
    assert len(kernels) > 20
    texts = "\n".join(path.read_text(encoding="utf-8") for path in kernels)
    assert not re.search(r"memcpy_async|cp\.async|cluster", texts)


def test_exercises_of_chapter_3_stand_where_it_says():
    said("03_cuda", "Exercises 3.10 and 3.11 wait in chapter 7. There is no 3.6.")
    shown = {
        stem: set(norch_times.shown_exercises(PAGES[stem])) for stem in ("03_cuda", "07_attention")
    }
    assert not {"3.6", "3.10", "3.11"} & shown["03_cuda"] and "3.10" in shown["07_attention"]
    assert {"3.8", "3.9", "3.15", "3.16", "3.17"} <= shown["03_cuda"]


# ---- Quantization, fusion ------------------------------------------------------------------------


def test_another_size_or_number_needs_no_other_kernel():
    said("fusion", "another size or another learning rate needs no other kernel")

    def step(p, grad, rate):
        return p - rate * grad * (grad + 1)

    fast = norch.compile(step, backend="fuse", options={"smallest": 1})
    fast(norch.ones(100), norch.ones(100), 0.1)
    fast(norch.ones(300), norch.ones(300), 0.5)
    assert len(fast.kernels) == 1
