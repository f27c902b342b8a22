"""Sorting, selecting, counting, running results, scattering: values against NumPy, gradients
against differences, at ties and NaN as PyTorch.
"""

import numpy as np
import pytest
from autograd_checks import check, leaf

import norch_autograd as norch

A, B = (3, 4), (2, 3, 4)
NAN = float("nan")
ROWS = norch.tensor([[2, 0, 1, 2], [0, 2, 2, 1]])  # indices for dim 0 of (3, 4)
FLAT = {"second": False}


def combined(join, x, y, start=None):
    """scatter_reduce along dim 0, one element at a time."""
    out = x.copy()
    if start is not None:
        np.put_along_axis(out, ROWS.numpy(), start, 0)
    for i, j in np.ndindex(*ROWS.shape):
        place = int(ROWS[i, j]), j
        out[place] = join(out[place], y[i, j])
    return out


def scatter_reduced(reduce, **options):
    return lambda x, y: norch.scatter_reduce(x, 0, ROWS, y, reduce, **options)


CASES = [
    ("sort", lambda x: x.sort()[0], lambda x: np.sort(x), [B], FLAT),
    ("sort 0", lambda x: x.sort(0, True).values, lambda x: -np.sort(-x, 0), [A], FLAT),
    ("msort", norch.msort, lambda x: np.sort(x, 0), [A], FLAT),
    ("topk", lambda x: x.topk(2, 1)[0], lambda x: -np.sort(-x, 1)[:, :2], [B], FLAT),
    ("kthvalue", lambda x: x.kthvalue(2, 0)[0], lambda x: np.sort(x, 0)[1], [A], FLAT),
    ("median", norch.median, lambda x: np.sort(x.reshape(-1))[5], [A], FLAT),
    ("median 1", lambda x: x.median(1, True)[0], lambda x: np.sort(x, 1)[:, 1:2], [A], FLAT),
    ("nanmedian", norch.nanmedian, lambda x: np.sort(x.reshape(-1))[5], [A], FLAT),
    ("nanmedian 0", lambda x: x.nanmedian(0)[0], lambda x: np.sort(x, 0)[1], [A], FLAT),
    ("cumprod", lambda x: x.cumprod(1), lambda x: x.cumprod(1), [B], {}),
    ("cumprod with zeros", lambda x: (x * (x > 0)).cumprod(0),
     lambda x: (x * (x > 0)).cumprod(0), [A], {}),
    ("cummax", lambda x: x.cummax(1)[0], lambda x: np.maximum.accumulate(x, 1), [B], FLAT),
    ("cummin", lambda x: x.cummin(-1)[0], lambda x: np.minimum.accumulate(x, -1), [A], FLAT),
    ("logcumsumexp", lambda x: x.logcumsumexp(1), lambda x: np.logaddexp.accumulate(x, 1), [B], {}),
    ("scatter", lambda x, y: x.scatter(0, ROWS[:1], y), lambda x, y: put1(x, y), [A, (1, 4)], FLAT),
    ("scatter part", lambda x, y: x.scatter(0, ROWS[:1], y), lambda x, y: put1(x, y[:1]),
     [A, (2, 4)], FLAT),
    ("scatter number", lambda x: x.scatter(0, ROWS[:1], 7.0), lambda x: put1(x, 7.0), [A], FLAT),
    ("scatter_add part", lambda x, y: x.scatter_add(0, ROWS, y),
     lambda x, y: combined(np.add, x, y[:2]), [A, A], FLAT),
    ("scatter_reduce sum", scatter_reduced("sum"), lambda x, y: combined(np.add, x, y),
     [A, (2, 4)], FLAT),
    ("scatter_reduce prod", scatter_reduced("prod"), lambda x, y: combined(np.multiply, x, y),
     [A, (2, 4)], {}),
    ("scatter_reduce prod alone", scatter_reduced("prod", include_self=False),
     lambda x, y: combined(np.multiply, x, y, 1.0), [A, (2, 4)], {}),
    ("scatter_reduce amax", scatter_reduced("amax"), lambda x, y: combined(max, x, y),
     [A, (2, 4)], FLAT),
    ("scatter_reduce amin alone", scatter_reduced("amin", include_self=False),
     lambda x, y: combined(min, x, y, np.inf), [A, (2, 4)], FLAT),
    ("scatter_reduce mean alone", lambda x, y: x.scatter_reduce(0, ROWS[:1], y, "mean",
     include_self=False), lambda x, y: put1(x, y), [A, (1, 4)], FLAT),
    ("index_copy", lambda x, y: x.index_copy(1, norch.tensor([3, 0]), y),
     lambda x, y: np.stack([y[:, 1], x[:, 1], x[:, 2], y[:, 0]], 1), [A, (3, 2)], FLAT),
    ("index_fill", lambda x, y: x.index_fill(0, norch.tensor([-1, 0]), y.sum()),
     lambda x, y: np.stack([np.full(4, y.sum()), x[1], np.full(4, y.sum())]), [A, (2,)], FLAT),
    ("masked_scatter", lambda x, y: x.masked_scatter(norch.tensor([True, False, False, True]), y),
     lambda x, y: np.stack([y[:6:2], x[:, 1], x[:, 2], y[1:6:2]], 1), [A, (7,)], FLAT),
    ("take", lambda x: x.take(norch.tensor([[-1, 0], [5, 5]])),
     lambda x: x.reshape(-1)[[[-1, 0], [5, 5]]], [A], FLAT),
    ("diff", lambda x: x.diff(), lambda x: np.diff(x), [B], FLAT),
    ("diff twice", lambda x, y: norch.diff(x, 2, 0, prepend=y),
     lambda x, y: np.diff(x, 2, 0, prepend=y), [A, (1, 4)], FLAT),
    ("cdist", norch.cdist, lambda x, y: np.sqrt(((x[:, None] - y[None]) ** 2).sum(-1)),
     [A, (2, 4)], {}),
    ("cdist of many rows", norch.cdist, lambda x, y: np.sqrt(((x[:, :, None] - y) ** 2).sum(-1)),
     [(2, 27, 2), (1, 3, 2)], {}),
    ("cdist 1", lambda x, y: norch.cdist(x, y, 1), lambda x, y: abs(x[..., None, :] - y).sum(-1),
     [B, (1, 4)], FLAT),
    ("nansum", lambda x: x.nansum(1), lambda x: x.sum(1), [B], FLAT),
    ("nanmean", lambda x: x.nanmean((0, 2)), lambda x: x.mean((0, 2)), [B], FLAT),
    ("var_mean", lambda x: norch.var_mean(x, 1)[0], lambda x: x.var(1, ddof=1), [A], {}),
    ("mode", lambda x: norch.mode((2 * x).round(), 1)[0],
     lambda x: [min(r, key=lambda v: (-list(r).count(v), v)) for r in np.round(2 * x)], [A], FLAT),
    ("aminmax", lambda x: x.aminmax(dim=1)[1], lambda x: x.max(1), [A], FLAT),
    ("quantile", lambda x: x.quantile(0.3), lambda x: np.quantile(x, 0.3), [A], FLAT),
    ("quantile 1", lambda x: norch.quantile(x, norch.tensor([0.1, 0.9], dtype=norch.float64), 1),
     lambda x: np.quantile(x, [0.1, 0.9], 1), [B], FLAT),
    ("quantile midpoint", lambda x: x.quantile(0.5, -1, True, interpolation="midpoint"),
     lambda x: np.quantile(x, 0.5, -1, method="midpoint", keepdims=True), [A], FLAT),
    ("quantile nearest", lambda x: x.quantile(0.8, 0, interpolation="nearest"),
     lambda x: np.quantile(x, 0.8, 0, method="nearest"), [A], FLAT),
    ("nanquantile", lambda x: x.nanquantile(0.5, 0), lambda x: np.quantile(x, 0.5, 0), [A], FLAT),
    ("cov", norch.cov, np.cov, [A], {}),
    ("cov weighted", lambda x: x.cov(correction=0, fweights=norch.tensor([1, 2, 3, 1]),
     aweights=norch.tensor([0.25, 0.5, 1.0, 2.0])),
     lambda x: np.cov(x, ddof=0, fweights=[1, 2, 3, 1], aweights=[0.25, 0.5, 1, 2]), [A], {}),
    ("corrcoef", norch.corrcoef, np.corrcoef, [A], {}),
    ("bincount", lambda x: norch.bincount(norch.tensor([2, 0, 2, 2]), x),
     lambda x: np.bincount([2, 0, 2, 2], x), [(4,)], FLAT),
    ("std_mean", lambda x: norch.std_mean(x, 1, correction=0)[1], lambda x: x.mean(1), [A], FLAT),
]  # fmt: skip


