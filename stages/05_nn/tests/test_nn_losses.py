"""Losses against their formulas in NumPy; gradients against finite differences."""

import numpy as np
import pytest
from layer_checks import check_loss, log_sigmoid, tensor

import norch_autograd as norch
import norch_nn as nn
from norch_nn import functional as F

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(4, 3)) * 2, RNG.normal(size=(4, 3))
WEIGHT = RNG.uniform(0.5, 2, size=(4, 3))
CLASS_WEIGHT = RNG.uniform(0.5, 2, size=3)
P, Q = RNG.dirichlet(np.ones(3), size=4), RNG.dirichlet(np.ones(3), size=4)
LABELS = np.array([2, 0, 1, 1])
A, B, C = (RNG.normal(size=(4, 3)) for _ in range(3))


def smooth_l1(d, beta):
    return np.where(d < beta, d * d / (2 * beta), d - beta / 2)


DISTANCE = np.abs(X - Y)
BINARY = -Q * np.log(P) - (1 - Q) * np.log(1 - P)
LOGITS = -Q * log_sigmoid(X) - (1 - Q) * log_sigmoid(-X)
POSITIVE = -CLASS_WEIGHT * Q * log_sigmoid(X) - (1 - Q) * log_sigmoid(-X)
PICKED = -np.log(P)[range(4), LABELS]
SHARE = CLASS_WEIGHT[LABELS]


@pytest.mark.parametrize(
    ("make", "formula", "arrays", "options"),
    [
        (lambda r: nn.L1Loss(reduction=r), DISTANCE, (X, Y), {"learned": 2}),
        (lambda r: nn.SmoothL1Loss(reduction=r), smooth_l1(DISTANCE, 1), (X, Y), {"learned": 2}),
        (lambda r: nn.SmoothL1Loss(reduction=r, beta=0.3), smooth_l1(DISTANCE, 0.3), (X, Y), {}),
        (lambda r: nn.SmoothL1Loss(reduction=r, beta=0.0), DISTANCE, (X, Y), {}),
        (lambda r: nn.HuberLoss(r), smooth_l1(DISTANCE, 1), (X, Y), {"learned": 2}),
        (lambda r: nn.HuberLoss(r, delta=0.3), 0.3 * smooth_l1(DISTANCE, 0.3), (X, Y), {}),
        (lambda r: nn.BCELoss(reduction=r), BINARY, (P, Q), {"learned": 2}),
        (lambda r: nn.BCELoss(tensor(WEIGHT), reduction=r), BINARY * WEIGHT, (P, Q), {}),
        (lambda r: nn.BCEWithLogitsLoss(reduction=r), LOGITS, (X, Q), {"learned": 2}),
        (
            lambda r: nn.BCEWithLogitsLoss(tensor(WEIGHT), reduction=r),
            LOGITS * WEIGHT,
            (X, Q),
            {},
        ),
        (
            lambda r: nn.BCEWithLogitsLoss(reduction=r, pos_weight=tensor(CLASS_WEIGHT)),
            POSITIVE,
            (X, Q),
            {},
        ),
        (lambda r: nn.NLLLoss(reduction=r), PICKED, (np.log(P), LABELS), {}),
        (
            lambda r: nn.NLLLoss(tensor(CLASS_WEIGHT), reduction=r),
            PICKED * SHARE,
            (np.log(P), LABELS),
            {"total": SHARE.sum()},
        ),
        (
            lambda r: nn.NLLLoss(ignore_index=1, reduction=r),
            PICKED * (LABELS != 1),
            (np.log(P), LABELS),
            {"total": 2},
        ),
    ],
)
def test_formula_and_gradient(make, formula, arrays, options):
    check_loss(make, formula, *arrays, **options)


def test_weights_of_elements():
    x, y, w = tensor(X), tensor(Y), tensor(WEIGHT)
    expected = (np.square(X - Y) * WEIGHT).sum() / WEIGHT.sum()
    assert F.mse_loss(x, y, weight=w).item() == pytest.approx(expected)
    assert F.l1_loss(x, y, reduction="sum", weight=w).item() == pytest.approx(
        (DISTANCE * WEIGHT).sum()
    )
    expected = (smooth_l1(DISTANCE, 1) * WEIGHT).mean()
    assert F.huber_loss(x, y, weight=w).item() == pytest.approx(expected)


