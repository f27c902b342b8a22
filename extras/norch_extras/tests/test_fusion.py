"""`compile`: chains of elementwise operations as one loop, with the values and gradients of eager;
what ends a chain, and what is left to eager, with its reason.
"""

import copy
import pickle
import random
import sys
from collections import Counter

import pytest

import norch_autograd as norch
from norch_extras.fusion import compile, kernel

ALWAYS = {"smallest": 1}
ONE = [
    "neg", "square", "abs", "exp", "expm1", "erf", "sin", "cos", "tan", "atan", "sinh", "cosh",
    "tanh", "sigmoid", "relu", "floor", "ceil", "trunc", "round", "sign",
]  # fmt: skip
POSITIVE = ["sqrt", "rsqrt", "log", "log1p", "log2", "reciprocal"]
TWO = ["add", "sub", "mul", "div", "maximum", "minimum"]


def compiled(function, **options):
    return compile(function, backend="fuse", options=ALWAYS, **options)


def layouts(dtype, seed):
    """Tensors that broadcast to (3, 4, 5), each laid out in another way."""
    norch.manual_seed(seed)

    def make(*shape):
        return norch.randn(*shape, dtype=dtype)

    return [
        make(3, 4, 5),
        make(5, 4, 3).permute(2, 1, 0),
        make(3, 4, 10)[:, :, ::2],
        make(4, 1),
        make(5),
        make(1, 4, 5),
        make(()),
        make(3, 4, 1).expand(3, 4, 5),
    ]


def random_step(rng, values):
    """One more operation on what there is."""
    x, y = rng.choice(values), rng.choice(values)
    kind = rng.randrange(8)
    if kind < 3:
        return getattr(norch, rng.choice(ONE))(x.clamp(-3, 3))
    if kind == 3:
        return getattr(norch, rng.choice(POSITIVE))(x.abs() + 0.1)
    if kind < 6:
        name = rng.choice(TWO)
        return getattr(norch, name)(x, y.abs() + 0.5 if name == "div" else y)
    if kind == 6:
        return norch.where(x > rng.uniform(-1, 1), y, x * 0.5)
    return rng.choice([
        lambda: x * rng.uniform(-2, 2), lambda: x + 1, lambda: 2 - x, lambda: x**2,
        lambda: x.clamp(min=-1), lambda: norch.ops.gelu(x, "tanh"), lambda: norch.ops.silu(x),
        lambda: norch.ops.gelu(x), lambda: 1 / (x.abs() + 1), lambda: norch.pow(x.abs() + 1, 1.5),
        lambda: x * ((x < y) | (y > 1)), lambda: norch.sigmoid(x) ** 3,
    ])()  # fmt: skip


def random_chains(seed, chains):
    """A function that computes many chains from its arguments, the same ones in every call."""

    def function(*inputs):
        rng = random.Random(seed)
        results = []
        for _ in range(chains):
            values = list(inputs)
            for _ in range(rng.randint(2, 5)):
                values.append(random_step(rng, values[-4:]) + values[-1] * 0.25)
            results.append(values[-1] + inputs[0] * 0)
        return results

    return function


def agree(found, expected, dtype):
    tolerance = 2e-5 if dtype is norch.float32 else 1e-12
    assert found.shape == expected.shape
    assert found.dtype is expected.dtype
    assert norch.allclose(found, expected, rtol=tolerance, atol=tolerance, equal_nan=True)


@pytest.mark.parametrize(
    ("seed", "dtype"),
    [*((k, norch.float32) for k in range(6)), (6, norch.float64), (7, norch.float64)],
)
def test_random_chains_have_the_values_of_eager(dtype, seed):
    function, inputs = random_chains(seed, 25), layouts(dtype, seed)
    with norch.no_grad():
        fast = compiled(function, fullgraph=True)
        for found, expected in zip(fast(*inputs), function(*inputs), strict=True):
            agree(found, expected, dtype)
    assert fast.kernels
    assert not fast.reasons


@pytest.mark.parametrize("seed", range(4))
def test_gradients_are_those_of_eager(seed):
    """Of every argument, whatever its layout; and again through a graph that was retained."""
    function = random_chains(100 + seed, 4)
    fast = compiled(function, fullgraph=True)
    inputs = [x.requires_grad_() for x in map(norch.clone, layouts(norch.float64, seed))]
    weights = layouts(norch.float64, 50 + seed)[0]

    def gradients(function):
        loss = sum((result * weights).sum() for result in function(*inputs))
        first = norch.autograd.grad(loss, inputs, retain_graph=True, allow_unused=True)
        again = norch.autograd.grad(loss, inputs, allow_unused=True)
        assert all(a is b or norch.equal(a, b) for a, b in zip(first, again, strict=True))
        return first

    for found, expected in zip(gradients(fast), gradients(function), strict=True):
        assert (found is None) == (expected is None)
        if found is not None:
            agree(found, expected, norch.float64)
    assert not fast.reasons


