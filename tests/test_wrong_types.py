"""Every public function says in its own name that it wants a tensor: no other words, no error of
our insides, wherever the wrong argument stands."""

import inspect

import pytest

import norch

PLACES = {
    "norch": norch,
    "F": norch.nn.functional,
    "linalg": norch.linalg,
    "special": norch.special,
    "init": norch.nn.init,
}
WRONG = ("a", None, {}, object())
FITTING = {
    "dim": 0,
    "dtype": norch.float32,
    "index": norch.tensor([0]),
    "indices": norch.tensor([0]),
    "pad": (1, 1),
}
FITTING |= {
    "mask": norch.tensor([True, False]),
    "equation": "i->i",
    "dims": (0,),
    "start": 0,
    "size": (2,),
}


def tensor_parameters():
    """Yield (name, function, parameter) of every parameter that is annotated as a tensor."""
    for place, module in PLACES.items():
        for name in sorted(vars(module)):
            function = getattr(module, name)
            if name.startswith("_") or not inspect.isfunction(function):
                continue
            for parameter in inspect.signature(function).parameters.values():
                if parameter.annotation == "Tensor" and parameter.kind != parameter.VAR_POSITIONAL:
                    yield pytest.param(
                        function, parameter.name, id=f"{place}.{name}-{parameter.name}"
                    )


def arguments(function, shape):
    """Return something for each parameter that has no default; tensors of one shape."""
    chosen = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.default is parameter.empty and "VAR" not in parameter.kind.name:
            is_tensor = "Tensor" in str(parameter.annotation)
            fitting = norch.ones(shape) if is_tensor else 1
            chosen[parameter.name] = FITTING.get(parameter.name, fitting)
    return chosen


def answers(function, parameter, wrong):
    """Return what a call says, for tensors of one, two and three dimensions beside the wrong one:
    some functions speak of those first.
    """
    for shape in ((2,), (2, 2), (2, 2, 2)):
        try:
            function(**arguments(function, shape) | {parameter: wrong})
        except (TypeError, RuntimeError, ValueError, IndexError) as error:
            yield f"{type(error).__name__}: {error}"


@pytest.mark.parametrize(("function", "parameter"), list(tensor_parameters()))
def test_what_is_no_tensor_is_refused_by_name(function, parameter):
    for wrong in WRONG:
        name, kind = function.__name__.rstrip("_"), type(wrong).__name__
        said = list(answers(function, parameter, wrong))
        right = [text for text in said if f"expected a Tensor, got {kind}" in text]
        assert right and right[0].startswith(f"TypeError: [{name}"), said


def test_there_are_many():
    assert len(list(tensor_parameters())) > 500