def test_nll_loss_of_images_is_cross_entropy_of_logits():
    logits = norch.randn(2, 3, 4, 5)
    labels = norch.randint(0, 3, (2, 4, 5))
    labels[0, 0, 0] = -100
    log_probabilities = F.log_softmax(logits, 1)
    for reduction in ("none", "sum", "mean"):
        actual = F.nll_loss(log_probabilities, labels, reduction=reduction)
        expected = F.cross_entropy(logits, labels, reduction=reduction)
        assert norch.allclose(actual, expected, atol=1e-6)
    assert F.nll_loss(norch.tensor([-1.0, -2.0]), norch.tensor(1)).item() == 2


def test_nll_loss_of_minus_infinity_that_is_ignored():
    x = norch.tensor([[float("-inf"), -1.0]] * 2, requires_grad=True)
    loss = F.nll_loss(x, norch.tensor([-100, 1]))
    loss.backward()
    assert loss.item() == 1 and x.grad.tolist() == [[0, 0], [0, -1]]
    assert F.nll_loss(x, norch.tensor([-100, -100])).isnan().item()


@pytest.mark.parametrize("smoothing", [None, 0.0, 0.25])
@pytest.mark.parametrize("extreme", [-np.inf, np.inf, np.nan])
@pytest.mark.parametrize("ignored", [0, 2])
def test_an_ignored_class_costs_nothing_whatever_its_weight(ignored, extreme, smoothing):
    """0 times infinity was NaN; every row, its gradient and the mean were."""
    x = norch.tensor([[0.1, 0.2, 0.3]] * 3, requires_grad=True)
    y, weight = norch.tensor([0, 1, 2]), norch.ones(3)
    weight[ignored] = extreme
    more = {} if smoothing is None else {"label_smoothing": smoothing}
    loss = F.nll_loss if smoothing is None else F.cross_entropy
    found = loss(x, y, weight, ignore_index=ignored, reduction="none", **more)
    assert found[ignored].item() == 0
    if not smoothing:
        mean = loss(x, y, weight, ignore_index=ignored, **more)
        mean.backward()
        assert mean.isfinite().item() and x.grad.isfinite().all().item()


@pytest.mark.parametrize("classes", [1, 2, 4])
@pytest.mark.parametrize("loss", [F.nll_loss, F.cross_entropy])
def test_a_weight_is_one_a_class(loss, classes):
    x, y = norch.zeros(2, 3), norch.tensor([0, 0])
    with pytest.raises(RuntimeError, match=rf"\[{loss.__name__}\]"):
        loss(x, y, norch.ones(classes))


def test_binary_cross_entropy_of_certain_mistakes_is_finite():
    """Values and slopes as PyTorch 2.13 computes them."""
    x = norch.tensor([0.0, 0.0, 1.0, 1.0], requires_grad=True)
    loss = F.binary_cross_entropy(x, norch.tensor([0.0, 1.0, 0.0, 1.0]), reduction="none")
    loss.sum().backward()
    assert loss.tolist() == [0, 100, 100, 0]
    assert x.grad.tolist() == pytest.approx([0, -1e12, 1e12, 0], rel=1e-6)


def test_bce_with_logits_at_x_200():
    x = norch.tensor([-200.0, 200.0, 0.0], requires_grad=True)
    loss = F.binary_cross_entropy_with_logits(x, norch.tensor([1.0, 0.0, 1.0]), reduction="none")
    loss.sum().backward()
    assert loss.tolist() == pytest.approx([200, 200, np.log(2)])
    assert x.grad.tolist() == [-1, 1, -0.5]


def test_one_hot():
    assert F.one_hot(norch.tensor([[1], [0]])).tolist() == [[[0, 1]], [[1, 0]]]
    assert F.one_hot(norch.tensor([], dtype=norch.int64), 3).shape == (0, 3)


def test_weights_are_buffers():
    weight = norch.ones(3)
    assert list(nn.NLLLoss(weight).state_dict()) == ["weight"]
    assert list(nn.BCEWithLogitsLoss(weight, pos_weight=weight).state_dict()) == [
        "weight",
        "pos_weight",
    ]