def gelu(x):
    return 0.5 * x * (1 + norch.tanh(0.79788456 * (x + 0.044715 * x**3)))


def test_a_chain_is_one_kernel_for_all_sizes_strides_and_numbers():
    fast = compiled(lambda x, c: gelu(x) * c)
    for x, c in [(norch.randn(7), 2.0), (norch.randn(3, 5), 3.5), (norch.randn(0, 4), 1)]:
        agree(fast(x, c), gelu(x) * c, norch.float32)
    assert len(fast.kernels) == 1
    x = norch.randn(8, 6)[:, ::2]
    agree(fast(x, 2.0), gelu(x) * 2.0, norch.float32)
    assert len(fast.kernels) == 2


def test_backward_is_one_kernel_that_computes_again_what_forward_did_not_keep():
    fast = compiled(gelu)
    x = norch.randn(64, requires_grad=True)
    y = fast(x)
    assert y.grad_fn.name() == "CompiledFunctionBackward0"
    (found,) = norch.autograd.grad(y.sum(), x)
    (expected,) = norch.autograd.grad(gelu(x).sum(), x)
    agree(found, expected, norch.float32)
    assert len(fast.kernels) == 2


def test_several_results_come_from_one_kernel():
    def adamw(p, grad, m, v, step):
        m = m * 0.9 + grad * 0.1
        v = v * 0.999 + grad * grad * 0.001
        p = p * (1 - 1e-2 * 1e-3)
        return p - 1e-3 * (m / (1 - 0.9**step)) / ((v / (1 - 0.999**step)).sqrt() + 1e-8), m, v

    fast = compiled(adamw)
    state = [norch.randn(30), norch.randn(30), norch.randn(30), norch.rand(30)]
    for step in (1, 2, 3):
        for found, expected in zip(fast(*state, step), adamw(*state, step), strict=True):
            agree(found, expected, norch.float32)
    assert len(fast.kernels) == 1


def test_what_is_not_elementwise_ends_a_chain_and_another_begins():
    w = norch.randn(6, 6, requires_grad=True)

    def layer(x):
        x = norch.tanh(x * 2 + 1) @ w
        mean = x.mean(-1, keepdim=True)
        return ((x - mean) * 0.5).reshape(-1).exp() + w.view(-1)[0]

    fast = compiled(layer, fullgraph=True)
    x = norch.randn(4, 6, requires_grad=True)
    agree(fast(x), layer(x), norch.float32)
    found, expected = (norch.autograd.grad(f(x).sum(), (x, w)) for f in (fast, layer))
    agree(found[0], expected[0], norch.float32)
    agree(found[1], expected[1], norch.float32)
    fast(x).sum().backward()
    agree(w.grad, expected[1], norch.float32)


def test_second_derivatives_are_eagers():
    x = norch.randn(5, dtype=norch.float64, requires_grad=True)
    assert norch.autograd.gradcheck(compiled(gelu), (x,))
    assert norch.autograd.gradgradcheck(compiled(gelu), (x,))


@pytest.mark.parametrize("dtype", [norch.int64, norch.float16, norch.bfloat16, norch.bool])
def test_other_dtypes_are_computed_as_always(dtype):
    x = norch.tensor([[0, 1, 3]]).to(dtype)

    def function(x):
        return x + x * x, x > 1, x.to(norch.float32).exp() + x

    for found, expected in zip(compiled(function)(x), function(x), strict=True):
        assert found.dtype is expected.dtype
        assert norch.allclose(found.double(), expected.double())


def test_a_branch_is_pythons_in_every_call():
    def function(x):
        return x * 2 if x.sum() > 0 else x - 1

    fast = compiled(function)
    assert fast(norch.ones(2)).tolist() == [2, 2]
    assert fast(-norch.ones(2)).tolist() == [-2, -2]
    assert len(fast.reasons) == 1
    assert fast.reasons[0].startswith("item() reads a value in line ")
    with pytest.raises(RuntimeError, match=r"\[compile\] fullgraph=True, but item\(\) reads"):
        compiled(function, fullgraph=True)(norch.ones(2))


