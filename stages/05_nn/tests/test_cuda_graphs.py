"""A captured training step does what the eager one does, step after step."""

import pytest
from layer_checks import small_batch, small_network

import norch_autograd as norch
import norch_cuda
import norch_nn as nn


def trained(device, steps, captured):
    """Losses and parameters after some steps; all but the first in a graph if `captured`."""
    model = small_network(device)
    optimizer = nn.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    x, y = (t.to(device) for t in small_batch(0))

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    losses = [step().item()]
    g, loss = norch_cuda.CUDAGraph(device=device), None
    if captured:
        with norch_cuda.graph(g):
            loss = step()
    for i in range(1, steps):
        for static, new in zip((x, y), small_batch(i), strict=True):
            static.copy_(new)
        if captured:
            g.replay()
        else:
            loss = step()
        losses.append(loss.item())
    return losses, [t.tolist() for t in model.state_dict().values()]


def test_a_whole_training_step_is_the_eager_one(device):
    eager, graphed = trained(device, 5, False), trained(device, 5, True)
    assert len(set(eager[0])) == 5
    assert graphed == eager


def test_a_graph_takes_targets_that_are_no_class_to_an_error(device):
    x, y = (t.to(device) for t in small_batch(0))
    logits = x.reshape(4, 36)[:, :3]
    g = norch_cuda.CUDAGraph(device=device)
    with norch_cuda.graph(g):
        nn.functional.cross_entropy(logits, y)
    g.replay()
    y.fill_(3)
    with pytest.raises(IndexError, match="target 3 in row"):
        g.replay()


@pytest.mark.parametrize("make", [nn.optim.Adam, nn.optim.AdamW])
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


def test_the_first_step_with_momentum_cannot_be_captured(device):
    w = nn.Parameter(norch.ones(2, device=device))
    w.grad = norch.ones(2, device=device)
    optimizer = nn.optim.SGD([w], lr=0.1, momentum=0.9)
    with (
        pytest.raises(RuntimeError, match="after a first step"),
        norch_cuda.graph(norch_cuda.CUDAGraph(device=device)),
    ):
        optimizer.step()
