"""Every differentiable operation: value against NumPy, gradients against differences. One line a
case.
"""

import functools
import math
import statistics

import numpy as np
import pytest
from autograd_checks import check

import norch_autograd as norch

A, B, V = (3, 4), (2, 3, 4), (4,)
POSITIVE = {"low": 0.3, "high": 3.0}
FLAT = {"second": False}  # the gradient is constant or zero: nothing to differentiate again


def erf(x):
    return np.vectorize(math.erf)(x)


def erfinv(x):
    normal = statistics.NormalDist()
    return np.vectorize(lambda p: normal.inv_cdf((p + 1) / 2) / math.sqrt(2))(x)


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


CASES = [
    ("add", lambda x, y: x + y, lambda x, y: x + y, [A, V], FLAT),
    ("add alpha", lambda x, y: norch.add(x, y, alpha=3), lambda x, y: x + 3 * y, [B, A], FLAT),
    ("add number", lambda x: 2 + x + 1, lambda x: x + 3, [A], FLAT),
    ("sub", lambda x, y: x - y, lambda x, y: x - y, [(3, 1), (1, 4)], FLAT),
    ("rsub", lambda x: 1 - x, lambda x: 1 - x, [A], FLAT),
    ("mul", lambda x, y: x * y, lambda x, y: x * y, [A, (3, 1)], {}),
    ("mul number", lambda x: 3 * x, lambda x: 3 * x, [A], FLAT),
    ("div", lambda x, y: x / y, lambda x, y: x / y, [V, A], POSITIVE),
    ("div number", lambda x: x / 4, lambda x: x / 4, [A], FLAT),
    ("rdiv", lambda x: 2 / x, lambda x: 2 / x, [A], POSITIVE),
    ("remainder", lambda x, y: x % y, lambda x, y: x % y, [A, A], POSITIVE | FLAT),
    ("fmod", norch.fmod, np.fmod, [A, A], POSITIVE | FLAT),
    ("rremainder", lambda x: 5 % x, lambda x: 5 % x, [A], POSITIVE | FLAT),
    ("neg", lambda x: -x, lambda x: -x, [A], FLAT),
    ("reciprocal", norch.reciprocal, np.reciprocal, [A], POSITIVE),
    ("pow 3", lambda x: x**3, lambda x: x**3, [A], {}),
    ("pow 2", lambda x: x**2, lambda x: x**2, [A], {}),
    ("pow 0", lambda x: x**0, lambda x: x**0, [A], FLAT),
    ("pow 0.5", lambda x: x**0.5, lambda x: x**0.5, [A], POSITIVE),
    ("pow tensor", lambda x, y: x**y, lambda x, y: x**y, [A, V], POSITIVE),
    ("number pow", lambda x: 2**x, lambda x: 2**x, [A], {}),
    ("square", norch.square, np.square, [A], {}),
    ("sqrt", norch.sqrt, np.sqrt, [A], POSITIVE),
    ("rsqrt", norch.rsqrt, lambda x: 1 / np.sqrt(x), [A], POSITIVE),
    ("abs", abs, abs, [A], FLAT),
    ("atan2", norch.atan2, np.arctan2, [A, V], {}),
    ("exp", norch.exp, np.exp, [A], {}),
    ("expm1", norch.expm1, np.expm1, [A], {}),
    ("log", norch.log, np.log, [A], POSITIVE),
    ("log1p", norch.log1p, np.log1p, [A], POSITIVE),
    ("log2", norch.log2, np.log2, [A], POSITIVE),
    ("sin", norch.sin, np.sin, [A], {}),
    ("cos", norch.cos, np.cos, [A], {}),
    ("tan", norch.tan, np.tan, [A], {"low": -1.2, "high": 1.2}),
    ("tanh", norch.tanh, np.tanh, [A], {}),
    ("sigmoid", norch.sigmoid, lambda x: 1 / (1 + np.exp(-x)), [A], {}),
    ("asinh", norch.asinh, np.arcsinh, [A], {}),
    ("acosh", norch.acosh, np.arccosh, [A], {"low": 1.3, "high": 4.0}),
    ("atanh", norch.atanh, np.arctanh, [A], {"low": -0.9, "high": 0.9}),
    ("erfinv", lambda x: norch.erfinv(norch.erf(x)), lambda x: x, [A], FLAT),
    ("erfinv alone", norch.erfinv, erfinv, [A], {"low": -0.9, "high": 0.9}),
    ("relu", norch.relu, lambda x: np.maximum(x, 0), [A], FLAT),
    ("erf", norch.erf, erf, [A], {}),
    ("sign", norch.sign, np.sign, [A], FLAT),
    ("floor", norch.floor, np.floor, [A], FLAT),
    ("ceil", norch.ceil, np.ceil, [A], FLAT),
    ("trunc", norch.trunc, np.trunc, [A], FLAT),
    ("round", norch.round, np.round, [A], FLAT),
    ("maximum", norch.maximum, np.maximum, [A, V], FLAT),
    ("minimum", norch.minimum, np.minimum, [A, V], FLAT),
    ("clamp", lambda x: x.clamp(-1.1, 0.9), lambda x: x.clip(-1.1, 0.9), [A], FLAT),
    ("clamp max", lambda x: x.clamp(max=0.5), lambda x: x.clip(None, 0.5), [A], FLAT),
    ("clamp tensor", lambda x, y: x.clamp(min=y), np.maximum, [A, V], FLAT),
    (
        "where",
        lambda x, y: norch.where(x > 0, x, y),
        lambda x, y: np.where(x > 0, x, y),
        [A, V],
        FLAT,
    ),
    ("where number", lambda x: norch.where(x > 0, x, 0.0), lambda x: x * (x > 0), [A], FLAT),
    ("sum", norch.sum, np.sum, [A], FLAT),
    ("sum 1", lambda x: x.sum(1), lambda x: x.sum(1), [B], FLAT),
    (
        "sum keepdim",
        lambda x: x.sum((0, -1), True),
        lambda x: x.sum((0, 2), keepdims=True),
        [B],
        FLAT,
    ),
    ("mean", norch.mean, np.mean, [A], FLAT),
    ("mean 2", lambda x: x.mean(2), lambda x: x.mean(2), [B], FLAT),
    ("prod", norch.prod, np.prod, [A], {}),
    ("prod 1", lambda x: x.prod(1), lambda x: x.prod(1), [B], {}),
    ("var", norch.var, lambda x: x.var(ddof=1), [A], {}),
    ("var 1", lambda x: x.var(1, correction=0), lambda x: x.var(1), [B], {}),
    ("var biased", lambda x: x.var(False), lambda x: x.var(), [A], {}),
    ("std", lambda x: x.std(1, keepdim=True), lambda x: x.std(1, ddof=1, keepdims=True), [B], {}),
    ("cumsum", lambda x: x.cumsum(1), lambda x: x.cumsum(1), [B], FLAT),
    ("amax", lambda x: x.amax((0, 2)), lambda x: x.max((0, 2)), [B], FLAT),
    ("amin", lambda x: x.amin(1, True), lambda x: x.min(1, keepdims=True), [B], FLAT),
    ("max", norch.max, np.max, [A], FLAT),
    ("max 1", lambda x: x.max(1)[0], lambda x: x.max(1), [B], FLAT),
    ("max 0", lambda x: x.max(0).values, lambda x: x.max(0), [B], FLAT),
    ("min -1", lambda x: x.min(-1, True)[0], lambda x: x.min(-1, keepdims=True), [B], FLAT),
    ("norm", norch.norm, np.linalg.norm, [A], {}),
    ("norm 1", lambda x: x.norm(1, 0), lambda x: abs(x).sum(0), [A], FLAT),
    ("norm 3", lambda x: x.norm(3, 1), lambda x: (abs(x) ** 3).sum(1) ** (1 / 3), [A], {}),
    ("logsumexp", lambda x: x.logsumexp(1), lambda x: np.log(np.exp(x).sum(1)), [B], {}),
    ("softmax", lambda x: x.softmax(-1), lambda x: softmax(x, -1), [B], {}),
    ("softmax 0", lambda x: x.softmax(0), lambda x: softmax(x, 0), [B], {}),
    ("log_softmax", lambda x: x.log_softmax(1), lambda x: np.log(softmax(x, 1)), [B], {}),
    ("matmul", norch.matmul, np.matmul, [A, (4, 2)], {}),
    ("matmul vv", norch.matmul, np.matmul, [V, V], {}),
    ("matmul mv", norch.matmul, np.matmul, [A, V], {}),
    ("matmul vm", norch.matmul, np.matmul, [(3,), A], {}),
    ("matmul batch", norch.matmul, np.matmul, [B, (2, 4, 2)], {}),
    ("matmul bcast", norch.matmul, np.matmul, [(2, 1, 2, 3), (3, 3, 2)], {}),
    ("matmul 3D 2D", norch.matmul, np.matmul, [B, (4, 2)], {}),
    ("matmul 2D 3D", norch.matmul, np.matmul, [(2, 3), B], {}),
    ("matmul 3D 1D", norch.matmul, np.matmul, [B, V], {}),
    ("matmul 1D 3D", norch.matmul, np.matmul, [(3,), B], {}),
    (
        "addmm",
        lambda c, x, y: norch.addmm(c, x, y, beta=2, alpha=3),
        lambda c, x, y: 2 * c + 3 * x @ y,
        [(2,), A, (4, 2)],
        {},
    ),
    ("outer", norch.outer, np.outer, [(3,), V], {}),
    ("linear", norch.linear, lambda x, w, b: x @ w.T + b, [A, (2, 4), (2,)], {}),
    ("linear 3D", norch.linear, lambda x, w, b: x @ w.T + b, [B, (2, 4), (2,)], {}),
    ("linear 1D", norch.linear, lambda x, w: w @ x, [V, (2, 4)], {}),
    ("reshape", lambda x: x.T.reshape(2, 6), lambda x: x.T.reshape(2, 6), [A], FLAT),
    ("view", lambda x: x.T.view(2, -1, 3), lambda x: x.T.reshape(2, 2, 3), [A], FLAT),
    ("flatten", lambda x: x.flatten(1), lambda x: x.reshape(2, 12), [B], FLAT),
    ("unflatten", lambda x: x.unflatten(1, (2, 2)), lambda x: x.reshape(3, 2, 2), [A], FLAT),
    ("squeeze", lambda x: x.squeeze(-1), lambda x: x.squeeze(-1), [(3, 1)], FLAT),
    ("unsqueeze", lambda x: x.unsqueeze(1), lambda x: x[:, None], [A], FLAT),
    ("transpose", lambda x: x.transpose(0, -1), lambda x: x.swapaxes(0, 2), [B], FLAT),
    ("permute", lambda x: x.permute(2, 0, 1), lambda x: x.transpose(2, 0, 1), [B], FLAT),
    (
        "movedim",
        lambda x: x.movedim((0, 1), (-1, 0)),
        lambda x: np.moveaxis(x, (0, 1), (-1, 0)),
        [B],
        FLAT,
    ),
    ("T", lambda x: x.T, lambda x: x.T, [A], FLAT),
    ("mT", lambda x: x.mT, lambda x: x.swapaxes(1, 2), [B], FLAT),
    (
        "expand",
        lambda x: x.expand(2, -1, 4),
        lambda x: np.broadcast_to(x, (2, 3, 4)),
        [(3, 1)],
        FLAT,
    ),
    (
        "broadcast_to",
        lambda x: x.broadcast_to((2, 3)),
        lambda x: np.broadcast_to(x, (2, 3)),
        [(3,)],
        FLAT,
    ),
    (
        "cat",
        lambda x, y: norch.cat([x, y, x], 1),
        lambda x, y: np.concatenate([x, y, x], 1),
        [A, (3, 2)],
        FLAT,
    ),
    ("stack", lambda x, y: norch.stack([x, y], 1), lambda x, y: np.stack([x, y], 1), [A, A], FLAT),
    ("split", lambda x: x.split(3, 1)[1] * 2, lambda x: x[:, 3:] * 2, [A], FLAT),
    (
        "chunk",
        lambda x: x.chunk(2, 1)[0] + x.chunk(2, 1)[1],
        lambda x: x[:, :2] + x[:, 2:],
        [A],
        FLAT,
    ),
    ("unbind", lambda x: x.unbind(1)[2] * x.unbind(1)[0], lambda x: x[:, 2] * x[:, 0], [A], {}),
    ("repeat", lambda x: x.repeat(2, 1, 3), lambda x: np.tile(x, (2, 1, 3)), [A], FLAT),
    ("flip", lambda x: x.flip(0, 1), lambda x: x[::-1, ::-1], [A], FLAT),
    ("select", lambda x: x.select(1, -1), lambda x: x[:, -1], [B], FLAT),
    ("narrow", lambda x: x.narrow(2, 1, 2), lambda x: x[:, :, 1:3], [B], FLAT),
    ("diagonal", lambda x: x.diagonal(1), lambda x: x.diagonal(1), [A], FLAT),
    ("index int", lambda x: x[1], lambda x: x[1], [A], FLAT),
    ("index slices", lambda x: x[..., None, ::2, 1:], lambda x: x[..., None, ::2, 1:], [B], FLAT),
    ("index backwards", lambda x: x.flip(0)[0:2], lambda x: x[::-1][0:2], [A], FLAT),
    ("index list", lambda x: x[[2, 0, 2]], lambda x: x[[2, 0, 2]], [A], FLAT),
    ("index middle", lambda x: x[:, [2, -1]], lambda x: x[:, [2, -1]], [B], FLAT),
    ("index pair", lambda x: x[[0, 1], :, [2, 2]], lambda x: x[[0, 1], :, [2, 2]], [B], FLAT),
    (
        "index grid",
        lambda x: x[norch.tensor([[0], [1]]), [1, 2]],
        lambda x: x[[[0], [1]], [1, 2]],
        [B],
        FLAT,
    ),
    ("index mask", lambda x: x[x > 0], lambda x: x[x > 0], [A], FLAT),
    (
        "index mask row",
        lambda x: x[norch.tensor([True, False, True])],
        lambda x: x[[0, 2]],
        [A],
        FLAT,
    ),
    (
        "index_select",
        lambda x: x.index_select(1, norch.tensor([3, 3, 0])),
        lambda x: x[:, [3, 3, 0]],
        [A],
        FLAT,
    ),
    (
        "gather",
        lambda x: x.gather(1, norch.tensor([[1, 1], [0, 3], [2, 2]])),
        lambda x: np.take_along_axis(x, np.array([[1, 1], [0, 3], [2, 2]]), 1),
        [A],
        FLAT,
    ),
    (
        "masked_fill",
        lambda x: x.masked_fill(x > 0, 5.0),
        lambda x: np.where(x > 0, 5.0, x),
        [A],
        FLAT,
    ),
    ("clone", lambda x: x.clone(), lambda x: x, [A], FLAT),
    ("to", lambda x: x.to(norch.float64).contiguous(), lambda x: x, [A], FLAT),
    ("tril", norch.tril, np.tril, [A], FLAT),
    (
        "addcmul",
        lambda c, x, y: norch.addcmul(c, x, y, value=2),
        lambda c, x, y: c + 2 * x * y,
        [A, A, V],
        {},
    ),
    (
        "addcdiv",
        lambda c, x, y: norch.addcdiv(c, x, y, value=2),
        lambda c, x, y: c + 2 * x / y,
        [A, A, V],
        POSITIVE,
    ),
    (
        "index_add",
        lambda x, y: x.index_add(0, norch.tensor([2, 2]), y, alpha=3),
        lambda x, y: x + 3 * np.stack([0 * y[0], 0 * y[0], y.sum(0)]),
        [A, (2, 4)],
        FLAT,
    ),
    (
        "scatter_add",
        lambda x, y: x.scatter_add(0, norch.tensor([[0, 1, 1, 2]]), y),
        lambda x, y: x + y * np.array([[1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1]]),
        [A, (1, 4)],
        FLAT,
    ),
    (
        "take_along_dim",
        lambda x: norch.take_along_dim(x, norch.tensor([[1], [0], [3]]), 1),
        lambda x: np.take_along_axis(x, np.array([[1], [0], [3]]), 1),
        [A],
        FLAT,
    ),
    ("diag_embed", norch.diag_embed, lambda x: np.stack([np.diag(r) for r in x]), [A], FLAT),
    ("triu", lambda x: norch.triu(x, 1), lambda x: np.triu(x, 1), [B], FLAT),
    ("masked_select", lambda x: x.masked_select(x > 0), lambda x: x[x > 0], [A], FLAT),
    ("frac", norch.frac, lambda x: x - np.trunc(x), [A], FLAT),
    ("asin", norch.asin, np.arcsin, [A], {"low": -0.9, "high": 0.9}),
    ("acos", norch.acos, np.arccos, [A], {"low": -0.9, "high": 0.9}),
    ("atan", norch.atan, np.arctan, [A], {}),
    ("sinh", norch.sinh, np.sinh, [A], {}),
    ("cosh", norch.cosh, np.cosh, [A], {}),
    ("hypot", norch.hypot, np.hypot, [A, V], {}),
    ("logaddexp", norch.logaddexp, np.logaddexp, [A, V], {}),
    ("lerp", norch.lerp, lambda x, y, w: x + w * (y - x), [A, A, V], {}),
    ("roll", lambda x: x.roll((1, -2), (0, 1)), lambda x: np.roll(x, (1, -2), (0, 1)), [A], FLAT),
    ("roll flat", lambda x: x.roll(5), lambda x: np.roll(x, 5), [A], FLAT),
    ("tile", lambda x: x.tile(2), lambda x: np.tile(x, 2), [A], FLAT),
    ("interleave", lambda x: x.repeat_interleave(2, 1), lambda x: x.repeat(2, 1), [A], FLAT),
    ("diag", norch.diag, np.diag, [(3,)], FLAT),
    ("diag 1", lambda x: norch.diag(x, 1), lambda x: np.diag(x, 1), [A], FLAT),
    ("trace", norch.trace, np.trace, [A], FLAT),
    ("vstack", lambda x, y: norch.vstack([x, y]), lambda x, y: np.vstack([x, y]), [A, V], FLAT),
    ("hstack", lambda x: norch.hstack([x, x]), lambda x: np.hstack([x, x]), [A], FLAT),
    ("dstack", lambda x: norch.dstack([x, x]), lambda x: np.dstack([x, x]), [A], FLAT),
    ("inner", norch.inner, np.inner, [A, B], {}),
    ("tensordot", norch.tensordot, np.tensordot, [B, (3, 4, 2)], {}),
    *(
        (
            f"einsum {text}",
            functools.partial(norch.einsum, text),
            functools.partial(np.einsum, text),
            shapes,
            {},
        )
        for text, shapes in (
            ("ij,jk->ik", [A, (4, 2)]),
            ("ij,jk", [A, (4, 2)]),
            ("ij->ji", [A]),
            ("ij->", [A]),
            ("ii", [(3, 3)]),
            ("ii->i", [(3, 3)]),
            ("i,j->ij", [(3,), V]),
            ("bij,bjk->bik", [B, (2, 4, 2)]),
            ("...ij,jk->...ik", [B, (4, 2)]),
            ("ijk,ik->j", [B, (2, 4)]),
            ("ij,ij,j->i", [A, A, V]),
            ("bhqd,bhkd->bhqk", [(1, 2, 3, 2), (1, 2, 2, 2)]),
        )
    ),
    (
        "composed",
        lambda x, y: ((x @ y).tanh() * x.sum() + (y * y).mean(0)).exp().sum(),
        lambda x, y: np.exp(np.tanh(x @ y) * x.sum() + (y * y).mean(0)).sum(),
        [(2, 3), (3, 2)],
        {"low": -0.9, "high": 0.9},
    ),
]


