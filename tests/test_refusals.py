"""A refused call says in its own name what it wants, and has written nothing.

Every public function wants its tensor in no other words, with no error of our insides, wherever the
wrong argument stands. What was refused has changed no tensor that it was to edit, no running
statistic, no counter, no table whose rows it shortens.
"""

import inspect
import itertools

import pytest

import norch
from norch import nn
from norch.nn import functional as F

PLACES = {
    "norch": norch,
    "F": norch.nn.functional,
    "linalg": norch.linalg,
    "special": norch.special,
    "init": norch.nn.init,
}
NO_TENSORS = ("a", None, {}, object())
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
    for wrong in NO_TENSORS:
        name, kind = function.__name__.rstrip("_"), type(wrong).__name__
        said = list(answers(function, parameter, wrong))
        if any("needs LAPACK, which" in text for text in said):
            pytest.skip("OpenBLAS is not installed")
        right = [text for text in said if f"expected a Tensor, got {kind}" in text]
        assert right and right[0].startswith(f"TypeError: [{name}"), said


def test_there_are_many():
    assert len(list(tensor_parameters())) > 500


WRONG = (None, "a", object(), 1j, float("nan"), 2**62, 2**70, -3, (), [None], 0, 5, True)
WRONG += (norch.ones(2), norch.ones(2, 3, 4), norch.ones(3, 4), norch.ones(3, 4) > 0)
WRONG += (norch.tensor([0, 9]), norch.tensor([[0, 9, 1, 0]]), norch.tensor(2), slice(None))
WRONG += ((norch.tensor([0, 1]), norch.tensor([0, 9])), norch.float32)
MOST = 250  # combinations of arguments for each method and input
INPUTS = {
    "floats": lambda: norch.arange(12.0).reshape(3, 4),
    "integers": lambda: norch.arange(12).reshape(3, 4),
    "bools": lambda: norch.arange(12).reshape(3, 4) > 5,
    "tall": lambda: norch.arange(15.0).reshape(5, 3),
    "expanded": lambda: norch.arange(4.0).expand(3, 4),
}


def edits():
    """Return the methods of a tensor that change it."""
    names = [n for n in dir(norch.Tensor) if n.endswith("_") and not n.endswith("__")]
    operators = ["__setitem__", "__iadd__", "__imul__", "__itruediv__", "__ipow__", "__iand__"]
    return [n for n in names if callable(getattr(norch.Tensor, n))] + operators


def combinations(method):
    """Return some of all choices of arguments, as many as the method takes or fewer."""
    try:
        parameters = list(inspect.signature(method).parameters.values())[1:]
    except ValueError:
        parameters = [None, None]
    places = sum(p is None or "POSITIONAL" in p.kind.name for p in parameters)
    for count in range(min(places, 4) + 1):
        step = max(1, len(WRONG) ** count // MOST) | 1  # odd, and so prime to most sizes
        yield from itertools.islice(itertools.product(WRONG, repeat=count), 0, None, step)


def state(x):
    return tuple(x.shape), x.dtype, x.numpy().tobytes()


@pytest.mark.parametrize("kind", INPUTS)
def test_a_refused_edit_has_written_nothing(kind):
    calls, changed = 0, []
    for name in edits():
        method = getattr(norch.Tensor, name)
        for arguments in combinations(method):
            x, calls = INPUTS[kind](), calls + 1
            before = state(x)
            try:
                method(x, *arguments)
            except Exception as error:
                if state(x) != before:
                    changed.append(f"{name}{arguments}: {error}")
    assert changed == []
    assert calls > 8_000


X, Y = norch.ones(2, 3, 4), norch.ones(2, 3)
ONE = norch.ones(1, 3)
LAYERS = {
    "BatchNorm1d": (
        lambda: nn.BatchNorm1d(3),
        (X, Y),
        (Y[0], ONE, norch.ones(2, 4), X.long(), X[0]),
    ),
    "BatchNorm1d, momentum None": (
        lambda: nn.BatchNorm1d(3, momentum=None),
        (Y,),
        (ONE, X.long()),
    ),
    "BatchNorm2d": (
        lambda: nn.BatchNorm2d(3),
        (norch.ones(2, 3, 2, 2),),
        (X, ONE[..., None, None]),
    ),
    "InstanceNorm1d": (
        lambda: nn.InstanceNorm1d(3, track_running_stats=True),
        (X,),
        (X[:, :2], X[..., :1], Y[0], X.long()),
    ),
    "Embedding": (
        lambda: nn.Embedding(3, 4, max_norm=0.01),
        (norch.tensor([0]),),
        (norch.tensor([0, 9]), norch.tensor([0.0]), norch.tensor([0, -1])),
    ),
    "EmbeddingBag": (
        lambda: nn.EmbeddingBag(3, 4, max_norm=0.01),
        (norch.tensor([[0]]),),
        (norch.tensor([[0, 9]]), norch.tensor([0, 1]), norch.tensor([[0.0]])),
    ),
    "spectral_norm": (
        lambda: nn.utils.spectral_norm(nn.Linear(3, 4)),
        (Y,),
        (),
    ),
}


@pytest.mark.parametrize("name", LAYERS)
def test_a_refused_batch_leaves_every_buffer(name):
    make, right, wrong = LAYERS[name]
    layer = make()
    for batch in right:
        before = {key: x.clone() for key, x in layer.state_dict().items()}
        layer(batch)
        after = layer.state_dict()
        assert any(not norch.equal(after[key], x) for key, x in before.items()), "it writes nothing"
    before = {key: state(x) for key, x in layer.state_dict().items()}
    for batch in wrong:
        with pytest.raises((RuntimeError, ValueError, IndexError, TypeError)):
            layer(batch)
        assert {key: state(x) for key, x in layer.state_dict().items()} == before, batch.shape


@pytest.mark.parametrize("norm", [F.batch_norm, F.instance_norm])
@pytest.mark.parametrize("options", [{}, {"training": True, "use_input_stats": True}])
def test_statistics_move_both_or_neither(norm, options):
    options = {key: v for key, v in options.items() if key in inspect.signature(norm).parameters}
    for wrong in (
        norch.zeros(4),
        norch.zeros(3, 1),
        norch.zeros(3).long(),
        norch.zeros(1).expand(3),
    ):
        for swap in (False, True):
            right = norch.zeros(3)
            pair = (wrong, right) if swap else (right, wrong)
            before = [state(x) for x in pair]
            try:
                norm(X, *pair, **options)
            except (RuntimeError, ValueError):
                assert [state(x) for x in pair] == before
            else:
                assert norm is F.batch_norm and not options  # evaluation reads them only


def test_a_factor_that_is_no_number_moves_nothing():
    mean, var = norch.zeros(3), norch.ones(3)
    with pytest.raises(TypeError, match=r"\[batch_norm\] momentum: expected float, got 'a'"):
        F.batch_norm(X, mean, var, training=True, momentum="a")
    assert mean.tolist() == [0, 0, 0] and var.tolist() == [1, 1, 1]
