"""EmbeddingBag: rows added up in bags, and who gets their gradients."""

import pytest

import norch_autograd as norch
from norch_extras.nn import EmbeddingBag, embedding_bag

BAG_TABLE = [[1.0, 2.0], [3.0, 4.0], [5.0, -6.0]]
BAG_NAMES, STARTS = norch.tensor([0, 1, 1, 2, 2, 2]), norch.tensor([0, 2, 2])


@pytest.mark.parametrize(
    ("options", "rows", "gradient"),
    [  # PyTorch 2.13's numbers
        ({"mode": "sum"}, [[4, 6], [0, 0], [18, -14]], [[1, 2], [6, 8], [15, 18]]),
        ({"mode": "mean"}, [[2, 3], [0, 0], [4.5, -3.5]], [[0.5, 1], [1.75, 2.5], [3.75, 4.5]]),
        ({"mode": "max"}, [[3, 4], [0, 0], [5, 4]], [[0, 0], [1, 8], [5, 0]]),
        ({"mode": "mean", "padding_idx": 1}, [[1, 2], [0, 0], [5, -6]], [[1, 2], [0, 0], [5, 6]]),
        ({"mode": "max", "padding_idx": -2}, [[1, 2], [0, 0], [5, -6]], [[1, 2], [0, 0], [5, 6]]),
        ({"mode": "sum", "per_sample_weights": norch.tensor([1.0, 2, 0, 1, 1, 0.5])},
         [[7, 10], [0, 0], [12.5, -15]], [[1, 2], [2, 4], [12.5, 15]]),
    ],
)  # fmt: skip
def test_bags(options, rows, gradient):
    table = norch.tensor(BAG_TABLE, requires_grad=True)
    bags = embedding_bag(BAG_NAMES, table, STARTS, **options)
    assert bags.tolist() == rows
    (bags * norch.tensor([[1.0, 2], [3, 4], [5, 6]])).sum().backward()
    assert norch.allclose(table.grad, norch.tensor(gradient, dtype=norch.float32))


def test_bags_of_equal_size_and_bags_with_their_end():
    layer = EmbeddingBag.from_pretrained(norch.tensor(BAG_TABLE), mode="sum")
    assert layer(norch.tensor([[0, 1], [2, 2]])).tolist() == [[4, 6], [10, -12]]
    assert not layer.weight.requires_grad
    ends = EmbeddingBag.from_pretrained(
        norch.tensor(BAG_TABLE), False, mode="max", include_last_offset=True
    )
    assert ends(norch.tensor([0, 1, 2]), norch.tensor([0, 2, 3])).tolist() == [[3, 4], [5, -6]]
    assert ends.weight.requires_grad
    shortened = EmbeddingBag(3, 2, max_norm=1.0, _weight=norch.tensor(BAG_TABLE))
    assert shortened(norch.tensor([[1]])).tolist() == [pytest.approx([0.6, 0.8])]
    weights = norch.ones(6, dtype=norch.float64, requires_grad=True)
    table = norch.rand(3, 2, dtype=norch.float64, requires_grad=True)
    assert norch.gradcheck(
        lambda t, w: embedding_bag(BAG_NAMES, t, STARTS, mode="sum", per_sample_weights=w),
        (table, weights),
    )


def test_a_bag_prints_its_options():
    layer = EmbeddingBag(10, 3, mode="sum", padding_idx=2, max_norm=1.0)
    assert repr(layer) == "EmbeddingBag(10, 3, max_norm=1.0, mode='sum', padding_idx=2)"
    assert layer.weight[2].tolist() == [0, 0, 0] and list(layer.state_dict()) == ["weight"]


def bag(*arguments, **options):
    """Look up bags in a table of 3 rows."""
    return lambda: embedding_bag(arguments[0], norch.ones(3, 2), *arguments[1:], **options)


zero = norch.tensor([0])


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (lambda: EmbeddingBag(4, 2, _weight=zero), AssertionError, "EmbeddingBag"),
        (lambda: EmbeddingBag.from_pretrained(zero), AssertionError, "of 2 dimensions"),
        (bag(zero), ValueError, "1 dimensions with no offsets"),
        (bag(zero.view(1, 1), zero), ValueError, "2 dimensions with offsets"),
        (bag(norch.tensor(0)), ValueError, "0 dimensions: expected 1 or 2"),
        (bag(zero, zero.view(1, 1)), ValueError, "expected one dimension"),
        (bag(zero, norch.tensor([1])), RuntimeError, "must begin with 0"),
        (bag(zero, norch.tensor([0, 5])), RuntimeError, "lie within 1 names"),
        (bag(norch.tensor([3]), zero), IndexError, "3"),
        (bag(zero, zero, mode="last"), ValueError, "mode is 'last'"),
        (bag(zero, zero, per_sample_weights=norch.ones(1)), NotImplementedError, "mode 'sum'"),
        (bag(zero, zero, mode="sum", per_sample_weights=norch.ones(2)), ValueError, "shape"),
        (bag(zero, zero, sparse=True), NotImplementedError, "sparse=False"),
        (bag(zero, zero, padding_idx=3), RuntimeError, "padding_idx 3"),
    ],
)
def test_bad_arguments(action, error, message):
    with pytest.raises(error, match=message):
        action()


def test_offsets_that_go_back_are_refused():
    with pytest.raises(RuntimeError, match="never go back"):
        embedding_bag(norch.tensor([1, 1, 0]), norch.ones(2, 1), norch.tensor([0, 2, 1]))


def test_a_bag_has_no_row_for_padding_beyond_the_table():
    with pytest.raises(RuntimeError, match="padding_idx 2 is out of range"):
        embedding_bag(norch.tensor([[0]]), norch.ones(2, 1), padding_idx=2)