def test_closures_attributes_and_lists_are_read_and_written_in_every_call():
    seen, settings = [], {"factor": 2.0}

    def function(x):
        hidden = x * settings["factor"]
        seen.append(hidden)
        return hidden + 1

    fast = compiled(function)
    x = norch.ones(2, requires_grad=True)
    assert fast(x).tolist() == [3, 3]
    settings["factor"] = 5.0
    loss = fast(x).sum() + (seen[-1] * seen[-1]).sum()  # what got out is an ordinary tensor
    loss.backward()
    assert seen[-1].tolist() == [5, 5]
    assert x.grad.tolist() == [55, 55]


def test_edits_in_place_are_seen_in_their_order():
    def function(x, y):
        h = x * 2
        z = h + y
        h += 1
        h[0] = 7
        return z, h, h.mul_(2).exp() * 0.001

    x, y = norch.ones(3, requires_grad=True), norch.ones(3)
    for found, expected in zip(compiled(function)(x, y), function(x, y), strict=True):
        agree(found, expected, norch.float32)


def test_an_argument_that_is_edited_while_it_may_have_a_history_is_refused():
    x = norch.ones(2)
    with pytest.raises(RuntimeError, match=r"\[compile\] an argument is edited in place"):
        compiled(lambda x, y: x.add_(1) * y)(x, norch.ones(2))
    assert x.tolist() == [1, 1]


def test_an_edit_that_comes_before_a_chain_is_an_error_and_the_body_runs_once():
    small, large, calls = norch.ones(4), norch.ones(5000, 4), []

    def late(x, held):
        calls.append(1)
        found = (x + held) * 2
        held.mul_(10)
        return found * 3

    for held in (norch.ones(4), small, large):
        with pytest.raises(RuntimeError, match=r"\[compile\] a tensor that add reads has been"):
            compiled(lambda x, held=held: late(x, held))(large)
    assert len(calls) == 3
    with pytest.raises(ValueError, match="mine"):
        compiled(lambda x: calls.append(1) or int("mine") + x)(large)
    assert len(calls) == 4


def test_numpy_reads_the_elements():
    def function(x):
        return x * float((x * 2).detach().numpy().sum())

    fast, x = compiled(function), norch.ones(3)
    assert fast(x).tolist() == [6, 6, 6]
    assert len(fast.reasons) == 1


SPECIAL = [0.0, -0.0, 1.0, -2.0, float("inf"), float("-inf"), float("nan")]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.clamp(5, 1) * 1.0,
        lambda x: x.clamp(-1, 1) * 1.0,
        lambda x: 1 / (x**0.5),
        lambda x: 1 / (x**-0.5),
        lambda x: x**3 * 1.0,
        lambda x: x.clamp(float("nan"), 1) * 1.0,
        lambda x: norch.relu(x) + 0.0,
        lambda x: norch.maximum(x, -x) * 1.0,
        lambda x: norch.sign(x) * 2.0,
    ],
)
def test_special_values_are_eagers(function):
    x = norch.tensor(SPECIAL)
    found, expected = compiled(function)(x), function(x)
    assert str(found.tolist()) == str(expected.tolist())


def test_a_power_near_a_whole_one_is_not_that_one():
    x = norch.tensor([1e30], dtype=norch.float64)
    assert norch.allclose(compiled(lambda x: x**2.000001)(x), x**2.000001, rtol=1e-9)


def test_what_is_used_twice_is_computed_once_without_a_kernel_too(monkeypatch):
    def missing(*_):
        raise RuntimeError("[cuda-sim] no C++ compiler (g++) was found")

    def doubled(x):
        for _ in range(60):  # by its tree it would take 2 ** 60 operations
            x = x + x * 0.5
        return x

    monkeypatch.setattr(kernel, "build_library", missing)
    agree(compiled(doubled)(norch.ones(3)), doubled(norch.ones(3)), norch.float32)


def test_a_compiled_module_is_the_module():
    class Scaled:
        training = True

        def __init__(self):
            self.factor = 2.0

        def forward(self, x):
            return x * self.factor + 1

        def __call__(self, x):
            return self.forward(x)

    module = Scaled()
    fast = compiled(module)
    assert isinstance(fast, Scaled)
    assert fast(norch.ones(2)).tolist() == [3, 3]
    module.factor = 5.0
    assert fast(norch.ones(2)).tolist() == [6, 6]
    fast.training = False
    assert not module.training
    assert len(fast.forward.kernels) == 1