@pytest.mark.parametrize(
    ("function", "expected", "shapes", "options"),
    [c[1:] for c in CASES],
    ids=[c[0].replace(" ", "-") for c in CASES],
)
def test_operation(function, expected, shapes, options):
    check(function, expected, *shapes, **options)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize(
    "options", [{}, {"ignore_index": 1}, {"label_smoothing": 0.2}, {"weight": True}], ids=str
)
def test_cross_entropy(reduction, options):
    target = np.array([0, 2, 1, 4])
    keep = np.array([1, 1, 0 if "ignore_index" in options else 1, 1])
    weight = np.array([1.0, 0.5, 2.0, 1.0, 3.0]) if "weight" in options else np.ones(5)
    if "weight" in options:
        options = {"weight": norch.tensor(weight)}

    def expected(x):
        logp = np.log(softmax(x, 1))
        smooth = options.get("label_smoothing", 0.0)
        losses = -(1 - smooth) * logp[np.arange(4), target] * weight[
            target
        ] - smooth / 5 * logp.sum(1)
        losses = losses * keep
        total = (keep * weight[target]).sum()
        return {"mean": losses.sum() / total, "sum": losses.sum(), "none": losses}[reduction]

    def function(x):
        return norch.cross_entropy(x, norch.tensor(target), reduction=reduction, **options)

    check(function, expected, (4, 5))


def test_cross_entropy_of_images_and_of_probabilities():
    target = np.array([[0, 2], [1, 1]])
    check(
        lambda x: norch.cross_entropy(x, norch.tensor(target)),
        lambda x: (
            -np.mean(
                [np.log(softmax(x, 1))[n, target[n, d], d] for n in range(2) for d in range(2)]
            )
        ),
        (2, 3, 2),
    )
    share = softmax(np.arange(6.0).reshape(2, 3), 1)
    check(
        lambda x: norch.cross_entropy(x, norch.tensor(share)),
        lambda x: -(share * np.log(softmax(x, 1))).sum() / 2,
        (2, 3),
    )


def test_what_a_bound_cuts_off_has_no_gradient():
    """sqrt is infinitely steep at the bound, and 0 times that would be NaN."""
    x = norch.tensor([-2.0, 0.25, 3.0], requires_grad=True)
    x.clamp(0, 1).sqrt().sum().backward()
    assert x.grad.tolist() == [0, 1, 0]
