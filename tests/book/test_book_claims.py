"""Sentences of the chapters about norch itself that no cell prints: each is asked of norch here.

What the book says of PyTorch is asked of PyTorch, in tests/parity/test_parity_book.py.
"""

import inspect
import re

import norch_away
import norch_times
import pytest
from prose import BOOK, NOTEBOOKS, cells, exercises, markdown

import norch
from norch import nn
from norch_autograd.engine import engine
from norch_ddp.data_parallel import buckets
from norch_ddp.transports import mpi_ring, slots

WRITTEN = {"script.py", "train.py"}  # files that a reader might write


def said(page, sentence):
    """Tell whether a chapter still says a sentence, whatever its line breaks."""
    text = "\n".join(one["text"] for one in cells(BOOK / "chapters" / f"{page}.ipynb", "markdown"))
    return sentence in " ".join(text.split())


def test_a_small_gradient_becomes_0_in_float16():
    assert said("07_attention", "In float16 a gradient below 3e-8 becomes 0.")
    below, above = norch.tensor([2.9e-8, 3.1e-8]).to(norch.float16).tolist()
    assert below == 0 < above


def test_the_check_of_derivatives_steps_by_a_millionth():
    assert said("04_autograd", "takes 64-bit numbers and a step of a millionth")
    assert inspect.signature(norch.gradcheck).parameters["eps"].default == 1e-6


def test_three_places_of_the_walk_call_another_file():
    assert said("04_autograd", "has three places where hooks and the profiler look on")
    text = inspect.getsource(engine).partition("\ndef run(")[2].partition("\ndef ")[0]
    assert text.count("# door: ") == 3


def test_buckets_and_messages_are_as_large_as_chapter_6_says():
    default = inspect.signature(nn.parallel.DistributedDataParallel).parameters["bucket_cap_mb"]
    assert said("06_ddp", "A bucket holds 1 MB by default.") and default.default == 1
    assert said("06_ddp", "A gradient of 256 KB or more that has a bucket to itself")
    assert buckets.LARGE_BYTES == 256 << 10
    assert said("06_ddp", "with up to eight ranks, a tensor of up to 1 KB travels in the message")
    assert (slots.ROOM_RANKS, slots.ROOM_BYTES) == (8, 1 << 10)
    assert said("06_ddp", "one of 1 MB and more goes by MPI's way or by a ring in pieces")
    assert mpi_ring.RING_BYTES == 1 << 20
    assert said("06_ddp", "What lies between goes by MPI's way.")


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
    assert said("07_attention", sentence)
    names = gpt_of_chapter_7()
    write, make_caches = names["write"], names["make_caches"]
    writer, start = names["GPT"](65, context=8, layers=1), norch.zeros(1, 1, dtype=norch.int64)
    assert write(writer, start, 20).shape[1] == 21
    assert write(writer, start, 8, make_caches=make_caches).shape[1] == 9
    with pytest.raises(IndexError):
        write(writer, start, 9, make_caches=make_caches)


def test_half_precision_keeps_sums_in_float32_and_weights_in_bfloat16():
    sentence = "norms and sums keep stays in float32, and a copy of the weights in bfloat16 is kept"
    assert said("07_attention", sentence)
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
    assert said("07_attention", "Head 2 of that layer has hardly any place of its own: 11 %")
    assert said("07_attention", "Of the eight above them three look for things that have a meaning")
    assert said("07_attention", "The other five take more from the step back than from any other")
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
    assert said("05_nn", sentence)
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


def test_llama_3_failed_once_for_each_gpu_in_almost_six_years():
    text = "".join(one["text"] for one in cells(BOOK / "planning.ipynb", "markdown"))
    days, gpus, failures = 54, 16384, 419
    assert re.search(rf"{failures} unforeseen interruptions in {days} days on 16,384 GPUs", text)
    assert 5.5 < days / 365 / failures * gpus < 6


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