def put1(x, y):
    """Put the one row y where ROWS[0] says."""
    out = x.copy()
    np.put_along_axis(out, ROWS[:1].numpy(), y, 0)
    return out


@pytest.mark.parametrize(
    ("function", "expected", "shapes", "options"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_values_gradients_and_second_gradients(function, expected, shapes, options):
    check(function, expected, *shapes, **options)


def gradient(function, values):
    x = leaf(values)
    function(x).backward()
    return x.grad.tolist()


@pytest.mark.parametrize(
    ("function", "at_ties", "at_nan"),
    [  # PyTorch 2.13's gradients for [1, 2, 2, 0, 2] and [1, nan, 2, nan]
        (norch.max, [0, 1 / 3, 1 / 3, 0, 1 / 3], [0, 0.5, 0, 0.5]),
        (norch.amax, [0, 1 / 3, 1 / 3, 0, 1 / 3], [NAN] * 4),
        (norch.median, [0, 1 / 3, 1 / 3, 0, 1 / 3], [0, 0.5, 0, 0.5]),
        (norch.nanmedian, [0, 1 / 3, 1 / 3, 0, 1 / 3], [1, 0, 0, 0]),
        (lambda x: x.max(0)[0], [0, 1, 0, 0, 0], [0, 1, 0, 0]),
        (lambda x: x.median(0)[0], [0, 1, 0, 0, 0], [0, 1, 0, 0]),
        (lambda x: x.nanmedian(0)[0], [0, 1, 0, 0, 0], [1, 0, 0, 0]),
        (lambda x: x.kthvalue(2)[0], [1, 0, 0, 0, 0], [0, 0, 1, 0]),
        (lambda x: x.nanmean(), [0.2] * 5, [0.5, 0, 0.5, 0]),
        (lambda x: x.cummax(0)[0].sum(), [1, 1, 2, 0, 1], [1, 2, 0, 1]),
    ],
)
def test_gradients_at_ties_and_nan(function, at_ties, at_nan):
    np.testing.assert_allclose(gradient(function, [1.0, 2, 2, 0, 2]), at_ties, rtol=1e-6)
    np.testing.assert_allclose(gradient(function, [1.0, NAN, 2, NAN]), at_nan, rtol=1e-6)


def test_scattered_extremes_share_the_gradient_and_zeros_divide_nothing():
    index = norch.tensor([0, 0, 1])
    zeros = norch.zeros(3)
    largest = gradient(lambda y: zeros.scatter_reduce(0, index, y, "amax").sum(), [2.0, 2, -1])
    assert largest == [0.5, 0.5, 0.0]
    products = gradient(
        lambda y: zeros.scatter_reduce(0, index, y, "prod", include_self=False).sum(), [0.0, 2, -1]
    )
    assert products == [2.0, 0.0, 1.0]
    assert gradient(lambda x: x.cumprod(0).sum(), [2.0, 0, 3, 0, 4]) == [1, 8, 0, 0, 0]


def test_pairs_have_names_and_print_like_pytorch():
    x = norch.tensor([3, 1, 2])
    pair = x.sort(stable=True)
    values, indices = pair
    assert (pair.values.tolist(), pair.indices.tolist()) == (values.tolist(), indices.tolist())
    assert isinstance(pair, norch.return_types.sort)
    assert repr(x.topk(1)) == (
        "norch.return_types.topk(\nvalues=tensor([3]),\nindices=tensor([0]))"
    )


def test_argsort_is_stable_both_ways():
    x = norch.tensor([1, 0, 1, 0])
    assert x.argsort().tolist() == [1, 3, 0, 2]
    assert x.argsort(descending=True).tolist() == [0, 2, 1, 3]


def test_unique():
    x = norch.tensor([[3, 1], [1, 3], [3, 1]])
    values, inverse, counts = x.unique(return_inverse=True, return_counts=True)
    assert (values.tolist(), counts.tolist()) == ([1, 3], [3, 3])
    assert values[inverse].tolist() == x.tolist()
    assert norch.unique(x).tolist() == [1, 3]
    rows, inverse, counts = norch.unique(x, True, True, True, dim=0)
    assert rows.tolist() == [[1, 3], [3, 1]]
    assert (inverse.tolist(), counts.tolist()) == ([1, 0, 1], [1, 2])
    assert norch.unique(x, dim=1).tolist() == [[1, 3], [3, 1], [1, 3]]


def test_unique_consecutive():
    x = norch.tensor([1, 1, 2, 2, 1])
    values, inverse, counts = x.unique_consecutive(True, True)
    assert values.tolist() == [1, 2, 1]
    assert inverse.tolist() == [0, 0, 1, 1, 2]
    assert counts.tolist() == [2, 2, 1]
    rows, counts = norch.tensor([[1, 1], [1, 1], [2, 1]]).unique_consecutive(
        return_counts=True, dim=0
    )
    assert (rows.tolist(), counts.tolist()) == ([[1, 1], [2, 1]], [2, 1])
    assert norch.zeros(0).unique_consecutive(return_counts=True)[1].tolist() == []


def test_searching_and_counting():
    row = norch.tensor([1, 3, 5])
    assert norch.searchsorted(row, norch.tensor([3.0, 4.5]), right=True).tolist() == [2, 2]
    assert norch.searchsorted(row, 3, side="right").item() == 2
    found = norch.searchsorted(norch.tensor([5, 1]), 3, sorter=norch.tensor([1, 0]), out_int32=True)
    assert (found.item(), found.dtype) == (1, norch.int32)
    assert norch.bucketize(norch.tensor([[1], [6]]), row).tolist() == [[0], [3]]
    weights = norch.tensor([0.5, 1.0, 2.0])
    assert norch.tensor([0, 2, 0]).bincount(weights, 4).tolist() == [2.5, 0, 1, 0]
    assert norch.histc(norch.tensor([0.0, 1, 2, 2]), 2).tolist() == [1, 3]


def test_nonzero_and_where_alone():
    x = norch.tensor([[0, 3], [4, 0]])
    assert x.nonzero().tolist() == x.argwhere().tolist() == [[0, 1], [1, 0]]
    assert [p.tolist() for p in norch.where(x > 0)] == [[0, 1], [1, 0]]
    assert norch.tensor(5).nonzero().shape == (1, 0)
    assert [p.tolist() for p in norch.tensor(5).nonzero(as_tuple=True)] == [[0]]


def test_statistics_of_little_and_of_nan():
    x = norch.tensor([NAN, 3.0, 1.0, NAN])
    assert norch.nanquantile(x, 0.5).item() == 2 and norch.quantile(x, 0.5).isnan()
    assert norch.quantile(x[1], 0.5).item() == 3
    assert norch.quantile(x, norch.zeros(0)).shape == (0,)
    assert norch.quantile(x.view(2, 2), 0.5, keepdim=True).shape == (1, 1)
    assert norch.mode(norch.tensor([5, 1, 1, 5, 5, 1, 7])).indices.item() == 5
    assert norch.mode(norch.tensor(3)).values.item() == 3
    assert norch.cov(x[1:3]).item() == 2 and norch.corrcoef(x[1:3]).item() == 1
    assert repr(norch.aminmax(x[1:3])) == (
        "norch.return_types.aminmax(\nmin=tensor(1.),\nmax=tensor(3.))"
    )


def test_an_empty_list_of_dims_leaves_any_and_all_unreduced():
    x = norch.tensor([[0, 2], [0, 0]])
    assert x.any(dim=()).tolist() == x.all(dim=[]).tolist() == [[False, True], [False, False]]
    assert x.byte().any(()).dtype is norch.uint8


def test_shifts():
    x = norch.tensor([5, -8])
    assert (x << 2).tolist() == [20, -32]
    assert (x >> norch.tensor([1, 70])).tolist() == [2, -1]
    assert (1 << norch.tensor([0, 63, 64, -1])).tolist() == [1, -(2**63), 0, 0]
    assert (9 >> norch.tensor([1, 2])).tolist() == [4, 2]
    for bits in range(66):
        got = norch.tensor([2**62, -(2**63), 2**63 - 1]) >> bits
        assert got.tolist() == [v >> bits for v in (2**62, -(2**63), 2**63 - 1)]
    byte = norch.tensor([200], dtype=norch.uint8)
    assert ((byte << 1).tolist(), (byte << 1).dtype) == ([144], norch.uint8)
    x <<= 1
    assert x.tolist() == [10, -16]


def edited(name, *arguments):
    x = leaf([1.0, 2, 3])
    y = x * 2
    getattr(y, name)(*arguments).sum().backward()
    return y.tolist(), x.grad.tolist()


ONE = norch.tensor([1])


@pytest.mark.parametrize(
    ("name", "arguments", "values", "grad"),
    [
        ("scatter_", (0, ONE, 9.0), [2, 9, 6], [2, 0, 2]),
        ("scatter_add_", (0, ONE, norch.ones(1)), [2, 5, 6], [2, 2, 2]),
        ("scatter_reduce_", (0, ONE, norch.ones(1), "prod"), [2, 4, 6], [2, 2, 2]),
        ("index_add_", (0, ONE, norch.ones(1)), [2, 5, 6], [2, 2, 2]),
        ("index_copy_", (0, ONE, norch.ones(1)), [2, 1, 6], [2, 0, 2]),
        ("index_fill_", (0, ONE, 7), [2, 7, 6], [2, 0, 2]),
        ("masked_scatter_", (norch.tensor([False, True, False]), norch.ones(1)), [2, 1, 6],
         [2, 0, 2]),
        ("cumsum_", (0,), [2, 6, 12], [6, 4, 2]),
        ("cumprod_", (0,), [2, 8, 48], [58, 28, 16]),
    ],
)  # fmt: skip
def test_in_place(name, arguments, values, grad):
    assert edited(name, *arguments) == (values, grad)


X = norch.zeros(2, 3)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: X.gather(1, norch.tensor([[3]])), RuntimeError, "index 3 .* of size 3"),
        (lambda: X.topk(4), RuntimeError, r"\[topk\] k is 4"),
        (lambda: X.scatter(1, norch.tensor([[3]]), 1.0), RuntimeError, "index 3 .* of size 3"),
        (lambda: X.scatter(1, norch.tensor([[0]]), 1.0, reduce="mean"), RuntimeError,
         r"\[scatter\] reduce is 'mean'"),
        (lambda: X.scatter(1, norch.tensor([[0]])), TypeError, "expected src"),
        (lambda: X.index_copy(0, norch.tensor([2]), X[:1]), IndexError, "out of bounds"),
        (lambda: X.index_copy(0, norch.tensor([0]), X), IndexError, "1 indices"),
        (lambda: X.index_copy(0, norch.tensor([0]), X[:1, :2]), RuntimeError, "does not match"),
        (lambda: X.index_copy(0, norch.tensor([0]), X[:1].long()), RuntimeError, "cast one"),
        (lambda: X.index_fill(0, norch.tensor([2]), 1), IndexError, "out of bounds"),
        (lambda: X.index_fill(0, norch.tensor([0]), norch.ones(2)), RuntimeError, "one value"),
        (lambda: X.masked_scatter(X == 0, norch.ones(5)), RuntimeError, "6 true elements"),
        (lambda: X.masked_scatter(X, norch.ones(6)), RuntimeError, "mask of bool"),
        (lambda: X.masked_scatter(X == 0, X.long()), RuntimeError, "cast one"),
        (lambda: X.take(norch.tensor([6])), IndexError, "index 6"),
        (lambda: norch.tensor(1).diff(), RuntimeError, "at least one dimension"),
        (lambda: X.diff(-1), RuntimeError, "n is -1"),
        (lambda: norch.cdist(X, norch.zeros(2, 2)), RuntimeError, "rows of 3 and of 2"),
        (lambda: norch.cdist(X[0], X), RuntimeError, "at least two dimensions"),
        (lambda: norch.cdist(X, X, -1), RuntimeError, "p is -1"),
        (lambda: norch.searchsorted(X[0], 1, side="up"), RuntimeError, "side is 'up'"),
        (lambda: norch.searchsorted(X[0], 1, side="left", right=True), RuntimeError, "right is"),
        (lambda: norch.bucketize(1, X), RuntimeError, "expected one dimension"),
        (lambda: X.long().nanmean(), RuntimeError, "expected a floating dtype"),
        (lambda: X.nanmedian(3), IndexError, "nanmedian"),
        (lambda: norch.zeros(2, 0).nanmedian(1), IndexError, "has size 0"),
        (lambda: X << 1, RuntimeError, "expected whole numbers"),
        (lambda: norch.zeros(0).mode(), IndexError, "has size 0"),
        (lambda: X.quantile(1.5), RuntimeError, r"q is 1.5: expected 0 to 1"),
        (lambda: X.quantile(0.5, interpolation="x"), RuntimeError, "interpolation is 'x'"),
        (lambda: X.long().quantile(0.5), RuntimeError, "float32 or float64, got norch.int64"),
        (lambda: X[:0].quantile(0.5), RuntimeError, "no elements"),
        (lambda: X.quantile(X), RuntimeError, "q has 2 dimensions"),
        (lambda: X.quantile(X[0].double()), RuntimeError, "cast one"),
        (lambda: X.unsqueeze(0).cov(), RuntimeError, "two dimensions at most"),
        (lambda: X.cov(fweights=X[0]), RuntimeError, "fweights to be whole numbers"),
        (lambda: X.cov(aweights=X[0, :2]), RuntimeError, "one for each of 3"),
        (lambda: X.cov(aweights=X[0] - 1), RuntimeError, "must not be negative"),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


def walked(size, stride, offset=None):
    return lambda x: (x * 1).as_strided(size, stride, offset)


@pytest.mark.parametrize(
    ("function", "grad"),
    [
        (walked((3, 2), (1, 1)), [0, 3, 7, 5]),  # overlapping: added up
        (walked((2, 2), (0, 2), 1), [0, 2, 0, 4]),
        (walked((2,), (2,)), [0, 0, 1, 0]),
        (lambda x: (x * 1)[2:].as_strided((2,), (1,), 0), [0, 0, 0, 0]),  # outside of the input
        (lambda x: (x * 1)[1:3].expand(3, 2).as_strided((2, 2), (1, 1)), [0, 0, 3, 0]),
    ],
)
def test_as_strided_adds_up_the_gradients_of_elements_that_share_a_place(function, grad):
    def weighted(x):
        y = function(x)
        return (y * norch.arange(y.numel()).view(y.shape)).sum()

    assert gradient(weighted, [1.0, 2, 3, 4]) == grad


def test_as_strided_is_a_view_that_may_be_edited():
    x = norch.arange(4.0)
    x.as_strided((2,), (2,)).mul_(10)
    assert x.tolist() == [0, 1, 20, 3]
    assert norch.gradgradcheck(
        lambda x: (x**2).as_strided((3, 2), (1, 1)),
        [norch.rand(4, dtype=norch.float64).requires_grad_()],
    )
    with pytest.raises(RuntimeError, match="leaves the storage of 4 elements"):
        x.as_strided((2,), (1,), 3)


def test_embedding_rows_and_their_gradients_with_and_without_the_kernel():
    index = norch.tensor([[2, 0], [2, 2]])
    for options in ((), (0,), (-1, True), (2, True)):
        results = []
        for composite in (False, True):
            table = leaf(np.arange(12.0).reshape(4, 3).tolist(), norch.float64)
            with norch.autograd.composite(composite):
                rows = norch.embedding(table, index, *options)
                (rows * rows.detach()).sum().backward()
            results.append((rows.tolist(), table.grad.tolist()))
        assert results[0] == results[1]
    assert norch.gradgradcheck(
        lambda t: norch.embedding(t, index) ** 3,
        [norch.rand(4, 3, dtype=norch.float64).requires_grad_()],
    )


def test_python_types_name_dtypes():
    assert norch.tensor([1], dtype=float).dtype is norch.float64
    assert norch.zeros(2, dtype=int).dtype is norch.ones(1).to(int).dtype is norch.int64
    assert norch.zeros_like(norch.ones(2), dtype=bool).dtype is norch.ones(2).to(bool).dtype
    assert norch.rand(2, dtype=float).new_ones(2, dtype=int).dtype is norch.int64
    assert norch.ones(2).sum(dtype=float).dtype is norch.float64
    assert norch.full((2,), 1, dtype=float).dtype is norch.arange(2, dtype=float).dtype
    assert norch.randint(3, (2,), dtype=float).dtype is norch.float64


def test_linspace_of_an_absurd_number_of_steps_fails_at_once():
    with pytest.raises((MemoryError, RuntimeError)):
        norch.linspace(0, 1, 10**15)
    with pytest.raises(RuntimeError, match="must not be negative"):
        norch.linspace(0, 1, -1)
    assert norch.linspace(3, 9, 1).tolist() == [3]
    assert norch.linspace(0, 1, 0).tolist() == []
    assert norch.linspace(0.1, 0.7, 4, dtype=norch.float64).tolist()[::3] == [0.1, 0.7]
    assert norch.linspace(0, 9, 4, dtype=int).tolist() == [0, 3, 6, 9]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([-1],), "class -1 is negative"),
        (([-1], 3), "class -1 is negative"),
        (([3], 3), "class 3 is out of range for 3 classes"),
        (([0], 0), "class 0 is out of range for 0 classes"),
        (([0.5],), "expected whole numbers"),
    ],
)
def test_one_hot_refuses(arguments, message):
    with pytest.raises(RuntimeError, match=message):
        norch.one_hot(norch.tensor(arguments[0]), *arguments[1:])
    with pytest.raises(RuntimeError, match="no class to count"):
        norch.one_hot(norch.zeros(0, dtype=norch.int64))
    assert norch.one_hot(norch.zeros(0, dtype=norch.int64), 3).shape == (0, 3)


