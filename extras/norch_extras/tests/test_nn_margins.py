"""Losses with a margin, likelihoods, padding and shuffles against their formulas in NumPy."""

import numpy as np
import pytest
from layer_checks import log_sigmoid, tensor

import norch_autograd as norch
from norch_extras.nn import (
    CircularPad1d,
    ConstantPad2d,
    GaussianNLLLoss,
    HingeEmbeddingLoss,
    KLDivLoss,
    MarginRankingLoss,
    MultiLabelMarginLoss,
    MultiLabelSoftMarginLoss,
    MultiMarginLoss,
    PixelShuffle,
    PixelUnshuffle,
    PoissonNLLLoss,
    ReflectionPad2d,
    ReplicationPad3d,
    SoftMarginLoss,
    TripletMarginWithDistanceLoss,
    ZeroPad1d,
    ZeroPad2d,
    channel_shuffle,
    gaussian_nll_loss,
    kl_div,
    margin_ranking_loss,
    multi_margin_loss,
    multilabel_soft_margin_loss,
    pixel_shuffle,
    pixel_unshuffle,
    poisson_nll_loss,
    soft_margin_loss,
)
from norch_nn import functional as F

RNG = np.random.default_rng(2)
X, Y, P = RNG.normal(size=(4, 3)), RNG.normal(size=(4, 3)), RNG.uniform(0.5, 2, size=(4, 3))
SIGNS = np.array([[1, -1, 1], [-1, -1, 1], [1, 1, 1], [-1, 1, -1]])
LABELS = np.array([2, 0, 1, 1])
WRONG = np.arange(3) != LABELS[:, None]
GAP = np.maximum(1 - X[range(4), LABELS][:, None] + X, 0) * WRONG
BITS = (SIGNS > 0).astype(float)
GUESSES, SHARES = RNG.dirichlet(np.ones(3), size=(2, 4))


LOSSES = [
    (MarginRankingLoss, {"margin": 0.3}, np.maximum(-SIGNS * (X - Y) + 0.3, 0), (X, Y, SIGNS)),
    (
        HingeEmbeddingLoss,
        {"margin": 0.5},
        np.where(SIGNS == 1, X, np.maximum(0.5 - X, 0)),
        (X, SIGNS),
    ),
    (SoftMarginLoss, {}, -log_sigmoid(SIGNS * X), (X, SIGNS)),
    (MultiMarginLoss, {}, GAP.sum(1) / 3, (X, LABELS)),
    (MultiMarginLoss, {"p": 2}, (GAP**2).sum(1) / 3, (X, LABELS)),
    (
        MultiLabelSoftMarginLoss,
        {},
        -(BITS * log_sigmoid(X) + (1 - BITS) * log_sigmoid(-X)).mean(1),
        (X, BITS),
    ),
    (PoissonNLLLoss, {}, np.exp(X) - P * X, (X, P)),
    (PoissonNLLLoss, {"log_input": False}, P - P[::-1] * np.log(P + 1e-8), (P, P[::-1])),
    (GaussianNLLLoss, {}, 0.5 * (np.log(P) + (X - Y) ** 2 / P), (X, Y, P)),
    (
        GaussianNLLLoss,
        {"full": True},
        0.5 * (np.log(P) + (X - Y) ** 2 / P + np.log(2 * np.pi)),
        (X, Y, P),
    ),
]


@pytest.mark.parametrize(("kind", "options", "formula", "arrays"), LOSSES)
def test_losses_follow_their_formulas(kind, options, formula, arrays):
    inputs = [tensor(a) for a in arrays]
    for reduction, expected in (
        ("none", formula),
        ("sum", formula.sum()),
        ("mean", formula.mean()),
    ):
        loss = kind(reduction=reduction, **options)
        assert np.allclose(loss(*inputs).tolist(), expected, rtol=1e-10)
    inputs[0].requires_grad_()
    assert norch.gradcheck(lambda x: kind(reduction="none", **options)(x, *inputs[1:]), inputs[0])


def test_the_list_of_right_classes_ends_at_the_first_minus_one():
    loss = MultiLabelMarginLoss()(
        norch.tensor([[0.1, 0.2, 0.4, 0.8]]), norch.tensor([[3, 0, -1, 1]])
    )
    # 0.25 * ((1-(0.1-0.2)) + (1-(0.1-0.4)) + (1-(0.8-0.2)) + (1-(0.8-0.4))): PyTorch's own example
    assert loss.item() == pytest.approx(0.85)


def test_a_distance_of_your_own():
    loss = TripletMarginWithDistanceLoss(
        distance_function=lambda a, b: (a - b).abs().amax(1), margin=0.5, reduction="none"
    )
    a, b, c = X, Y, P
    expected = np.maximum(0.5 + np.abs(a - b).max(1) - np.abs(a - c).max(1), 0)
    assert np.allclose(loss(tensor(a), tensor(b), tensor(c)).tolist(), expected)


IMAGE = RNG.normal(size=(2, 3, 4, 5))
MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap", "constant": "constant"}


