"""Embedding: rows, who gets their gradients, and rows that are shortened."""

import pytest

import norch_autograd as norch
import norch_nn as nn
from norch_nn import functional as F

TABLE = [[3.0, 4.0], [0.25, 0.5], [6.0, 8.0], [1.0, 0.0]]
NAMES = [[2, 0, 2], [1, 2, 0]]


def lookup(**options):
    """Rows and gradient of a table under `options`."""
    layer = nn.Embedding.from_pretrained(norch.tensor(TABLE), freeze=False, **options)
    rows = layer(norch.tensor(NAMES).t().contiguous().t())
    rows.sum().backward()
    return rows.detach(), layer.weight.grad[:, 0].tolist(), layer.weight.detach()


@pytest.mark.parametrize(
    ("options", "gradient"),
    [
        ({}, [2, 1, 3, 0]),
        ({"padding_idx": 2}, [2, 1, 0, 0]),
        ({"padding_idx": -4}, [0, 1, 3, 0]),
        ({"scale_grad_by_freq": True}, [1, 1, 1, 0]),
        ({"scale_grad_by_freq": True, "padding_idx": 0}, [0, 1, 1, 0]),
    ],
)
def test_rows_and_their_gradient(options, gradient):
    rows, found, table = lookup(**options)
    assert rows.tolist() == [[TABLE[i] for i in line] for line in NAMES]
    assert found == pytest.approx(gradient) and norch.equal(table, norch.tensor(TABLE))


def test_max_norm_shortens_what_is_looked_up_in_place():
    rows, _, table = lookup(max_norm=1.0)
    expected = norch.tensor([[0.6, 0.8], [0.25, 0.5], [0.6, 0.8], [1.0, 0.0]])
    assert norch.allclose(table, expected) and norch.allclose(rows[0, 0], expected[2])
    layer = nn.Embedding.from_pretrained(norch.tensor(TABLE), max_norm=1.0, norm_type=1.0)
    layer(norch.tensor([0]))
    assert layer.weight[0].tolist() == pytest.approx([3 / 7, 4 / 7])
    assert layer.weight[2].tolist() == [6, 8]  # not looked up, not shortened


def test_gradcheck_and_second_order():
    weight = norch.randn(4, 2, dtype=norch.float64, requires_grad=True)
    names = norch.tensor(NAMES)

    def squares(weight):
        rows = F.embedding(names, weight, padding_idx=1, scale_grad_by_freq=False)
        return (rows.detach() * rows).sum()

    (gradient,) = norch.grad(squares(weight), [weight])
    assert gradient[1].tolist() == [0, 0]
    assert norch.gradcheck(lambda w: F.embedding(names, w) ** 2, (weight,))
    assert norch.gradgradcheck(lambda w: F.embedding(names, w) ** 2, (weight,))


def test_first_values():
    norch.manual_seed(0)
    layer = nn.Embedding(1000, 10, padding_idx=-1)
    assert layer.padding_idx == 999 and layer.weight[999].tolist() == [0] * 10
    assert layer.weight.std().item() == pytest.approx(1, abs=0.03)
    assert repr(layer) == "Embedding(1000, 10, padding_idx=999)"
    assert list(layer.state_dict()) == ["weight"] and layer.weight.requires_grad


def test_from_pretrained_shares_and_freezes():
    table = norch.tensor(TABLE)
    layer = nn.Embedding.from_pretrained(table)
    assert not layer.weight.requires_grad and layer.weight.data_ptr() == table.data_ptr()


@pytest.mark.parametrize("shape", [(), (0,), (2, 0), (2, 1, 3)])
def test_shapes(shape):
    assert nn.Embedding(4, 5)(norch.zeros(*shape, dtype=norch.int64)).shape == (*shape, 5)
    assert nn.Embedding(4, 5)(norch.zeros(shape, dtype=norch.int32)).shape == (*shape, 5)


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
    bags = F.embedding_bag(BAG_NAMES, table, STARTS, **options)
    assert bags.tolist() == rows
    (bags * norch.tensor([[1.0, 2], [3, 4], [5, 6]])).sum().backward()
    assert norch.allclose(table.grad, norch.tensor(gradient, dtype=norch.float32))


