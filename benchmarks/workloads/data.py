"""The data that examples learn from, as NumPy arrays: the real files, or noise of the same shapes.

The files lie in $NORCH_DATA, or in ../shared/data beside the checkout. `kind` says in a row's name
which it was. Only the few thousand samples that a row needs are read.
"""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import numpy as np

from benchmarks.processes import DATA
from benchmarks.workload import Arrays

Dice = np.random.Generator
MNIST = DATA / "mnist" / "train-images-idx3-ubyte.gz"
CIFAR10 = DATA / "cifar10-subset" / "data_batch_1.bin.gz"
NN5 = DATA / "nn5" / "train.csv.gz"
SHAKESPEARE = DATA / "tinyshakespeare" / "input.txt.gz"


def kind(file: Path) -> str:
    """Return the name of the data, or what stands in for them."""
    return file.parent.name if file.is_file() else f"noise for {file.parent.name}"


def head(file: Path, skip: int, count: int, dice: Dice, high: int = 256) -> np.ndarray:
    """Return `count` bytes of a packed file behind the first few, or random ones below `high`."""
    if not file.is_file():
        return dice.integers(0, high, count).astype(np.uint8)
    with gzip.open(file) as stream:
        stream.seek(skip)
        return np.frombuffer(stream.read(count), np.uint8).copy()


def digits(count: int, dice: Dice) -> Arrays:
    """Return images (count, 28, 28) of MNIST, as bytes, and their classes."""
    labels = MNIST.with_name("train-labels-idx1-ubyte.gz")
    pixels = head(MNIST, 16, count * 784, dice).reshape(count, 28, 28)
    return {"images": pixels, "classes": head(labels, 8, count, dice, 10).astype(np.int64)}


def photos(count: int, dice: Dice) -> Arrays:
    """Return images (count, 32, 32, 3) of CIFAR-10, as bytes, and their classes."""
    records = head(CIFAR10, 0, count * 3073, dice).reshape(count, 3073)
    pixels = records[:, 1:].reshape(count, 3, 32, 32).transpose(0, 2, 3, 1)
    return {"images": pixels.copy(), "classes": records[:, 0].astype(np.int64) % 10}


def series(days: int, dice: Dice) -> Arrays:
    """Return the first days of 111 cash machines, each less its mean, over its deviation."""
    values = dice.random((111, days))
    if NN5.is_file():
        with gzip.open(NN5, "rt", newline="") as file:
            values = np.array([row[:days] for row in csv.reader(file)], np.float64)
    values = (values - values.mean(1, keepdims=True)) / values.std(1, keepdims=True)
    return {"values": values.astype(np.float32)}


def characters(pieces: int, length: int, dice: Dice) -> Arrays:
    """Return pieces (pieces, length) of a text, each character as a number below 65."""
    text = head(SHAKESPEARE, 0, pieces * length, dice, 65)
    return {"text": np.unique(text, return_inverse=True)[1].reshape(pieces, length)}
