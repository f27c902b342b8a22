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
    ],
)
def test_bad_arguments(action, error, message):
    with pytest.raises(error, match=message):
        action()