def test_bags_of_equal_size_and_bags_with_their_end():
    layer = nn.EmbeddingBag.from_pretrained(norch.tensor(BAG_TABLE), mode="sum")
    assert layer(norch.tensor([[0, 1], [2, 2]])).tolist() == [[4, 6], [10, -12]]
    assert not layer.weight.requires_grad
    ends = nn.EmbeddingBag.from_pretrained(
        norch.tensor(BAG_TABLE), False, mode="max", include_last_offset=True
    )
    assert ends(norch.tensor([0, 1, 2]), norch.tensor([0, 2, 3])).tolist() == [[3, 4], [5, -6]]
    assert ends.weight.requires_grad
    shortened = nn.EmbeddingBag(3, 2, max_norm=1.0, _weight=norch.tensor(BAG_TABLE))
    assert shortened(norch.tensor([[1]])).tolist() == [pytest.approx([0.6, 0.8])]
    weights = norch.ones(6, dtype=norch.float64, requires_grad=True)
    table = norch.rand(3, 2, dtype=norch.float64, requires_grad=True)
    assert norch.gradcheck(
        lambda t, w: F.embedding_bag(BAG_NAMES, t, STARTS, mode="sum", per_sample_weights=w),
        (table, weights),
    )


def test_a_bag_prints_its_options():
    layer = nn.EmbeddingBag(10, 3, mode="sum", padding_idx=2, max_norm=1.0)
    assert repr(layer) == "EmbeddingBag(10, 3, max_norm=1.0, mode='sum', padding_idx=2)"
    assert layer.weight[2].tolist() == [0, 0, 0] and list(layer.state_dict()) == ["weight"]


def bag(*arguments, **options):
    """Look up bags in a table of 3 rows."""
    return lambda: F.embedding_bag(arguments[0], norch.ones(3, 2), *arguments[1:], **options)


zero = norch.tensor([0])


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (lambda: nn.Embedding(4, 2)(norch.tensor([4])), IndexError, "4"),
        (lambda: nn.Embedding(4, 2)(norch.tensor([-1])), IndexError, "-1"),
        (lambda: nn.Embedding(4, 2)(norch.tensor([0.5])), RuntimeError, "int64 or int32"),
        (lambda: nn.Embedding(4, 2, padding_idx=4), AssertionError, "padding_idx 4 is out of"),
        (
            lambda: F.embedding(zero, norch.ones(4, 2), padding_idx=-5),
            AssertionError,
            "-5 is out of range for 4",
        ),
        (lambda: nn.Embedding.from_pretrained(zero), AssertionError, "of 2 dimensions"),
        (lambda: nn.Embedding(4, 2, _weight=zero), AssertionError, r"shape \(1,\), not \(4, 2\)"),
        (lambda: nn.Embedding(4, 2, sparse=True)(zero), NotImplementedError, "sparse=False"),
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
        (lambda: nn.EmbeddingBag(4, 2, _weight=zero), AssertionError, "EmbeddingBag"),
        (lambda: nn.EmbeddingBag.from_pretrained(zero), AssertionError, "of 2 dimensions"),
    ],
)
def test_bad_arguments(action, error, message):
    with pytest.raises(error, match=message):
        action()


def test_offsets_that_go_back_are_refused():
    with pytest.raises(RuntimeError, match="never go back"):
        F.embedding_bag(norch.tensor([1, 1, 0]), norch.ones(2, 1), norch.tensor([0, 2, 1]))


def test_a_bag_has_no_row_for_padding_beyond_the_table():
    with pytest.raises(RuntimeError, match="padding_idx 2 is out of range"):
        F.embedding_bag(norch.tensor([[0]]), norch.ones(2, 1), padding_idx=2)
