"""What a call gives back is another tensor, or its docstring says that it is `input` itself.

Walks all public functions, methods and layers with arguments that leave nothing to do: the same
size, the same dtype, dropout that drops nothing. Another tensor has hooks and a shape of its own;
who edits in place returns what was edited.
"""

import inspect
import warnings

import pytest

import norch
from norch import nn

FACES = {
    "": norch,
    "Tensor.": norch.Tensor,
    "functional.": nn.functional,
    "linalg.": norch.linalg,
    "special.": norch.special,
}
SHAPES = ((), (3,), (1, 2, 3), (1, 1, 2, 2), (0,))
DTYPES = (norch.float32, norch.int64)
WRITES = ("save", "seed", "manual_seed", "record_stream", "backward")
WORDS = ("itself", "the same tensor", "sharing memory")


def functions():
    """Return each public function of tensors once, by name."""
    found = {}
    for prefix, face in FACES.items():
        for name in dir(face):
            value = getattr(face, name)
            if name.startswith(("_", "set_")) or name in WRITES or isinstance(value, type):
                continue
            if callable(value) and id(value) not in found:
                found[id(value)] = (prefix + name, value)
    return dict(found.values())


FUNCTIONS = functions()


def arguments(x):
    """Return what may follow a tensor in a call; much of it asks for nothing to be done."""
    shape, other = tuple(x.shape), norch.ones_like(x)
    numbers = [
        (),
        (0,),
        (1,),
        (-1,),
        (0, 0),
        (0, 1),
        (0.0,),
        (0.5, False),
        (1.0,),
        (1, 1),
        (0, 0, 1),
    ]
    shapes = [(shape,), shape, ((0, 0),), ((),), ((1,) * len(shape),), (tuple(range(x.dim())),)]
    others = [(other,), (other, other), (x.dtype,), (None,), (None, None), ("cpu",), (x.type(),)]
    return numbers + shapes + others + [(0, 0, size) for size in shape[:1]]


def calls(function):
    """Yield (x, what came back) for all calls that the function accepts."""
    for shape in SHAPES:
        for dtype in DTYPES:
            for k in range(len(arguments(norch.ones(shape, dtype=dtype)))):
                x = norch.ones(shape, dtype=dtype)
                yield from answers(x, function, x, *arguments(x)[k])
            x = norch.ones(shape, dtype=dtype)
            yield from answers(x, function, [x])


def answers(x, function, *args):
    """Yield (x, each part of what `function(*args)` gives), if it takes them."""
    try:
        result = function(*args)
    except Exception:
        return  # not an argument of this one
    for part in result if isinstance(result, (tuple, list)) else (result,):
        yield x, part


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_returns_another_tensor_or_says_that_it_is_the_same(name):
    function = FUNCTIONS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        same = [x for x, part in calls(function) if part is x and not x._version]
    if same and not name.endswith("_"):
        assert any(word in (inspect.getdoc(function) or "") for word in WORDS), (
            f"{name} gave back its argument of shape {tuple(same[0].shape)}: its docstring should "
            "say when"
        )


HOOKED = [name for name in FUNCTIONS if not name.endswith("_")]


@pytest.mark.parametrize("name", HOOKED)
def test_a_hook_of_another_tensor_is_its_own(name):
    """`y = f(x)`: where a hook stops all that comes by way of y, the gradient of x + y is 1."""
    if any(word in (inspect.getdoc(FUNCTIONS[name]) or "") for word in WORDS):
        return
    for shape in SHAPES:
        for k in range(len(arguments(norch.ones(shape)))):
            x = norch.full(shape, 0.75, requires_grad=True)
            for _, y in answers(x, FUNCTIONS[name], x, *arguments(x)[k]):
                if isinstance(y, norch.Tensor) and y.requires_grad:
                    check_hook(x, y, name)


def check_hook(x, y, name):
    x.grad = None
    handle = y.register_hook(lambda grad: grad * 0)
    try:
        (x.sum() + y.sum()).backward(retain_graph=True)
    except RuntimeError:
        return  # no derivative here
    finally:
        handle.remove()
    assert all(g == 1 or g != g for g in x.grad.flatten().tolist()), f"{name}: {x.grad}"


def test_a_vectors_transpose_is_a_view_of_its_own():
    for shape in ((), (3,)):
        x = norch.ones(shape)
        y = x.t()
        assert y._base is x
        y.unsqueeze_(0)
        assert x.shape == shape
        y.mul_(2)
        assert x.sum() == 2 * x.numel() and x._version == y._version == 1


LAYERS = {
    "Identity": nn.Identity(),
    "Dropout in evaluation": nn.Dropout().eval(),
    "Dropout of none": nn.Dropout(0.0),
    "an empty Sequential": nn.Sequential(),
}


@pytest.mark.parametrize("name", LAYERS)
def test_layers_that_do_nothing_return_their_input(name):
    x = norch.ones(2, 3)
    assert LAYERS[name](x) is x


OTHERS = [nn.Flatten(), nn.ReLU(), nn.LayerNorm(3).eval(), nn.BatchNorm1d(3).eval()]
OTHERS += [nn.Unflatten(1, (3,)), nn.MaxPool1d(1), nn.AvgPool1d(1), nn.Upsample(3)]
THREE = (nn.MaxPool1d, nn.AvgPool1d, nn.Upsample)


@pytest.mark.parametrize("layer", OTHERS, ids=lambda layer: type(layer).__name__)
def test_other_layers_return_another_tensor(layer):
    x = norch.ones((2, 3, 3) if isinstance(layer, THREE) else (2, 3))
    assert layer(x) is not x
