"""Names, order and defaults of parameters are PyTorch's, but for the differences listed here."""

import inspect

import pytest
from signatures import PLACES, found, parameters_of, plain, shared

DOCUMENTED = "the name in the docstring; the code takes norch's"
OVERLOADS = "PyTorch hides an overload in *args, **kwargs"
NUMPY = "PyTorch's page repeats NumPy's word; its code takes norch's"
UNBIASED = "both overloads in one signature: `unbiased` and `correction`"
DECORATOR = "the function that a decorator without parentheses is given"
DISPATCHED = (  # with return_indices or without: two functions of (*args, **kwargs) in PyTorch
    *("max_pool1d", "max_pool2d", "max_pool3d"),
    *("adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d"),
)

DIFFERENT = {
    "broadcast_to": DOCUMENTED,
    "concatenate": NUMPY,
    "einsum": OVERLOADS,
    "enable_grad": DECORATOR,
    "no_grad": DECORATOR,
    "autograd.enable_grad": DECORATOR,
    "autograd.no_grad": DECORATOR,
    "kthvalue": "dim=-1 is what PyTorch's None means",
    "Tensor.kthvalue": "dim=-1 is what PyTorch's None means",
    "Tensor.mode": "dim=-1 is what PyTorch's None means",
    "topk": "dim=-1 is what PyTorch's None means",
    "Tensor.topk": "dim=-1 is what PyTorch's None means",
    "sort": "stable=None: every sort of norch is stable",
    "load": "safetensors files, no pickles: nothing to choose",
    "save": "safetensors files, no pickles: nothing to choose",
    "lu": "PyTorch's takes *args and **kwargs: these are those of the method",
    "memory_format": "a class nobody calls",
    "meshgrid": "'ij' is what PyTorch's None means, which it warns about",
    "promote_types": DOCUMENTED,
    "searchsorted": DOCUMENTED,
    "set_num_threads": DOCUMENTED,
    "swapaxes": NUMPY,
    "true_divide": DOCUMENTED,
    "std": UNBIASED,
    "std_mean": UNBIASED,
    "var": UNBIASED,
    "var_mean": UNBIASED,
    "Tensor.std": UNBIASED,
    "Tensor.var": UNBIASED,
    "unique": OVERLOADS,
    "unique_consecutive": OVERLOADS,
    "nn.RNN": OVERLOADS,
    "nn.LSTM": OVERLOADS,
    "nn.GRU": OVERLOADS,
    "nn.Hardtanh": "min_value and max_value are PyTorch's deprecated words",
    **{f"F.{name}": OVERLOADS for name in DISPATCHED},
    "autograd.backward": "grad_variables is PyTorch's deprecated word",
    "compile": "PyTorch's default backend is inductor, and its other options are **others",
    "data.random_split": "generator=None is the default generator",
}


@pytest.mark.parametrize(("place", "name"), shared(), ids=lambda part: part)
def test_signature(place, name):
    key = f"{place}.{name}".strip(".")
    if key in DIFFERENT:
        return
    ours, theirs = (parameters_of(getattr(found(side), name)) for side in PLACES[place])
    if theirs is None:
        return
    if place == "Tensor" and ours and ours[0][0] in ("input", "tensor"):
        ours = ours[1:]  # a method is the function itself: its first argument is the tensor
    reference = getattr(found(PLACES[place][1]), name)
    if not inspectable(reference):
        check_documented(ours, theirs, key)
    elif "size_average" in inspect.signature(reference).parameters:
        assert compared(ours, True) == compared(theirs, True), key
    else:
        assert compared(ours) == compared(theirs), key


def inspectable(value):
    """Whether Python can read the signature; what a docstring says is one overload of several."""
    try:
        inspect.signature(value)
    except (TypeError, ValueError):
        return False
    return True


def compared(parameters, any_kind=False):
    """Positional ones in order; those by keyword alone in any order; with their defaults."""
    if any_kind:  # behind the deprecated words ours are by keyword, so that none is mistaken
        return [(name, plain(default)) for name, _, default in parameters]
    positional = [(n, plain(d)) for n, kind, d in parameters if kind.startswith("POSITIONAL")]
    keyword = {(n, plain(d)) for n, kind, d in parameters if kind == "KEYWORD_ONLY"}
    return positional, sorted(keyword, key=str)


def check_documented(ours, theirs, key):
    """What PyTorch documents exists, in its order, with its default if it has one."""
    known = {name: default for name, _, default in ours}
    rest = any(kind == "VAR_POSITIONAL" for _, kind, _ in ours)
    order = [name for name, kind, _ in ours if kind == "POSITIONAL_OR_KEYWORD"]
    wanted = [name for name, kind, _ in theirs if kind == "POSITIONAL_OR_KEYWORD"]
    if key.startswith("Tensor."):
        wanted = order[: len(wanted)]  # the docstrings of methods have names of their own
    if not rest:
        assert order[: len(wanted)] == wanted, f"{key}: parameters {order}, PyTorch has {wanted}"
    for name, kind, default in theirs:
        if kind == "VAR_POSITIONAL" or (rest and name not in known):
            continue
        if key.startswith("Tensor.") and kind != "KEYWORD_ONLY" and name not in known:
            continue
        assert name in known, f"{key}: no parameter {name}, PyTorch has {theirs}"
        if default is not None and known[name] is not None:
            assert plain(known[name]) == plain(default), f"{key}: {name}={known[name]}, {default}"