x, labels = norch.zeros(2, 3), norch.tensor([0, 1])


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (
            lambda: nn.L1Loss(reduction="avg"),
            ValueError,
            "must be 'none', 'mean' or 'sum', not 'avg'",
        ),
        (lambda: F.nll_loss(x, labels, reduction="avg"), ValueError, r"\[nll_loss\] reduction"),
        (lambda: F.smooth_l1_loss(x, x, beta=-1), RuntimeError, "beta must be 0 or more, not -1"),
        (lambda: F.huber_loss(x, x, delta=0), RuntimeError, "delta must be above 0, not 0"),
        (lambda: F.l1_loss(x, x, weight=labels), ValueError, r"weight has shape \(2,\)"),
        (lambda: F.nll_loss(x, labels[:1]), ValueError, r"\(2, 3\) and target \(1,\) do not fit"),
        (lambda: F.nll_loss(x, norch.tensor([0, 3])), IndexError, "3"),
        (lambda: F.nll_loss(x, norch.tensor([0, -1])), IndexError, "-1"),
        (lambda: nn.BCELoss()(x + 2, x), RuntimeError, "between 0 and 1 are expected"),
        (lambda: nn.BCELoss()(x, x[:1]), ValueError, r"\(2, 3\) and target \(1, 3\) must have"),
        (lambda: nn.BCEWithLogitsLoss()(x, x[:1]), ValueError, "must have one shape"),
        (lambda: F.one_hot(norch.tensor([-1])), RuntimeError, "class -1 is negative"),
        (lambda: F.one_hot(norch.tensor([3]), 3), RuntimeError, "class 3 is out of range for 3"),
        (lambda: F.one_hot(x), RuntimeError, "int64 are expected, not"),
        (lambda: F.one_hot(norch.tensor([], dtype=norch.int64)), RuntimeError, "say num_classes"),
    ],
)
def test_bad_arguments(action, error, message):
    with pytest.raises(error, match=message):
        action()


@pytest.mark.parametrize("loss", [F.l1_loss, F.smooth_l1_loss, F.huber_loss])
def test_unequal_shapes_warn(loss):
    with pytest.warns(UserWarning, match=r"shapes \(2, 3\) and \(3,\) differ: they broadcast"):
        loss(x, x[0])


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ({"size_average": False}, 10.0),
        ({"size_average": True}, 5.0),
        ({"reduce": False}, [1.0, 9.0]),
        ({"size_average": False, "reduce": True}, 10.0),
    ],
)
def test_the_old_words_for_a_reduction(words, expected):
    x, y = norch.tensor([1.0, 3.0]), norch.zeros(2)
    with pytest.warns(UserWarning, match="size_average and reduce are the old words"):
        module = nn.MSELoss(**words)
    with pytest.warns(UserWarning, match="write reduction="):
        assert F.mse_loss(x, y, **words).tolist() == module(x, y).tolist() == expected


def test_integer_targets_of_probabilities_are_named():
    for loss in (F.binary_cross_entropy, F.binary_cross_entropy_with_logits):
        with pytest.raises(RuntimeError, match=r"target is norch.int64: cast it, target.float\(\)"):
            loss(norch.ones(2), norch.tensor([0, 1]))


def test_half_precision_and_bytes_in_cross_entropy():
    logits = norch.tensor([[2.0, 0.0]], dtype=norch.float16)
    loss = F.cross_entropy(logits, norch.tensor([0], dtype=norch.uint8))
    assert loss.dtype is norch.float16 and abs(loss.item() - 0.1269) < 1e-3


@pytest.mark.parametrize("loss", [F.huber_loss, F.smooth_l1_loss])
def test_gradients_where_the_difference_is_infinite(loss):
    x = norch.tensor([np.inf, -np.inf, np.nan, 3.0], requires_grad=True)
    loss(x, norch.zeros(4), reduction="sum").backward()
    assert str(x.grad) == "tensor([ 1., -1., nan,  1.])"


def test_weights_of_another_dtype_leave_the_dtype_of_the_loss():
    x, y, w = norch.zeros(3), norch.ones(3), norch.ones(3, dtype=norch.float64)
    for weights in ({"weight": w}, {"pos_weight": w}):
        assert F.binary_cross_entropy_with_logits(x, y, **weights).dtype is norch.float32


@pytest.mark.parametrize("loss", [F.smooth_l1_loss, F.huber_loss])
def test_an_infinite_error_has_a_finite_gradient(loss):
    y = norch.tensor([0.0, 0.0, 0.0], requires_grad=True)
    loss(norch.tensor([norch.inf, -norch.inf, 0.5]), y, reduction="sum").backward()
    assert y.grad.tolist() == [-1.0, 1.0, -0.5]


def test_the_old_words_have_their_places():
    """As in PyTorch: the third argument of a loss is size_average, whatever it says."""
    x, y, labels = norch.tensor([[1.0, 2.0]]), norch.tensor([[3.0, 6.0]]), norch.tensor([1])
    with pytest.warns(UserWarning, match="old words"):
        assert F.mse_loss(x, y, "sum").item() == nn.MSELoss("sum")(x, y).item() == 10.0
        assert F.mse_loss(x, y, False).item() == nn.MSELoss(False)(x, y).item() == 20.0
        assert F.nll_loss(x, labels, None, False, -100).item() == -2.0
        assert nn.CrossEntropyLoss(None, None, 5, False)(x, labels).shape == (1,)
    assert F.mse_loss(x, y, None, None, "sum").item() == 20.0
