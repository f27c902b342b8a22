"""What the tests of this stage share: awkward inputs, and one check of value, gradient and second
gradient.
"""

import numpy as np

import norch_autograd as norch


def permuted(array, requires_grad=True):
    """A float64 leaf with the values of `array` with the dimensions in reverse in memory."""
    array = np.asarray(array, dtype=np.float64)
    backwards = norch.tensor(np.ascontiguousarray(array.T))
    leaf = backwards.permute(*range(array.ndim - 1, -1, -1)).detach() if array.ndim else backwards
    return leaf.requires_grad_(requires_grad)


def draw(shape, low=-2.0, high=2.0, seed=0):
    """Distinct values between the bounds, far from multiples of 1/2 and from another seed's."""
    count = int(np.prod(shape))
    order = np.random.default_rng(seed + count).permutation(count)
    values = low + (high - low) * (order + 0.5) / max(count, 1)
    steps = np.round(2 * values) / 2
    values = np.where(np.abs(values - steps) < 0.03, steps + 0.05, values)
    return (values + 0.011 * seed).reshape(shape)


def check(function, expected, *shapes, low=-2.0, high=2.0, second=True):
    """`function` on permuted float64 tensors: NumPy's values, gradients and second gradients by
    differences.
    """
    arrays = [draw(shape, low, high, seed) for seed, shape in enumerate(shapes)]
    tensors = [permuted(array) for array in arrays]
    result = function(*tensors)
    np.testing.assert_allclose(result.detach().numpy(), expected(*arrays), rtol=1e-10, atol=1e-12)
    assert norch.gradcheck(function, tensors)
    if second:
        assert norch.gradgradcheck(function, tensors, atol=1e-4)


def leaf(values, dtype=None):
    """A leaf that wants gradients."""
    return norch.tensor(values, dtype=dtype, requires_grad=True)
