"""A dim that the caller changes between a call and its backward changes no gradient."""

from collections import namedtuple
from pathlib import Path

import pytest

import norch_autograd as norch
from norch_autograd.graph.node import Node
from norch_autograd.graph.operands import freeze
from norch_autograd.more import im2col

INDEX = norch.tensor([[0, 1, 2]])
KERNEL = norch.arange(4, dtype=norch.float64).reshape(1, 1, 2, 2)
LINE = norch.ones(1, 3, dtype=norch.float64)
ONE = {
    "softmax": norch.softmax,
    "log_softmax": norch.log_softmax,
    "cumsum": norch.cumsum,
    "cumprod": norch.cumprod,
    "logcumsumexp": norch.logcumsumexp,
    "cummax": lambda x, dim: norch.cummax(x, dim).values,
    "index_select": lambda x, dim: norch.index_select(x, dim, norch.tensor([0, 2])),
    "index_add": lambda x, dim: norch.index_add(x * 2, dim, norch.tensor([0]), x[:1]),
    "gather": lambda x, dim: norch.gather(x, dim, INDEX),
    "scatter": lambda x, dim: norch.scatter(x, dim, INDEX, LINE),
    "scatter_add": lambda x, dim: norch.scatter_add(x * 2, dim, INDEX, x[:1]),
    "prod": norch.prod,
    "sort": lambda x, dim: norch.sort(x, dim).values,
    "topk": lambda x, dim: norch.topk(x, 2, dim).values,
    "kthvalue": lambda x, dim: norch.kthvalue(x, 2, dim).values,
    "median": lambda x, dim: norch.median(x, dim).values,
    "cat": lambda x, dim: norch.cat([x, x * 2], dim),
    "stack": lambda x, dim: norch.stack([x, x * 2], dim),
    "split": lambda x, dim: norch.split(x, 2, dim)[0],
    "chunk": lambda x, dim: norch.chunk(x, 2, dim)[0],
    "unbind": lambda x, dim: norch.unbind(x, dim)[1],
    "select": lambda x, dim: norch.select(x, dim, 1),
    "narrow": lambda x, dim: norch.narrow(x, dim, 0, 2),
    "transpose": lambda x, dim: norch.transpose(x, dim, 1),
    "unfold": lambda x, dim: x.unfold(dim, 2, 1),
    "repeat_interleave": lambda x, dim: norch.repeat_interleave(x, 2, dim),
}
SEVERAL = {
    "sum": norch.sum,
    "mean": norch.mean,
    "amax": norch.amax,
    "amin": norch.amin,
    "var": norch.var,
    "std": norch.std,
    "norm": lambda x, dim: norch.norm(x, dim=dim),
    "norm of 3": lambda x, dim: norch.norm(x, 3, dim=dim),
    "largest": lambda x, dim: norch.norm(x, float("inf"), dim=dim),
    "logsumexp": norch.logsumexp,
    "flip": norch.flip,
}


WINDOWS = {
    "conv2d": lambda x, step: norch.conv2d(x[None, None], KERNEL, stride=step),
    "conv_transpose2d": lambda x, step: norch.conv_transpose2d(x[None, None], KERNEL, stride=step),
    "avg_pool2d": lambda x, step: norch.ops.avg_pool2d(x[None, None], 2, step),
    "im2col": lambda x, step: im2col(x[None, None], 2, 1, 0, step),
}


def gradient(function, dim, edit):
    """Return the gradient of x, with `edit(dim)` between the call and its backward."""
    norch.manual_seed(0)
    x = norch.rand(3, 3, dtype=norch.float64).t().requires_grad_()
    y = function(x, dim)
    edit(dim)
    weight = norch.arange(y.numel(), dtype=norch.float64).reshape(y.shape)
    return norch.autograd.grad(y, x, weight)[0]


@pytest.mark.parametrize("name", [*ONE, *SEVERAL])
def test_a_dim_in_a_tensor_is_read_in_the_call(name):
    function = (ONE | SEVERAL)[name]
    expected = gradient(function, 0, lambda dim: None)
    assert norch.equal(gradient(function, norch.tensor(0), lambda dim: dim.fill_(1)), expected)


@pytest.mark.parametrize("name", SEVERAL)
def test_a_list_of_dims_is_read_in_the_call(name):
    expected = gradient(SEVERAL[name], [0], lambda dim: None)
    assert norch.equal(gradient(SEVERAL[name], [0], lambda dim: dim.append(1)), expected)
    assert norch.equal(gradient(SEVERAL[name], [0], lambda dim: dim.insert(0, 7)), expected)


@pytest.mark.parametrize("name", WINDOWS)
def test_a_step_of_a_window_is_read_in_the_call(name):
    expected = gradient(WINDOWS[name], [1, 1], lambda step: None)
    numbers = [norch.tensor(1), norch.tensor(1)]
    assert norch.equal(gradient(WINDOWS[name], [1, 1], lambda step: step.clear()), expected)
    assert norch.equal(gradient(WINDOWS[name], numbers, lambda step: step[0].fill_(2)), expected)


Pair = namedtuple("Pair", "size step")
CONTEXTS = [  # what is given, what a node keeps
    (None, None),
    (True, True),
    (2.5, 2.5),
    ("mean", "mean"),
    (norch.float32, norch.float32),
    ([1, [2]], (1, (2,))),
    (norch.tensor(3), 3),
    (norch.tensor(0.5), 0.5),
    (norch.tensor([[1, 2]]), ((1, 2),)),
    ((1, (2, norch.tensor([4]))), (1, (2, 4))),
    (Pair((1, 1), 2), Pair((1, 1), 2)),
    (Pair([1, norch.tensor(1)], 2), Pair((1, 1), 2)),
    (norch.Size([2, 3]), norch.Size([2, 3])),
    ((slice(None, norch.tensor(2)), ...), (slice(None, 2), ...)),
]


@pytest.mark.parametrize(("given", "kept"), CONTEXTS, ids=lambda value: repr(value))
def test_a_node_freezes_its_context(given, kept):
    for found in (freeze(given), Node((), (), given).context):  # as Python text, and as is used
        assert found == kept and repr(found) == repr(kept) and type(found) is type(kept)


def test_nodes_alone_freeze():
    """An operation that froze for itself would do so too where nothing is recorded."""
    package = Path(norch.__file__).parent
    files = [
        str(f.relative_to(package)) for f in package.rglob("*.py") if "freeze(" in f.read_text()
    ]
    assert sorted(files) == ["graph/node.py", "graph/operands.py"]
