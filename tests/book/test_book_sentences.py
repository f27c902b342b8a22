"""Sentences of the pages that no cell shows: each is looked up in its page, and tried here.

They speak of norch, of NumPy, or of the library's sources; tests/parity/test_parity_book.py asks
PyTorch.
"""

import ast
import inspect
import re

import norch_away
import norch_times
import numpy as np
import pytest
from prose import BOOK, NOTEBOOKS, cells, exercises, markdown, said

import norch
import norch_cpu_ops as cpu
from norch import nn
from norch_autograd.engine import engine
from norch_ddp.data_parallel import buckets
from norch_ddp.transports import mpi_ring, slots
from norch_strides import StridedArray, contiguous, flip

STAGES = BOOK.parent / "stages"
WRITTEN = {"script.py", "train.py"}  # files that a reader might write
PAGES = {path.stem: path for path in NOTEBOOKS}


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


def test_two_pairs_of_types_have_no_wider_one():
    said("02_cpu", "`float16` with `bfloat16` makes `float32`")
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
            "constexpr int kIn = 6, kPlaces = kIn * kIn;",
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
            "Let a thread compute sixteen results, where four rows and four columns meet",
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


# ---- Chapters 4 to 7 -----------------------------------------------------------------------------


def test_the_check_of_derivatives_steps_by_a_millionth():
    said("04_autograd", "takes 64-bit numbers and a step of a millionth")
    assert inspect.signature(norch.gradcheck).parameters["eps"].default == 1e-6


def test_three_places_of_the_walk_call_another_file():
    said("04_autograd", "has three places where hooks and the profiler look on")
    text = inspect.getsource(engine).partition("\ndef run(")[2].partition("\ndef ")[0]
    assert text.count("# door: ") == 3


def gpt_of_chapter_7():
    """Run the cells of chapter 7 that define a GPT and write with it; return their names."""
    names = {"norch": norch, "nn": nn, "F": nn.functional}
    starts = ("class Attention", "class Block", "class GPT", "@norch.no_grad()\ndef write")
    starts += ("def make_caches",)
    for one in cells(BOOK / "chapters" / "07_attention.ipynb", "code"):
        if one["text"].startswith(starts):
            exec(one["text"], names)
    return names


def test_writing_with_a_cache_ends_where_the_context_is_full():
    sentence = "When the context is full, writing ends; without the cache `write` drops the oldest"
    said("07_attention", sentence)
    names = gpt_of_chapter_7()
    write, make_caches = names["write"], names["make_caches"]
    writer, start = names["GPT"](65, context=8, layers=1), norch.zeros(1, 1, dtype=norch.int64)
    assert write(writer, start, 20).shape[1] == 21
    assert write(writer, start, 8, make_caches=make_caches).shape[1] == 9
    with pytest.raises(IndexError):
        write(writer, start, 9, make_caches=make_caches)


def test_half_precision_keeps_sums_in_float32_and_weights_in_bfloat16():
    sentence = "norms and sums keep stays in float32, and a copy of the weights in bfloat16 is kept"
    said("07_attention", sentence)
    block, kept = gpt_of_chapter_7()["Block"](96, 4), []
    x = norch.randn(2, 8, 96, requires_grad=True)
    hooks = norch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t) or t, lambda t: t)
    with hooks, norch.autocast("cpu", dtype=norch.bfloat16):
        block(x)
    found = {(one.dtype, tuple(one.shape)) for one in kept}
    assert (norch.float32, (2, 8, 96)) in found  # what comes out of a sum, and goes into a norm
    weights = {tuple(one.shape) for one in block.parameters() if one.ndim == 2}
    assert weights == {(288, 96), (96, 96), (384, 96), (96, 384)}
    assert all((norch.bfloat16, shape) in found for shape in weights)


def test_the_heads_of_chapter_7_look_where_it_says():
    said("07_attention", "Head 2 of that layer has hardly any place of its own: 11 %")
    said("07_attention", "Of the eight above them three look for things that have a meaning")
    said("07_attention", "The other five take more from the step back than from any other")
    (printed,) = [
        "".join(one["outputs"][0]["text"])
        for one in cells(BOOK / "chapters" / "07_attention.ipynb", "code")
        if "evenly {even" in one["text"]
    ]
    line = r"layer (\d), head (\d): (.+?) +(\d+)%, evenly"
    heads = {(a, b): (place, int(share)) for a, b, place, share in re.findall(line, printed)}
    assert heads["1", "2"] == ("itself", 11)
    above = [heads[one] for one in heads if one[0] != "1"]
    back = [share for place, share in above if place == "the one before"]
    assert len(back) == 5 and max(back) < 50
    others = {place for place, _ in above} - {"the one before"}
    assert len(above) == 8 and others == {"start of the word", "before the word", "ends of lines"}