def test_an_optimizers_edit_of_its_arguments_is_one_of_their_storage():
    def step(p, grad, m):
        m.mul_(0.9).add_(grad * 0.1)
        p.sub_(0.1 * m / (m.abs() + 1))

    state, other = ([norch.ones(4), norch.full((4,), 2.0), norch.zeros(4)] for _ in range(2))
    with norch.no_grad():
        fast = compiled(step)
        fast(*state), step(*other)
    agree(state[0], other[0], norch.float32)
    assert not fast.reasons


def test_what_is_edited_before_backward_needs_it_is_named():
    x = norch.ones(3, requires_grad=True)
    scale = norch.ones(3)
    y = compiled(lambda x: (x + scale).exp() * 2)(x)
    scale.add_(1)
    with pytest.raises(RuntimeError, match=r"\[compile\] a tensor that add reads has been edited"):
        y.sum().backward()


def test_what_is_returned_keeps_its_place():
    fast = compiled(lambda x, n: {"same": x, "list": [x * 2, (x.view(-1), n)], "none": None})
    x = norch.ones(1, 2)
    found = fast(x, 3)
    assert found["same"] is x
    assert found["list"][0].tolist() == [[2, 2]]
    assert found["list"][1][1] == 3
    found["list"][1][0][0] = 9
    assert x[0, 0] == 9


def test_a_copy_of_a_compiled_module_computes_with_its_own_numbers():
    class Scaled:
        def __init__(self):
            self.factor = norch.full((2,), 2.0)

        def forward(self, x):
            return x * self.factor + 1

        __call__ = forward

    module = compiled(Scaled())
    copied = copy.deepcopy(module)
    copied.factor.fill_(5)
    assert module.forward(norch.ones(2)).tolist() == [3, 3]
    assert copied.forward(norch.ones(2)).tolist() == [6, 6]


def test_containers_of_the_caller_stay_the_callers():
    def function(x, given, out, options):
        out.append(x * given["a"])
        options["seen"] = x + 1
        return x * 2, out

    given, out, options = Counter("aab"), [], {}
    found, same = compiled(function)(norch.ones(2), given, out, options)
    assert same is out
    assert given["a"] == 2
    assert out[0].tolist() == options["seen"].tolist() == found.tolist() == [2, 2]
    assert pickle.loads(pickle.dumps(options["seen"])).tolist() == [2, 2]
    assert compiled(lambda x, path: x + len(path))(norch.ones(1), sys.path) is not None


def test_what_is_returned_twice_is_one_tensor():
    x = norch.ones(2, requires_grad=True)
    doubled = compiled(lambda x: [x * 2] * 2)(x)
    assert doubled[0] is doubled[1]


def test_a_compiled_function_inside_another_goes_on_its_chain():
    inner = compiled(lambda x: x * 2)
    outer = compiled(lambda x: inner(x.exp()) + 1)
    agree(outer(norch.zeros(3)), norch.full((3,), 3.0), norch.float32)
    assert len(outer.kernels) == 1
    assert not inner.kernels


def test_small_arguments_are_left_to_eager():
    fast = compile(gelu, backend="fuse", fullgraph=True)
    fast(norch.ones(10))
    assert not fast.kernels
    assert "eager is as fast" in fast.reasons[0]
    fast(norch.ones(20_000))
    assert len(fast.kernels) == 1


def test_without_a_compiler_the_chain_is_computed_step_by_step(monkeypatch):
    def missing(*_):
        raise RuntimeError("[cuda-sim] no C++ compiler (g++) was found")

    monkeypatch.setattr(kernel, "build_library", missing)
    fast, x = compiled(lambda x: (x * 3 - 7).exp() * 0.125), norch.randn(5)
    agree(fast(x), (x * 3 - 7).exp() * 0.125, norch.float32)
    assert fast.reasons == ["[cuda-sim] no C++ compiler (g++) was found"]
    with pytest.raises(RuntimeError, match="no C"):
        compiled(lambda x: (x * 3 - 7).exp() * 0.125, fullgraph=True)(x)


def test_errors_are_eagers():
    with pytest.raises(RuntimeError) as expected:
        norch.ones(3) + norch.ones(4)
    with pytest.raises(RuntimeError) as found:
        compiled(lambda x: x + norch.ones(4))(norch.ones(3))
    assert str(found.value) == str(expected.value)
    with pytest.raises(TypeError, match=r"\[compile\] expected a module or a function, got int"):
        compile(3)
    assert compile(gelu, disable=True) is gelu
    with pytest.warns(UserWarning, match="runs as it is"):
        assert compile(gelu) is gelu