@pytest.mark.parametrize(("mode", "name"), MODES.items())
@pytest.mark.parametrize("pad", [(1, 2), (1, 0, 2, 3), (0, 0, 1, 1)])
def test_pad_is_numpys(mode, name, pad):
    array = IMAGE if len(pad) == 4 else IMAGE[0]
    widths = [(0, 0)] * array.ndim
    for i in range(len(pad) // 2):
        widths[-1 - i] = pad[2 * i : 2 * i + 2]
    x = norch.tensor(array.tolist(), dtype=norch.float64).transpose(-1, -2).contiguous()
    x = x.transpose(-1, -2).requires_grad_()
    assert np.array_equal(F.pad(x, pad, mode).tolist(), np.pad(array, widths, mode=name))
    assert norch.gradcheck(lambda t: F.pad(t, pad, mode), x)


def test_a_negative_pad_takes_away():
    x = norch.arange(6).reshape(2, 3)
    assert F.pad(x, (-1, 1, 1, -1), value=9).tolist() == [[9, 9, 9], [1, 2, 9]]


@pytest.mark.parametrize(("layer", "widths"), [
    (ZeroPad1d(2), (2, 2)), (ConstantPad2d((1, 0, 2, 3), 4.0), (1, 0, 2, 3)),
    (ReflectionPad2d(1), (1,) * 4), (ReplicationPad3d(1), (1,) * 6),
    (CircularPad1d((1, 2)), (1, 2)),
])  # fmt: skip
def test_padding_layers_hold_their_widths(layer, widths):
    dims = len(widths) // 2
    x = norch.ones(1, 1, *[4] * dims)
    sizes = [4 + widths[2 * i] + widths[2 * i + 1] for i in reversed(range(dims))]
    assert layer.padding == widths and tuple(layer(x).shape) == (1, 1, *sizes)


@pytest.mark.parametrize(("call", "kind", "words"), [
    (lambda x: F.pad(x, (1,)), RuntimeError, "1 numbers for shape"),
    (lambda x: F.pad(x, (4, 0), "reflect"), RuntimeError, "cannot be mirrored"),
    (lambda x: F.pad(x, (6, 0), "circular"), RuntimeError, "more than once"),
    (lambda x: F.pad(x, (1, 1), "mirror"), NotImplementedError, "mode must be"),
    (lambda x: F.pad(x, (-3, -2)), RuntimeError, "cannot lose"),
    (lambda x: ZeroPad2d((1, 2)), ValueError, "one width or 4"),
    (lambda x: pixel_shuffle(x, 2), RuntimeError, "a multiple of 4"),
    (lambda x: pixel_unshuffle(x, 3), RuntimeError, "has no squares"),
    (lambda x: channel_shuffle(x, 2), RuntimeError, "do not make 2 groups"),
    (lambda x: margin_ranking_loss(x, x, x.sum()), RuntimeError, "as many dimensions"),
    (lambda x: multi_margin_loss(x[0], x[0]), RuntimeError, "do not fit"),
    (lambda x: multi_margin_loss(x[:, 0], norch.tensor([0] * 3), weight=norch.ones(3)),
     RuntimeError, "3 numbers for 4 classes"),
    (lambda x: multi_margin_loss(x[:, 0], norch.tensor([0] * 3), weight=norch.ones(5)),
     RuntimeError, "5 numbers for 4 classes"),
    (lambda x: gaussian_nll_loss(x, x, -x.abs()), ValueError, "a variance is expected"),
    (lambda x: gaussian_nll_loss(x.byte(), x, -1.5), ValueError, "a variance is expected"),
    (lambda x: gaussian_nll_loss(x, x, x[0]), ValueError, "does not fit"),
    (lambda x: KLDivLoss(reduction="avg"), ValueError, "'batchmean' or 'sum', not 'avg'"),
    (lambda x: MultiMarginLoss(p=3), ValueError, "p must be 1 or 2"),
    (lambda x: soft_margin_loss(x, x, reduction="all"), ValueError, "reduction must be"),
])  # fmt: skip
def test_bad_input_is_refused(call, kind, words):
    with pytest.raises(kind, match=words):
        call(norch.arange(12.0).reshape(3, 1, 4) + 1)


def test_pixels_come_back():
    x = norch.randn(2, 8, 3, 5)
    shuffled = PixelShuffle(2)(x)
    assert shuffled[0, 0, 0, 1].item() == x[0, 1, 0, 0].item()
    assert norch.equal(PixelUnshuffle(2)(shuffled), x)


def test_multilabel_soft_margin_loss_divides_by_the_classes_of_its_input():
    losses = multilabel_soft_margin_loss(norch.zeros(2, 1), norch.ones(2, 3), reduction="none")
    assert np.allclose(losses.tolist(), 3 * np.log(2))


@pytest.mark.parametrize(("log_target", "target"), [(False, SHARES), (True, np.log(SHARES))])
def test_kl_div(log_target, target):
    formula = SHARES * (np.log(SHARES) - np.log(GUESSES))
    loss = KLDivLoss(reduction="batchmean", log_target=log_target)
    x, y = tensor(np.log(GUESSES)).requires_grad_(), tensor(target).requires_grad_()
    assert loss(x, y).item() == pytest.approx(formula.sum() / 4)
    assert norch.gradcheck(loss, (x, y))
    with pytest.warns(UserWarning, match="'batchmean' is the Kullback-Leibler divergence"):
        assert kl_div(x, y, log_target=log_target).item() == pytest.approx(formula.mean())


def test_the_old_words_have_their_places():
    """As in PyTorch: the third argument of a loss is size_average, whatever it says."""
    x, y = norch.tensor([[1.0, 2.0]]), norch.tensor([[3.0, 6.0]])
    with pytest.warns(UserWarning, match="old words"):
        assert poisson_nll_loss(x, y, True, False, None, 1e-8, False).shape == (1, 2)
    assert kl_div(x, y, None, None, "sum", True).shape == ()
