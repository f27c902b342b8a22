"""Where tests find real data, and the promise that none of them uses the network."""

import os
import struct
from pathlib import Path

import pytest
from shared_fixtures import no_network as no_network

from norchvision.datasets import sources

REPOSITORY = Path(__file__).parents[3]


@pytest.fixture
def mnist_folder():
    """The folder of the real files: $NORCH_DATA, else ../shared/data, else the cache."""
    places = [
        os.environ.get("NORCH_DATA"),
        REPOSITORY.parent / "shared/data",
        sources.cache_folder(),
    ]
    for place in places:
        if place and sources.find_file(Path(place), "train-images-idx3-ubyte"):
            return place
    pytest.skip("MNIST is not here: set NORCH_DATA to a folder with its four .gz files")


@pytest.fixture
def small_files():
    """A set of 3 training and 2 test digits: {name: unpacked idx file}."""

    def idx(shape, values):
        return bytes([0, 0, 8, len(shape)]) + struct.pack(f">{len(shape)}I", *shape) + values

    files = {}
    for part, count in (("train", 3), ("t10k", 2)):
        pixels = b"".join(bytes([i]) * 784 for i in range(count))
        files[f"{part}-images-idx3-ubyte"] = idx((count, 28, 28), pixels)
        files[f"{part}-labels-idx1-ubyte"] = idx((count,), bytes(range(5, 5 + count)))
    return files
