"""Distances, and losses of the extras, against their formulas in NumPy."""

import numpy as np
import pytest
from layer_checks import check_loss, log_sigmoid, tensor

import norch_autograd as norch
from norch_extras.nn import (
    CosineEmbeddingLoss,
    CosineSimilarity,
    PairwiseDistance,
    TripletMarginLoss,
    cosine_similarity,
    pairwise_distance,
    triplet_margin_loss,
)
from norch_nn import functional as F

RNG = np.random.default_rng(0)


X, Y = RNG.normal(size=(4, 3)) * 2, RNG.normal(size=(4, 3))


WEIGHT = RNG.uniform(0.5, 2, size=(4, 3))


CLASS_WEIGHT = RNG.uniform(0.5, 2, size=3)


P, Q = RNG.dirichlet(np.ones(3), size=4), RNG.dirichlet(np.ones(3), size=4)


LABELS = np.array([2, 0, 1, 1])


A, B, C = (RNG.normal(size=(4, 3)) for _ in range(3))


SIGNS = np.array([1, -1, -1, 1])


def cosine(a, b):
    return (a * b).sum(-1) / np.linalg.norm(a, axis=-1) / np.linalg.norm(b, axis=-1)


def distance(a, b, p=2):
    return np.linalg.norm(a - b + 1e-6, ord=p, axis=-1)


DISTANCE = np.abs(X - Y)


BINARY = -Q * np.log(P) - (1 - Q) * np.log(1 - P)


LOGITS = -Q * log_sigmoid(X) - (1 - Q) * log_sigmoid(-X)


POSITIVE = -CLASS_WEIGHT * Q * log_sigmoid(X) - (1 - Q) * log_sigmoid(-X)


PICKED = -np.log(P)[range(4), LABELS]


SHARE = CLASS_WEIGHT[LABELS]


ANGLES = cosine(A, B)


@pytest.mark.parametrize(
    ("make", "formula", "arrays", "options"),
    [
        (
            lambda r: CosineEmbeddingLoss(reduction=r),
            np.where(SIGNS == 1, 1 - ANGLES, np.maximum(ANGLES, 0)),
            (A, B, SIGNS),
            {"learned": 2},
        ),
        (
            lambda r: CosineEmbeddingLoss(0.3, reduction=r),
            np.where(SIGNS == 1, 1 - ANGLES, np.maximum(ANGLES - 0.3, 0)),
            (A, B, SIGNS),
            {"learned": 2},
        ),
        (
            lambda r: TripletMarginLoss(reduction=r),
            np.maximum(1 + distance(A, B) - distance(A, C), 0),
            (A, B, C),
            {"learned": 3},
        ),
        (
            lambda r: TripletMarginLoss(0.5, p=3, swap=True, reduction=r),
            np.maximum(
                0.5 + distance(A, B, 3) - np.minimum(distance(A, C, 3), distance(B, C, 3)), 0
            ),
            (A, B, C),
            {"learned": 3},
        ),
    ],
)
def test_formula_and_gradient(make, formula, arrays, options):
    check_loss(make, formula, *arrays, **options)


def test_cosine_similarity_and_its_slope_at_zero():
    a, b = tensor(A).requires_grad_(), tensor(B).requires_grad_()
    assert np.allclose(CosineSimilarity()(a, b).tolist(), ANGLES)
    assert np.allclose(cosine_similarity(a, b, dim=0).tolist(), cosine(A.T, B.T))
    assert norch.gradcheck(lambda x, y: cosine_similarity(x.unsqueeze(1), y, -1), (a, b))
    zero = norch.zeros(1, 2, requires_grad=True)
    cosine_similarity(zero, norch.tensor([[3.0, 4.0]]), eps=0.5).backward()
    assert zero.grad.tolist() == [[pytest.approx(1.2), pytest.approx(1.6)]]  # as PyTorch 2.13


def test_normalize_and_pairwise_distance():
    a, b = tensor(A).requires_grad_(), tensor(B).requires_grad_()
    assert np.allclose(F.normalize(a, dim=0).tolist(), A / np.linalg.norm(A, axis=0))
    assert np.allclose(F.normalize(a, p=1).tolist(), A / np.abs(A).sum(1, keepdims=True))
    assert F.normalize(norch.zeros(1, 3)).tolist() == [[0, 0, 0]]
    assert np.allclose(PairwiseDistance(3, keepdim=True)(a, b)[:, 0].tolist(), distance(A, B, 3))
    assert norch.gradcheck(pairwise_distance, (a, b)) and norch.gradcheck(F.normalize, (a,))


x, labels = norch.zeros(2, 3), norch.tensor([0, 1])


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (lambda: CosineEmbeddingLoss()(x, x, x), RuntimeError, r"and \(N,\) are expected"),
        (lambda: TripletMarginLoss(0), ValueError, "margin must be above 0, not 0"),
        (lambda: triplet_margin_loss(x, x, x, 0), ValueError, "margin must be above 0, not 0"),
        (lambda: triplet_margin_loss(x, x, x[0]), RuntimeError, "not 2, 2 and 1"),
    ],
)
def test_bad_arguments(action, error, message):
    with pytest.raises(error, match=message):
        action()
