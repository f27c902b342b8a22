"""Layers and optimizers of the extras in captured steps: as the eager ones, or refused."""

import pytest
from layer_checks import small_batch, small_network

import norch_autograd as norch
import norch_cuda
import norch_nn as nn
from norch_extras.cuda_graphs import make_graphed_callables
from norch_extras.optim import NAdam, RMSprop


@pytest.mark.parametrize("make", [RMSprop, NAdam])
def test_optimizers_that_count_steps_cannot_be_captured(device, make):
    w = nn.Parameter(norch.ones(2, device=device))
    w.grad = norch.ones(2, device=device)
    optimizer = make([w], lr=0.1)
    with (
        pytest.raises(RuntimeError, match="cannot be captured in a CUDA graph"),
        norch_cuda.graph(norch_cuda.CUDAGraph(device=device)),
    ):
        optimizer.step()
    assert not optimizer.state[w] and w.tolist() == [1.0, 1.0]


def test_graphed_layers_train_as_eager_ones(device):
    def run(graphed):
        model = small_network(device)
        x, y = (t.to(device) for t in small_batch(0))
        if graphed:
            assert make_graphed_callables(model, (x.clone(),), num_warmup_iters=0) is model
        optimizer = nn.optim.Adam(model.parameters(), lr=0.01)
        losses = []
        for i in range(4):
            x, y = (t.to(device) for t in small_batch(i))
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        model.eval()
        return losses, model(x).tolist()

    eager, graphed = run(False), run(True)
    assert eager == graphed


def test_graphed_functions_of_several_tensors(device):
    def f(a, b):
        return a * b, a.sum()

    a, b = (norch.ones(3, device=device, requires_grad=needed) for needed in (True, False))
    first, second = make_graphed_callables((f, f), ((a, b), (a, b)))
    x = norch.tensor([1.0, 2.0, 3.0], device=device, requires_grad=True)
    for run in (first, second):
        product, total = run(x, norch.full((3,), 4.0, device=device))
        assert product.tolist() == [4.0, 8.0, 12.0] and total.item() == 6.0
        x.grad = None
        (product.sum() + total).backward()
        assert x.grad.tolist() == [5.0, 5.0, 5.0]
    with pytest.raises(RuntimeError, match=r"captured with a tensor of .*\(3,\), called"):
        first(norch.ones(4, device=device), b)
    with pytest.raises(TypeError, match="captured with 2 tensors, called with 1"):
        first(x)


def test_the_graphs_of_a_callable_share_the_pool_they_are_given(device):
    x, pool = norch.ones(2, device=device, requires_grad=True), norch_cuda.graph_pool_handle()
    for given in (pool, None):
        double = make_graphed_callables(lambda t: t * 2, (x,), pool=given)
        assert double._forward.pool() is double._backward.pool()
        assert (double._forward.pool() is pool) == (given is pool)
    with pytest.raises(TypeError, match=r"\[CUDAGraph\] pool: expected"):
        make_graphed_callables(lambda t: t * 2, (x,), pool="shared")
