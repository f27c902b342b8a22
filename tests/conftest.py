"""What several test files share: a set of digits that is small and easy to learn; and a heap of
tests that the garbage collector leaves alone.
"""

import gc
import gzip
import random
import struct

import hypothesis
import pytest
from hypothesis.strategies import none


def pytest_collection_finish():
    """Take what was collected, tens of thousands of tests, out of what garbage is looked for in.

    Else each `gc.collect()` of a test walks through all of them, for half a second. Before, one
    test of hypothesis: at its first it looks who holds its random numbers, which are hidden then.
    """
    hypothesis.given(none())(lambda nothing: None)()
    gc.collect()
    gc.freeze()


def write_idx(path, shape, values):
    header = bytes([0, 0, 8, len(shape)]) + struct.pack(f">{len(shape)}I", *shape)
    path.write_bytes(gzip.compress(header + bytes(values), 1))


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """Easy digits: label d is a bright row 2d, in noise. 400 to train on, 50 to test."""
    folder, dice = tmp_path_factory.mktemp("data"), random.Random(0)
    for part, count in (("train", 400), ("t10k", 50)):
        labels = [dice.randrange(10) for _ in range(count)]
        pixels = bytearray(dice.randrange(60) for _ in range(count * 784))
        for i, label in enumerate(labels):
            start = i * 784 + 2 * label * 28
            pixels[start : start + 28] = b"\xff" * 28
        write_idx(folder / f"{part}-images-idx3-ubyte.gz", (count, 28, 28), pixels)
        write_idx(folder / f"{part}-labels-idx1-ubyte.gz", (count,), labels)
    return folder
