"""`meet` of context parallelism: chunks of scores, one after another, give the softmax of all."""

import math

import pytest

from norch_autograd import Tensor, full, zeros
from norch_ddp.model_parallel.context_parallel import meet

INF = math.inf


def worth(key):
    """Return the value of a key: two numbers."""
    return [(key + 1) / 4, ((key + 1) / 4) ** 2]


def met(lines, lengths):
    """Return (m, l, o / l) of each row of scores that comes in chunks of these lengths."""
    highest = full((1, 1, len(lines), 1), -INF)
    total, out, start = zeros(1, 1, len(lines), 1), zeros(1, 1, len(lines), 2), 0
    for length in lengths:
        keys = range(start, start + length)
        columns = [[line[key] for line in lines] for key in keys]
        s = Tensor([[columns]]).mT  # (1, 1, t, u), not contiguous
        highest, total, out = meet(highest, total, out, s, Tensor([[[worth(k) for k in keys]]]))
        start += length
    return [tensor.reshape(len(lines), -1).tolist() for tensor in (highest, total, out / total)]


def at_once(lines):
    """Return (m, l, o / l) of each whole row of scores, in plain numbers."""
    largest = [max(line) for line in lines]
    weights = [
        [math.exp(score - top) for score in line] for line, top in zip(lines, largest, strict=True)
    ]
    sums = [sum(row) for row in weights]
    mixed = [
        [sum(w * worth(key)[d] for key, w in enumerate(row)) / total for d in range(2)]
        for row, total in zip(weights, sums, strict=True)
    ]
    return [[[top] for top in largest], [[total] for total in sums], mixed]


@pytest.mark.parametrize(
    ("lines", "lengths"),
    [
        ([[0.5, 1.5]], [2]),
        ([[0.5, 1.5]], [1, 1]),
        ([[1.0, 2.0, 0.0, 3.0, 2.5]], [2, 2, 1]),
        ([[1.0, 2.0, 0.0], [3.0, 1.0, 2.0]], [2, 1]),
        ([[1000.0, 1001.0], [-1000.0, -1001.0]], [1, 1]),
        ([[2.0, 1.0, -INF, -INF], [0.0, -INF, 1.0, -INF]], [2, 2]),
        ([[1.0, -400.0], [-300.0, 2.0]], [1, 1]),
    ],
)
def test_chunks_one_after_another_give_the_softmax_of_all(lines, lengths):
    for found, expected in zip(met(lines, lengths), at_once(lines), strict=True):
        for row, right in zip(found, expected, strict=True):
            assert row == pytest.approx(right, rel=1e-5)
