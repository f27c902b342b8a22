"""What tests of layers share, in stage 5 and in the extras: activations and losses beside their
formulas, weights of sines, rates of a schedule, and small training steps. It uses stage 5 alone.
"""

import math

import numpy as np

import norch_autograd as norch
import norch_nn as nn
from norch_nn.data import DataLoader


def layer_name(value):
    """The id of a parameter that is a layer; pytest counts others, whose text has an address."""
    return str(value) if isinstance(value, nn.Module) else None


# ---- activations ---------------------------------------------------------------------------------

X = [[-4.5, -1.25, -0.25], [0.25, 2.5, 5.5]]  # no kink among them


def check_formula(layer, formula):
    """Compare an activation with a formula of one float, and its gradient with differences."""
    layer = layer.double()
    x = norch.tensor(X, dtype=norch.float64).t().contiguous().t().requires_grad_()
    assert not x.is_contiguous()
    expected = norch.tensor([[formula(v) for v in row] for row in X], dtype=norch.float64)
    assert norch.allclose(layer(x), expected, rtol=1e-12, atol=1e-12)
    assert norch.gradcheck(layer, (x,))


def check_slope(layer, x, slope):
    """Compare the gradient at one point, such as a kink."""
    t = norch.tensor(x, requires_grad=True)
    layer(t).backward()
    assert math.isclose(t.grad.item(), slope, rel_tol=1e-6, abs_tol=1e-7)


def check_at_200(function, values, slopes):
    """Compare values and gradients at -200 and 200, where an exponential overflows."""
    x = norch.tensor([-200.0, 200.0], requires_grad=True)
    y = function(x)
    y.sum().backward()
    assert np.allclose(y.tolist(), values, rtol=1e-6, atol=1e-5)
    assert np.allclose(x.grad.tolist(), slopes, rtol=1e-6, atol=1e-5)


def check_in_place(layer, *, shown=True):
    """Compare a layer with its form that overwrites its input: `layer(inplace=True)`."""

    def gradient(inplace):
        norch.manual_seed(0)
        leaf = norch.tensor([-2.0, -0.5, 0.3, 4.0], requires_grad=True)
        hidden = leaf * 1.5
        y = layer(inplace=inplace)(hidden)
        assert (y is hidden) is inplace
        y.sum().backward()
        return leaf.grad.tolist()

    assert gradient(True) == gradient(False)
    assert repr(layer(inplace=True)).endswith("inplace=True)") is shown


# ---- losses --------------------------------------------------------------------------------------


def tensor(array):
    """A tensor of these numbers, its memory transposed where it has two dimensions."""
    dtype = norch.float64 if array.dtype.kind == "f" else norch.int64
    t = norch.tensor(array.tolist(), dtype=dtype)
    return t.t().contiguous().t() if t.ndim == 2 else t


def check_loss(make, formula, *arrays, learned=1, total=None):
    """Compare all three reductions with NumPy, and the gradients of the first `learned` inputs."""
    total = formula.size if total is None else total
    inputs = [tensor(a) for a in arrays]
    for reduction, expected in (
        ("none", formula),
        ("sum", formula.sum()),
        ("mean", formula.sum() / total),
    ):
        loss = make(reduction).double()
        assert np.allclose(loss(*inputs).tolist(), expected, rtol=1e-12, atol=1e-12), reduction
    for t in inputs[:learned]:
        t.requires_grad_()
    assert norch.gradcheck(make("none").double(), tuple(inputs))


def log_sigmoid(x):
    return -np.log1p(np.exp(-x))


# ---- weights of sines ----------------------------------------------------------------------------


def wave(*shape, k=1.0):
    """sin(k (i + 1)) for every element i."""
    values = np.sin(np.arange(math.prod(shape)) * k + k).reshape(shape)
    return norch.tensor(values, dtype=norch.float64)


def fill_with_sines(module, change=0.1, size=0.8):
    """The module in float64 with parameters that are sines, each of another wave."""
    module.to(norch.float64)
    with norch.no_grad():
        for i, parameter in enumerate(module.parameters()):
            parameter.copy_(wave(*parameter.shape, k=0.7 + change * i) * size)
    return module


def digest(tensor, k=1.3):
    """Two numbers for a result: its sum, and its sum weighted by another sine."""
    tensor = tensor.detach()
    return [tensor.sum().item(), (tensor * wave(*tensor.shape, k=k)).sum().item()]


def states_of(state):
    """The states of a recurrent layer as a tuple: (h, c) of an LSTM, (h,) of the others."""
    return state if isinstance(state, tuple) else (state,)


# ---- schedules -----------------------------------------------------------------------------------


def make_optimizer(kind=nn.optim.SGD, groups=1, **options):
    """An optimizer of one parameter a group, with a rate of 1."""
    parameters = [{"params": [nn.Parameter(norch.ones(1))]} for _ in range(groups)]
    return kind(parameters, lr=1.0, **options)


def rates_of(scheduler, count):
    """The rate of the first group now, and after each step."""
    rates = [scheduler.get_last_lr()[0]]
    for _ in range(count):
        scheduler.optimizer.step()
        scheduler.step()
        rates.append(scheduler.get_last_lr()[0])
    return rates


def cosine(part, low=0.0):
    """The point of half a cosine from 1 (part 0) to `low` (part 1)."""
    return low + (1 - low) * (1 + math.cos(math.pi * part)) / 2


# ---- training steps ------------------------------------------------------------------------------


def train(model, dataset, optimizer, batch_size=20):
    """One epoch of a classifier."""
    criterion = nn.CrossEntropyLoss()
    model.train()
    for images, labels in DataLoader(dataset, batch_size, shuffle=True):
        optimizer.zero_grad()
        criterion(model(images), labels).backward()
        optimizer.step()


def small_batch(step):
    """Inputs and targets of one step: 4 images of 6 x 6 pixels, 3 classes."""
    generator = norch.Generator().manual_seed(step)
    x = norch.randn(4, 1, 6, 6, generator=generator)
    return x, norch.randint(0, 3, (4,), generator=generator)


def small_network(device):
    """A network for `small_batch`, always with the same weights."""
    norch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(8, 3),
    ).to(device)  # fmt: skip
