"""Sentences of the chapters about norch itself that no cell prints: each is asked of norch here.

What the book says of PyTorch is asked of PyTorch, in tests/parity/test_parity_book.py.
"""

import inspect
import re

import norch_away
import norch_times
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
