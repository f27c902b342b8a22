"""Operations without a derivative, and small compositions: NumPy's values on permuted tensors."""

import numpy as np
import pytest
from autograd_checks import draw, permuted

import norch_autograd as norch

X, Y = draw((3, 4)), draw((3, 4), seed=1)
P, Q = np.arange(12).reshape(3, 4) % 5, np.arange(12).reshape(3, 4) % 3
ODD = np.array([[1.5, np.nan], [np.inf, -np.inf]])

CASES = [
    (norch.eq, np.equal, P, Q),
    (norch.ne, np.not_equal, P, Q),
    (norch.lt, np.less, X, Y),
    (norch.le, np.less_equal, P, Q),
    (norch.gt, np.greater, X, Y),
    (norch.greater, np.greater, P, Q),
    (norch.ge, np.greater_equal, P, Q),
    (norch.logical_and, np.logical_and, P, Q),
    (norch.logical_or, np.logical_or, P, Q),
    (norch.logical_xor, np.logical_xor, P, Q),
    (norch.logical_not, np.logical_not, P),
    (norch.bitwise_and, np.bitwise_and, P, Q),
    (norch.bitwise_or, np.bitwise_or, P, Q),
    (norch.bitwise_xor, np.bitwise_xor, P, Q),
    (norch.bitwise_not, np.bitwise_not, P),
    (norch.isnan, np.isnan, ODD),
    (norch.isinf, np.isinf, ODD),
    (norch.isfinite, np.isfinite, ODD),
    (norch.isclose, np.isclose, X, X + 1e-7),
    (norch.nan_to_num, np.nan_to_num, ODD),
    (norch.floor_divide, np.floor_divide, X, Y),
    (norch.argmax, np.argmax, X),
    (norch.argmin, np.argmin, X),
    (lambda x: x.argmin(1), lambda x: x.argmin(1), X),
    (lambda x: x.argmax(0, keepdim=True), lambda x: x.argmax(0)[None], X),
    (lambda x: norch.count_nonzero(x, 1), lambda x: np.count_nonzero(x, 1), P),
    (lambda x: (x > 0).any(1), lambda x: (x > 0).any(1), X),
    (lambda x: (x > -1).all(0), lambda x: (x > -1).all(0), X),
    (norch.nonzero, lambda x: np.stack(np.nonzero(x), 1), P),
    (lambda x: norch.nonzero(x, as_tuple=True)[1], lambda x: np.nonzero(x)[1], P),
    (norch.deg2rad, np.deg2rad, X),
    (norch.rad2deg, np.rad2deg, X),
    (norch.ravel, np.ravel, X),
    (norch.atleast_2d, np.atleast_2d, X[0]),
    (norch.atleast_3d, np.atleast_3d, X),
    (lambda x: norch.column_stack([x, x]), lambda x: np.column_stack([x, x]), X[0]),
    (
        lambda x, y: norch.meshgrid(x, y)[1],
        lambda x, y: np.meshgrid(x, y, indexing="ij")[1],
        X[0],
        Y[1],
    ),
    (
        lambda x, y: norch.meshgrid(x, y, indexing="xy")[0],
        lambda x, y: np.meshgrid(x, y)[0],
        X[0],
        Y[1],
    ),
    (norch.positive, np.positive, X),
    (norch.negative, np.negative, X),
    (norch.absolute, np.absolute, X),
]


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_value(case):
    function, expected, *arrays = case
    whole = arrays[0].dtype.kind == "i"
    inputs = [permuted(array, requires_grad=False) for array in arrays]
    result = function(*[x.long() if whole else x for x in inputs])
    np.testing.assert_allclose(result.numpy(), expected(*arrays), rtol=1e-12)
    assert not result.requires_grad


def test_likes_take_shape_dtype_and_device():
    x = norch.zeros(2, 3, dtype=norch.float64)
    for like in (norch.empty_like, norch.rand_like, norch.randn_like):
        assert (like(x).shape, like(x).dtype) == ((2, 3), norch.float64)
    threes = norch.randint_like(x, 3, 4)
    assert (threes.dtype, threes.tolist()) == (norch.float64, [[3.0] * 3] * 2)
    assert norch.randint_like(x.long(), 1).sum().item() == 0
    assert norch.promote_types(norch.int64, norch.float32) is norch.float32
    assert norch.get_default_dtype() is norch.float32


def test_what_is_no_generator_is_refused():
    with pytest.raises(TypeError, match="generator must be a Generator or None, got Tensor"):
        norch.ones(2).normal_(generator=norch.ones(1))


def test_draws_that_are_refused_leave_the_stream():
    """A few refused draws of 2^62 numbers once moved the place beyond 64 bits: none was left."""
    norch.manual_seed(5)
    for _ in range(6):
        with pytest.raises((RuntimeError, MemoryError)):
            norch.rand(2**62)
    first = norch.rand(3).tolist()
    norch.manual_seed(5)
    assert norch.rand(3).tolist() == first
