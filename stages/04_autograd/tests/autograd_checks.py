"""What the tests of this stage share: awkward inputs, one check of value, gradient and second
gradient, and a walk of all modules and nodes of the package.
"""

import importlib
import inspect
import pkgutil

import numpy as np

import norch_autograd as norch
from norch_autograd.graph.multi_output import MultiOutputNode
from norch_autograd.graph.node import Node


def permuted(array, requires_grad=True, dtype=np.float64):
    """A leaf with the values of `array` with the dimensions in reverse in memory."""
    array = np.asarray(array, dtype=dtype)
    backwards = norch.tensor(np.array(array.T, order="C"))
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


def package_modules():
    """Every module of norch_autograd, imported."""
    found = pkgutil.walk_packages(norch.__path__, "norch_autograd.")
    names = [module.name for module in found if module.name != "norch_autograd._core"]
    return [importlib.import_module(name) for name in names]


def package_classes():
    """Every class that a module of norch_autograd defines."""
    return [
        value
        for module in package_modules()
        for value in vars(module).values()
        if inspect.isclass(value) and value.__module__ == module.__name__
    ]


def node_classes():
    """Every node of norch_autograd."""
    return [cls for cls in package_classes() if issubclass(cls, Node) and cls is not Node]


def kernel_of(cls):
    """A node's own kernel; None if it has none: if the engine's call goes to `backward`."""
    inherited = (Node.kernel, MultiOutputNode.kernel, cls.backward)
    return None if cls.kernel in inherited else cls.kernel
