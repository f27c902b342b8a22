"""F.pad in every mode against the definition of the mode: which row stands at which place."""

import random

import numpy as np
import pytest

import norch_autograd as norch
from norch_nn import functional as F


def rows_of(x, dim, before, after, mode):
    """Pad one dimension by the definition of its mode: the place of every row, one by one."""
    size = x.shape[dim]
    cut_first = mode in ("constant", "circular")
    low, high = (max(-before, 0), size - max(-after, 0)) if cut_first else (0, size)
    x, size = x.take(range(low, max(high, low)), dim), max(high - low, 0)
    if cut_first:
        before, after = max(before, 0), max(after, 0)
    if mode == "constant":
        around = [(before, after) if d == dim else (0, 0) for d in range(x.ndim)]
        return np.pad(x, around, constant_values=7)
    places = range(-before, size + after)
    if mode == "circular":
        return x.take([i % size for i in places], dim)
    if mode == "replicate":
        return x.take([min(max(i, 0), size - 1) for i in places], dim)
    return x.take([size - 1 - abs(size - 1 - abs(i)) for i in places], dim)


@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate", "circular"])
def test_pads_of_all_kinds_are_rows_picked_again(mode):
    """One to three dimensions; rows added, taken away, both, and none."""
    rng, refused = random.Random(7), 0
    for _ in range(150):
        dims = rng.choice((1, 2, 3))
        shape = [rng.choice((1, 2)), *(rng.choice((1, 2, 3, 5)) for _ in range(dims))]
        pads = [rng.choice((-2, -1, 0, 0, 1, 2, 3)) for _ in range(2 * dims)]
        x = np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape)
        value = 7.0 if mode == "constant" else None
        try:
            y = F.pad(norch.from_numpy(x).requires_grad_(), pads, mode, value)
        except RuntimeError as error:
            refused += 1
            assert str(error).startswith("[pad] "), error
            continue
        for i in range(dims):
            x = rows_of(x, len(shape) - 1 - i, pads[2 * i], pads[2 * i + 1], mode)
        assert y.shape == x.shape, (shape, pads)
        assert y.detach().numpy().tolist() == x.tolist(), (shape, pads)
        y.sum().backward()
    assert refused < 110


def test_pads_that_take_away_too_much_are_refused():
    for pads, mode in (((-2, 3), "constant"), ((-2, 2), "circular"), ((2, -1), "circular")):
        with pytest.raises(RuntimeError, match=r"^\[pad\] .*(cannot lose|wrap)"):
            F.pad(norch.ones(1, 1), pads, mode)
    with pytest.raises(NotImplementedError, match="mode 'reflect' pads the last"):
        F.pad(norch.ones(1), (-3, 0), "reflect")
    assert F.pad(norch.ones(2, 3), (-3, 0), "replicate").shape == (2, 0)


@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate", "circular"])
def test_widths_are_whole_numbers(mode):
    for widths in ((0.5, 2), (1, 1.0), norch.tensor([1.0, 1.0])):
        with pytest.raises(TypeError, match=r"^\[pad\]"):
            F.pad(norch.ones(1, 3), widths, mode=mode)
