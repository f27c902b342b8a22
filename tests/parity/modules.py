"""Compares one module in both libraries: repr, state_dict, outputs in both modes, gradients."""

import numpy as np
from compare import (
    arrays_of,
    evaluate,
    filled,
    gradients,
    learnable,
    numpy_of,
    same,
    second,
    tensor_in,
)

import norch


def both(text):
    """Return both libraries' module in float64, norch's with the values of PyTorch's."""
    import torch

    torch.manual_seed(0)
    theirs = evaluate(torch, text, []).double()
    ours = evaluate(norch, text, []).double()
    return ours, theirs


def copy_state(ours, theirs):
    """Give norch's module PyTorch's values, through a strict load_state_dict."""
    state = theirs.state_dict()
    assert list(ours.state_dict()) == list(state), "keys of the state_dict"
    copied = {
        name: norch.from_numpy(np.array(numpy_of(value))).to(ours.state_dict()[name].dtype)
        for name, value in state.items()
    }
    for name, value in ours.state_dict().items():
        assert str(value.dtype)[6:] == str(state[name].dtype)[6:], f"dtype of {name}"
    ours.load_state_dict(copied)


def call(library, module, arrays):
    """Return the output of a module, and the leaves that have a gradient."""
    tensors = [tensor_in(library, a, "permuted") for a in arrays]
    leaves = [x.requires_grad_() for x in learnable(tensors)]
    return module(*tensors), [*leaves, *(p for p in module.parameters() if p.requires_grad)]


def check_module(text, inputs):
    """Compare both modules in every respect."""
    import torch

    ours, theirs = both(text)
    assert repr(ours) == repr(theirs), f"{ours!r} not {theirs!r}"
    names = [name for name, _ in theirs.named_parameters()]
    assert [name for name, _ in ours.named_parameters()] == names, "named_parameters"
    copy_state(ours, theirs)
    arrays = arrays_of(inputs, text)
    for training in (True, False):
        ours.train(training), theirs.train(training)
        (value, leaves), (expected, their_leaves) = (
            call(norch, ours, arrays),
            call(torch, theirs, arrays),
        )
        what = f"{text} in {'training' if training else 'evaluation'}"
        same(value, expected, what)
        firsts = gradients(torch, expected, their_leaves, create_graph=True)
        if firsts is not None:
            compare_gradients(value, leaves, firsts, their_leaves, what)
    same(dict(ours.state_dict()), dict(theirs.state_dict()), f"state_dict of {text}")


def compare_gradients(value, leaves, their_firsts, their_leaves, what):
    """Compare first and second derivatives in inputs and parameters."""
    import torch

    firsts = gradients(norch, value, leaves, create_graph=True)
    same(filled(firsts, leaves), filled(their_firsts, their_leaves), f"gradient of {what}", 10)
    try:
        seconds = second(torch, their_firsts, their_leaves)
    except (NotImplementedError, RuntimeError):
        return  # PyTorch has no second derivative here
    same(second(norch, firsts, leaves), seconds, f"second gradient of {what}", 100)
