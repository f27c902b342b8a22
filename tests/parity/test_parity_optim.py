"""Every optimizer over 20 steps and every scheduler over 30 epochs, beside PyTorch's."""

import copy

import numpy as np
import pytest
from cases_optim import OPTIMIZER_CASES, SCHEDULER_CASES
from compare import near, numpy_of

import norch

STEPS = 20
SHAPES = ((3, 4), (5,), (), (2, 0))
METRICS = np.random.default_rng(3).random(30).round(2)


def parameters(library, dtype):
    rng = np.random.default_rng(1)
    made = [library.from_numpy(np.array(rng.standard_normal(shape))) for shape in SHAPES]
    return [library.nn.Parameter(x.to(getattr(library, dtype))) for x in made]


def give_gradients(library, params, step):
    """The third parameter has no gradient in the first two steps, and a zero one in the third."""
    rng = np.random.default_rng(step)
    for i, p in enumerate(params):
        grad = rng.standard_normal(tuple(p.shape)) * (0 if step == 2 and i == 2 else 1)
        p.grad = None if i == 2 and step < 2 else library.from_numpy(np.array(grad)).to(p.dtype)


def build(library, text, params, optimizer=None):
    names = {"p": params, "o": optimizer, "L": library.optim.lr_scheduler}
    place = library.optim if optimizer is None else library.optim.lr_scheduler
    return eval(f"place.{text}", {**names, "place": place})


def options(optimizer):
    return [
        {key: value for key, value in group.items() if key != "params"}
        for group in optimizer.param_groups
    ]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("text", OPTIMIZER_CASES)
def test_twenty_steps(text, dtype):
    import torch

    ours, theirs = parameters(norch, dtype), parameters(torch, dtype)
    a, b = build(norch, text, ours), build(torch, text, theirs)
    assert options(a) == options(b)
    for step in range(STEPS):
        give_gradients(norch, ours, step), give_gradients(torch, theirs, step)
        a.step(), b.step()
        for x, y in zip(ours, theirs, strict=True):
            near(x, y, f"{text} after step {step + 1}", loose=4)
        if step == STEPS // 2:  # go on with another one that was given the state
            saved = copy.deepcopy(a.state_dict())
            a = build(norch, text, ours)
            a.load_state_dict(saved)
    compare_states(a.state_dict()["state"], b.state_dict()["state"], text)


def as_of(library, value):
    """A state_dict with its tensors as those of the other library."""
    if isinstance(value, dict):
        return {key: as_of(library, inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(as_of(library, inner) for inner in value)
    return library.from_numpy(np.array(numpy_of(value))) if hasattr(value, "shape") else value


@pytest.mark.parametrize("goes", ["from PyTorch", "to PyTorch"])
@pytest.mark.parametrize("text", OPTIMIZER_CASES)
def test_a_state_goes_over(text, goes):
    import torch

    one, other = (torch, norch) if goes == "from PyTorch" else (norch, torch)
    before, after = parameters(one, "float64"), parameters(other, "float64")
    a, b = build(one, text, before), build(other, text, after)
    for step in range(4):
        give_gradients(one, before, step), a.step()
    b.load_state_dict(as_of(other, a.state_dict()))
    with one.no_grad(), other.no_grad():
        for x, y in zip(before, after, strict=True):
            y.copy_(other.from_numpy(np.array(numpy_of(x))))
    for step in range(4, 8):
        give_gradients(one, before, step), give_gradients(other, after, step)
        a.step(), b.step()
        for x, y in zip(before, after, strict=True):
            np.testing.assert_allclose(numpy_of(y), numpy_of(x), 1e-6, err_msg=f"{text} {step}")


def compare_states(ours, theirs, text):
    """The names of what is remembered are PyTorch's, and so are the numbers."""
    assert sorted(ours) == sorted(theirs), "parameters that have a state"
    for number, entry in theirs.items():
        kept = {k: v for k, v in entry.items() if v is not None}
        mine = {k: v for k, v in ours[number].items() if v is not None}
        assert sorted(mine) == sorted(kept), f"{text}: state {sorted(mine)} not {sorted(kept)}"
        for key, value in kept.items():
            a = numpy_of(mine[key]) if hasattr(mine[key], "shape") else mine[key]
            b = numpy_of(value) if hasattr(value, "shape") else value
            np.testing.assert_allclose(a, b, 1e-4, 1e-6, err_msg=f"{text}: {key}")


@pytest.mark.parametrize("text", SCHEDULER_CASES)
def test_thirty_epochs(text):
    import torch

    rates = []
    for library in (norch, torch):
        params = parameters(library, "float32")
        optimizer = library.optim.SGD(params, lr=0.2, momentum=0.9)
        scheduler = build(library, text, params, optimizer)
        seen = [rates_of(optimizer)]
        for epoch in range(29):
            optimizer.step()
            scheduler.step(*([METRICS[epoch]] if "Plateau" in text else []))
            seen.append(rates_of(optimizer))
            assert scheduler.get_last_lr() == [group["lr"] for group in optimizer.param_groups]
        rates.append(seen)
    np.testing.assert_allclose(*rates, 1e-9, 1e-12, err_msg=text)


def rates_of(optimizer):
    return [(float(group["lr"]), float(group["momentum"])) for group in optimizer.param_groups]


@pytest.mark.parametrize("text", SCHEDULER_CASES)
def test_a_scheduler_resumes(text):
    """What was saved in the middle goes on as if nothing had happened."""
    runs = []
    for stop in (None, 12):
        params = parameters(norch, "float32")
        optimizer = norch.optim.SGD(params, lr=0.2, momentum=0.9)
        scheduler = build(norch, text, params, optimizer)
        seen = []
        for epoch in range(29):
            if epoch == stop:
                saved = scheduler.state_dict(), optimizer.state_dict()
                optimizer = norch.optim.SGD(params, lr=0.2, momentum=0.9)
                scheduler = build(norch, text, params, optimizer)
                scheduler.load_state_dict(saved[0]), optimizer.load_state_dict(saved[1])
            scheduler.step(*([METRICS[epoch]] if "Plateau" in text else []))
            seen.append(rates_of(optimizer))
        runs.append(seen)
    np.testing.assert_allclose(*runs, 1e-9, 1e-12, err_msg=text)