def test_the_simulator_runs_the_same_chain():
    def function(x, b):
        return gelu(x) + b * norch.sigmoid(x), norch.where(x > 0, x, b), x > b

    host = norch.randn(3, 5, requires_grad=True), norch.randn(5, requires_grad=True)
    device = [x.detach().to("cuda-sim").requires_grad_() for x in host]
    fast = compiled(function, fullgraph=True)
    results, expected = fast(*device), function(*host)
    for found, wanted in zip(results, expected, strict=True):
        assert found.device.type == "cuda-sim"
        agree(found.cpu(), wanted, norch.float32)
    grads = norch.autograd.grad((results[0] + results[1]).sum(), device)
    for found, wanted in zip(
        grads, norch.autograd.grad((expected[0] + expected[1]).sum(), host), strict=True
    ):
        agree(found.cpu(), wanted, norch.float32)
    assert "__global__ void chain" in fast.kernels[0]


@pytest.mark.parametrize("y", [True, norch.tensor([True, False]), norch.tensor([0.5, 2.0])])
@pytest.mark.parametrize("x", [norch.tensor([True, False]), norch.tensor([0.5, 2.0])])
@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "pow", "maximum", "lt", "eq"])
def test_what_eager_refuses_of_bools_is_refused(name, x, y):
    """A chain subtracted bools, which eager refuses as PyTorch does."""

    def outcome(function):
        try:
            return str(function(x, y).tolist())  # a nan is a nan
        except (RuntimeError, TypeError) as error:
            return str(error)

    def eager(x, y):
        return getattr(norch, name)(x, y)

    assert outcome(compiled(eager)) == outcome(eager)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: ((x > 0) - (y > 0)) * 2.0,
        lambda x, y: (x * 2 - (y > 0)).exp(),
        lambda x, y: ((x + 1) > 0) - True,
        lambda x, y: (x * 2) - True,
    ],
)
def test_truth_values_have_no_minus_in_a_chain_either(function):
    x, y = norch.randn(4, 5), norch.randn(4, 5)
    for call in (function, compiled(function)):
        with pytest.raises(RuntimeError, match=r"\[sub\] bools have no minus"):
            call(x, y)


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.T,
        lambda x: x.reshape(-1),
        lambda x: x[1:, ::2],
        lambda x: x.T[2:].unsqueeze(0),
        lambda x: x.expand(2, 4, 5),
    ],
)
def test_a_view_of_an_argument_is_one_as_in_eager(view):
    weight = norch.randn(5)
    seen = []
    for call in (lambda x: (view(x), x * weight), compiled(lambda x: (view(x), x * weight))):
        leaf = norch.arange(20.0).reshape(4, 5).requires_grad_()
        x = leaf * 1
        shown, product = call(x)
        assert shown._base is x
        (shown.square().sum() + product.sum()).backward(retain_graph=True)
        if 0 not in shown.stride():
            shown.mul_(3)
        seen.append([shown.tolist(), shown.shape, shown.stride(), x.tolist(), leaf.grad.tolist()])
    assert seen[0] == seen[1]


def test_a_view_of_a_leaf_is_one_as_in_eager():
    leaf = norch.ones(4, 5, requires_grad=True)
    shown = compiled(lambda x: x.T)(leaf)
    assert shown._base is leaf
    shown.sum().backward()
    assert leaf.grad.tolist() == [[1.0] * 5] * 4
    with pytest.raises(RuntimeError, match="leaf"):
        shown.mul_(2)


@pytest.mark.parametrize("view", [lambda x: x[None], lambda x: x.T, lambda x: x[:, 1:]])
@pytest.mark.parametrize("strides", [(0, 1), (1, 1), (0, 0)])
def test_a_view_of_an_argument_whose_elements_share_memory_keeps_their_gradients_apart(
    view, strides
):
    """What comes in for each element goes out for it, and no mean over those of one place."""
    gradients = []
    for call in (view, compiled(view)):
        leaf = norch.arange(9.0).as_strided((2, 3), strides, 0).requires_grad_()
        shown = call(leaf)
        weights = norch.arange(float(shown.numel())).reshape(shown.shape).exp()
        gradients += [norch.autograd.grad(shown, leaf, weights)[0].tolist()]
    assert gradients[0] == gradients[1]
