"""Context parallelism without ranks: the softmax of chunks, and how much each works."""

import math

import pytest

from norch_autograd import Tensor, full, zeros
from norch_ddp.model_parallel.context_parallel import Order, meet

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


def worked(ranks, length, order):
    """Return how many scores each rank reckons in each round, its own chunk first."""
    rows = []
    for rank in range(ranks):
        seen = [order.seen(rank, (rank - step) % ranks, length) for step in range(ranks)]
        sizes = [pair and [part.stop - part.start for part in pair] for pair in seen]
        rows.append([size[0] * size[1] if size else 0 for size in sizes])
    return rows


@pytest.mark.parametrize("ranks", [2, 3, 4, 8])
def test_zigzag_order_gives_every_rank_the_same_work(ranks):
    """In every round, not in sum alone: a ring is as fast as its slowest rank."""
    rows = worked(ranks, 8, Order(is_causal=True, zigzag=True))
    assert rows == [[64] + [32] * (ranks - 1)] * ranks
    in_order = worked(ranks, 8, Order(is_causal=True, zigzag=False))
    assert [sum(row) for row in in_order] == [64 * (rank + 1) for rank in range(ranks)]
    assert [max(rounds) for rounds in zip(*in_order, strict=True)] == [64] * ranks


@pytest.mark.parametrize("zigzag", [False, True])
@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_every_query_meets_every_key_that_it_may_look_at_once(ranks, zigzag):
    """By number: which positions a rank has, and which pairs are met."""
    each = 4
    pieces = [list(range(start, start + 2)) for start in range(0, each * ranks, 2)]
    places = [
        pieces[r] + pieces[-1 - r] if zigzag else pieces[2 * r] + pieces[2 * r + 1]
        for r in range(ranks)
    ]
    met = []
    for rank in range(ranks):
        for chunk in range(ranks):
            rows, keys = Order(True, zigzag).seen(rank, chunk, each) or (slice(0), slice(0))
            for i, query in enumerate(places[rank][rows]):
                found = places[chunk][keys][: i + 1] if chunk == rank else places[chunk][keys]
                met += [(query, key) for key in found]
    assert sorted(met) == [(q, k) for q in range(each * ranks) for k in range(q + 1)]
