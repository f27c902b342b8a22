"""A captured training step does what the eager one does, step after step."""

import pytest
from layer_checks import small_batch, small_network

import norch_autograd as norch
import norch_cuda
import norch_nn as nn

OPTIMIZERS = {
    "SGD": lambda params: nn.optim.SGD(params, lr=0.1, momentum=0.9),
    "Adam": lambda params: nn.optim.Adam(params, lr=0.01, amsgrad=True, capturable=True),
    "AdamW": lambda params: nn.optim.AdamW(params, lr=0.01, capturable=True),
}


def trained(device, make, steps, captured):
    """Losses and parameters after some steps; all but the first in a graph if `captured`."""
    model = small_network(device)
    optimizer = make(model.parameters())
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


@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_a_whole_training_step_is_the_eager_one(device, make):
    eager, graphed = (trained(device, make, 5, captured) for captured in (False, True))
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
        y.tolist()  # a GPU tells what a kernel found wrong where the program waits


def refuse(device, optimizer, message="cannot be captured in a CUDA graph"):
    """Expect that a capture of the optimizer's step is an error."""
    with (
        pytest.raises(RuntimeError, match=message),
        norch_cuda.graph(norch_cuda.CUDAGraph(device=device)),
    ):
        optimizer.step()


def weight(device):
    """A parameter that has a gradient."""
    w = nn.Parameter(norch.ones(2, device=device))
    w.grad = norch.ones(2, device=device)
    return w


@pytest.mark.parametrize("make", [nn.optim.Adam, nn.optim.AdamW])
@pytest.mark.parametrize("options", [{}, {"capturable": True}], ids=["", "capturable"])
def test_the_first_step_of_adam_cannot_be_captured(device, make, options):
    w = weight(device)
    optimizer = make([w], lr=0.1, **options)
    refuse(device, optimizer)
    assert not optimizer.state[w] and w.tolist() == [1.0, 1.0]


def test_steps_that_the_host_counts_cannot_be_captured(device):
    optimizer = nn.optim.Adam([weight(device)])
    optimizer.step()
    refuse(device, optimizer)


def test_amsgrad_that_has_no_largest_square_yet_cannot_be_captured(device):
    optimizer = nn.optim.Adam([weight(device)], capturable=True)
    optimizer.step()
    optimizer.param_groups[0]["amsgrad"] = True
    refuse(device, optimizer)


def test_a_loaded_count_goes_on(device):
    optimizers = [
        nn.optim.Adam([weight(device)], lr=0.1, capturable=flag) for flag in (True, False)
    ]
    for optimizer in optimizers:
        optimizer.step()
    saved = optimizers[0].state_dict()
    loaded = nn.optim.Adam([weight(device)], lr=0.1)
    loaded.load_state_dict(saved)
    refuse(device, loaded)  # the count comes from the host
    loaded.step()
    optimizers[1].step()
    counts = [next(iter(o.state.values()))["step"] for o in (loaded, optimizers[1])]
    assert isinstance(counts[0], norch.Tensor) and counts[0].dtype is norch.float32
    assert counts[0].device.type == loaded.param_groups[0]["params"][0].device.type
    assert [int(count) for count in counts] == [2, 2]


def test_capturable_changes_nothing_on_a_cpu():
    optimizer = nn.optim.Adam([weight("cpu")], capturable=True)
    optimizer.step()
    assert [state["step"] for state in optimizer.state.values()] == [1]


def test_capturable_by_basic_operations(device):
    found = []
    for composite in (False, True):
        w = weight(device)
        optimizer = nn.optim.AdamW([w], lr=0.1, capturable=True)
        for _ in range(3):
            with norch.autograd.composite(composite):
                optimizer.step()
        assert optimizer.state[w]["step"].item() == 3
        found.append(w.tolist())
    assert found[1] == pytest.approx(found[0], rel=1e-5)  # the one counts in float32


def test_the_first_step_with_momentum_cannot_be_captured(device):
    refuse(device, nn.optim.SGD([weight(device)], lr=0.1, momentum=0.9), "take a first step")