@pytest.mark.parametrize(
    ("key", "shape"),
    [
        (([2, 0],), (2, 4)),
        (([2, 0],), (4,)),
        (([[2], [0]],), (2, 1, 4)),
        (([],), (0, 4)),
        (([-1, 1], [0, 3]), (2,)),
        ((slice(None), [3, 1]), (3, 2)),
        (([1, 2], slice(1, 3)), (2, 2)),
        (([True, False, True],), (2, 4)),
    ],
)
def test_written_rows_take_the_gradients_of_their_places(key, shape):
    index = tuple(norch.tensor(k) if isinstance(k, list) and k else k for k in key)
    numpys = tuple(np.array(k, dtype=bool if k and k[0] is True else int)
                   if isinstance(k, list) else k for k in key)  # fmt: skip

    def written(x, y):
        x = x * 1
        x[index] = y
        return x

    def expected(x, y):
        x = x.copy()
        x[numpys] = y
        return x

    check(written, expected, A, shape, **FLAT)


def test_of_rows_written_twice_the_last_one_counts():
    x = norch.zeros(3, 2)
    x[norch.tensor([1, 1, -2])] = norch.arange(6.0).view(3, 2)
    assert x.tolist() == [[0, 0], [4, 5], [0, 0]]
    with pytest.raises(IndexError, match="index 3 is out of bounds"):
        x[norch.tensor([0, 3])] = 1.0


@pytest.mark.parametrize("n", [2.0, 1e30])
def test_diff_counts_in_whole_numbers(n):
    with pytest.raises(TypeError, match=r"\[diff\] n: expected int"):
        norch.diff(norch.ones(2), n)


def test_unbiased_is_a_flag():
    """A number in its place was taken for the correction."""
    x = norch.tensor([1.0, 2.0, 4.0])
    assert norch.std(x, unbiased=7).item() == norch.std(x, unbiased=True).item()