def test_the_gaps_of_stage_5_are_counted():
    sentence = "with twenty-two gaps, six of which belong to chapter 7"
    said("05_nn", sentence)
    fifth = [one for one in exercises() if one.startswith("5.")]
    last = norch_times.shown_exercises(BOOK / "chapters" / "07_attention.ipynb")
    assert (len(fifth), sum(one.startswith("5.") for one in last)) == (22, 6)


def test_adam_keeps_two_numbers_and_momentum_one():
    for make, kept in (
        (lambda p: norch.optim.SGD(p, lr=0.1), 0),
        (lambda p: norch.optim.SGD(p, lr=0.1, momentum=0.9), 1),
        (lambda p: norch.optim.Adam(p), 2),
    ):
        weight = nn.Parameter(norch.ones(8))
        optimizer = make([weight])
        weight.sum().backward()
        optimizer.step()
        state = [one for each in optimizer.state.values() for one in each.values()]
        same = [one for one in state if getattr(one, "shape", None) == weight.shape]
        assert len(same) == kept


def test_buckets_and_messages_are_as_large_as_chapter_6_says():
    default = inspect.signature(nn.parallel.DistributedDataParallel).parameters["bucket_cap_mb"]
    said("06_ddp", "A bucket holds 1 MB by default.")
    assert default.default == 1
    said("06_ddp", "A gradient of 256 KB or more that has a bucket to itself")
    assert buckets.LARGE_BYTES == 256 << 10
    said("06_ddp", "with up to eight ranks, a tensor of up to 1 KB travels in the message")
    assert (slots.ROOM_RANKS, slots.ROOM_BYTES) == (8, 1 << 10)
    said("06_ddp", "one of 1 MB and more goes by MPI's way or by a ring in pieces")
    said("06_ddp", "What lies between goes by MPI's way.")
    assert mpi_ring.RING_BYTES == 1 << 20


def test_a_small_gradient_becomes_0_in_float16():
    said("07_attention", "In float16 a gradient below 3e-8 becomes 0.")
    below, above = norch.tensor([2.9e-8, 3.1e-8]).to(norch.float16).tolist()
    assert below == 0 < above


# ---- Planning, fusion ----------------------------------------------------------------------------


def test_llama_3_failed_once_for_each_gpu_in_almost_six_years():
    days, gpus, failures = 54, 16384, 419
    count = f"{failures} unforeseen interruptions in {days} days on {gpus:,} GPUs"
    said("planning", f"{count}: one for each GPU in almost six years.")
    assert 5.5 < days / 365 / failures * gpus < 6


def test_another_size_or_number_needs_no_other_kernel():
    said("fusion", "another size or another learning rate needs no other kernel")

    def step(p, grad, rate):
        return p - rate * grad * (grad + 1)

    fast = norch.compile(step, backend="fuse", options={"smallest": 1})
    fast(norch.ones(100), norch.ones(100), 0.1)
    fast(norch.ones(300), norch.ones(300), 0.5)
    assert len(fast.kernels) == 1


# ---- Files ---------------------------------------------------------------------------------------


def files_of_ours():
    """List the files and folders of the library, the course and the lessons: their full paths."""
    tops = [BOOK.parent / one for one in ("stages", "extras", "examples", "course", "book/lessons")]
    found = [path for top in tops for path in top.rglob("*") if "__pycache__" not in path.parts]
    return [path.as_posix() + "/" * path.is_dir() for path in found]


def test_the_files_that_the_prose_names_exist():
    ours, missing = files_of_ours(), []
    for page in NOTEBOOKS:
        text = re.sub(r"```.*?```", "", markdown(page), flags=re.DOTALL)
        for span in re.findall(r"(?<!`)`(\w[\w./-]*(?:/|\.(?:py|cpp|cu|cuh|h|toml)))`(?!`)", text):
            known = norch_away.PATH.fullmatch(span) or span in WRITTEN
            if not known and not any(one.endswith(f"/{span}") for one in ours):
                missing.append((page.stem, span))
    assert missing == []
