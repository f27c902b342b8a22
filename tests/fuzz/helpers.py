"""What the text of a call may use beside a library and its inputs: layers with known weights,
compiled functions, layers of int8, and whole trainings, each step of which is a result.

Each helper does the same with norch and with PyTorch. Only `compiled` and `rounded_linear` are two
ways to one result: norch's own, and on the other side what it must be equal to.
"""

import functools
import math

import numpy as np

SMALLEST = 2.0**-126  # of linear_int8's scales


@functools.cache
def helpers(library, dtype=None, plain=False):
    """Return the names of a side; `plain` is the side that norch's own ways are compared with."""
    own = library.__name__ == "norch" and not plain
    return {
        "t": library,
        "nn": library.nn,
        "F": library.nn.functional,
        "math": math,
        "slicer": Slicer(),
        "filled": functools.partial(filled, library, dtype),
        "compiled": functools.partial(compiled, library) if own else lambda function: function,
        "rounded_linear": functools.partial(rounded if own else exact_rounded, library),
        "stepped": functools.partial(stepped, library),
        "scheduled": functools.partial(scheduled, library),
    }


class Slicer:
    """`slicer[1:, None]` is the key itself."""

    def __getitem__(self, key):
        return key


def filled(library, dtype, module):
    """Give a module's parameters the same numbers in both libraries."""
    module = module.double() if dtype == "float64" else module
    with library.no_grad():
        for i, p in enumerate(module.parameters()):
            if math.prod(p.shape) < 100_000:
                row = np.sin(1.3 * np.cos(0.7 * np.arange(math.prod(p.shape))) + 0.1 * i)
                p.copy_(library.from_numpy(row * 0.5).reshape(tuple(p.shape)).to(p.dtype))
    return module


def compiled(library, function):
    """Return a function whose chains are fused, however small the inputs are."""
    return library.compile(function, backend="fuse", options={"smallest": 1})


def rounded(library, x, weight, bias):
    """Return what a Linear layer gives whose weights quantize_dynamic has rounded to int8."""
    layer = library.nn.Linear(weight.shape[1], weight.shape[0], bias is not None)
    with library.no_grad():
        layer.weight.copy_(weight)
        if bias is not None:
            layer.bias.copy_(bias)
        model = library.nn.Sequential(layer)
        return library.ao.quantization.quantize_dynamic(model, {library.nn.Linear})(x)


def exact_rounded(library, x, weight, bias):
    """Return the same from its definition: whole numbers of both sides, multiplied in float64."""
    size = tuple(weight.shape)
    if len(size) != 2 or not weight.isfinite().all():
        raise ValueError("a row with infinity or nan has no scale")
    whole_x, scale_x = whole_rows(library, x.detach().float())
    whole, scale = whole_rows(library, weight.detach().float())
    sums = whole_x.double() @ whole.double().transpose(0, 1)
    product = sums * scale_x.double() * scale.double().reshape(-1)
    return (product if bias is None else product + bias.double()).float().detach()


def whole_rows(library, x):
    """Return the whole numbers of the rows of x, and a column of their scales."""
    largest = x.abs().amax(-1, keepdim=True)
    scale = (largest / 127).clamp(min=SMALLEST)
    whole = (x * (1 / scale)).round()
    finite = largest.isfinite()
    none = library.full_like(scale, math.nan)
    return library.where(finite, whole, library.zeros_like(whole)), library.where(
        finite, scale, none
    )


def stepped(library, make, tensors, steps=3, closure=False, resume=None, set_to_none=True):
    """Return all that an optimizer shows after each step: parameters, state, options and loss.

    At step `resume` another optimizer goes on with the state_dict.
    """
    params = [library.nn.Parameter(x.detach().clone()) for x in tensors]
    optimizer = make(params)
    seen = [options_of(optimizer)]
    for step in range(steps):
        if step == resume:
            saved, optimizer = optimizer.state_dict(), make(params)
            optimizer.load_state_dict(saved)
        if closure:
            loss = optimizer.step(lambda o=optimizer, n=step: loss_of(library, o, params, n))
        else:
            loss = give_gradients(library, params, step)
            optimizer.step()
        seen.append((loss, shown(params), shown_state(optimizer), options_of(optimizer)))
        optimizer.zero_grad(set_to_none)
        seen.append([p.grad is None for p in params])
    return seen


def scheduled(library, make, make_scheduler, tensors, steps=6, resume=None):
    """Return the options of every group, and what the scheduler says, after each of its steps."""
    params = [library.nn.Parameter(x.detach().clone()) for x in tensors]
    place = library.optim.lr_scheduler
    optimizer = make(params)
    scheduler = make_scheduler(optimizer, place)
    plateau = isinstance(scheduler, place.ReduceLROnPlateau)
    seen = [options_of(optimizer)]
    for step in range(steps):
        if step == resume:
            saved = optimizer.state_dict(), scheduler.state_dict()
            optimizer = make(params)
            scheduler = make_scheduler(optimizer, place)
            optimizer.load_state_dict(saved[0]), scheduler.load_state_dict(saved[1])
        give_gradients(library, params, step)
        optimizer.step()
        scheduler.step(*([math.cos(step) + 1.5] if plateau else []))
        seen.append((shown(params), options_of(optimizer), scheduler.get_last_lr()))
    return seen


def loss_of(library, optimizer, params, step):
    """Return a loss of the parameters, with its gradients, for an optimizer's closure."""
    optimizer.zero_grad()
    terms = [((p - row_for(library, p, step)) ** 2).sum() for p in params]
    loss = sum(terms[1:], terms[0])
    loss.backward()
    return loss.detach()


def give_gradients(library, params, step):
    """Give the parameters gradients that the step decides: the second one has none at first, and
    zeros after that.
    """
    for i, p in enumerate(params):
        row = row_for(library, p, step + i)
        p.grad = None if i == 1 and step == 0 else row * (0 if i == 1 and step == 1 else 1)


def row_for(library, p, step):
    """Return numbers of a parameter's shape and dtype."""
    row = np.cos(0.7 * (np.arange(math.prod(p.shape)) + 3 * step) + 0.3)
    return library.from_numpy(row).reshape(tuple(p.shape)).to(p.dtype)


def shown(params):
    return [p.detach().clone() for p in params]


# Numbers in one library, tensors in the other.
COUNTS = ("step", "eta", "mu", "mu_product", "t", "ro", "H_diag", "prev_loss")
SCRATCH = "al"  # of LBFGS: what PyTorch computes anew in each step


def plain_number(value):
    return [float(n) for n in value] if isinstance(value, list) else float(value)


def shown_state(optimizer):
    """Return what an optimizer remembers of parameters that have moved, in the order of names."""
    state = optimizer.state_dict()["state"]
    return [
        (key, name, plain_number(value) if name in COUNTS else copied(value))
        for key in sorted(state)
        for name, value in sorted(state[key].items())
        if value is not None and name != SCRATCH and state[key].get("step") != 0
    ]


FLAGS = ("nesterov", "maximize", "amsgrad", "centered", "decoupled_weight_decay")


def options_of(optimizer):
    """Return the options of the groups, in the order of their names."""
    groups = optimizer.state_dict()["param_groups"]
    flags = dict.fromkeys(FLAGS, bool)
    return [[(k, flags.get(k, copied)(group[k])) for k in sorted(group)] for group in groups]


def copied(value):
    """Return a tensor's copy, a list's copy, anything else as it is."""
    if isinstance(value, (list, tuple)):
        return [copied(part) for part in value]
    return value.detach().clone() if hasattr(value, "detach") else value
