"""What programs give: `size=`, a number as a tensor, several tensors as any iterable, a bias that
is broadcast. And which class an error has that says a dtype has no kernel.
"""

import pytest

import norch_autograd as norch
from norch_cpu_ops import DTypeError

X = norch.arange(6.0).reshape(2, 3) / 4 + 0.25
SQUARE = norch.tensor([[2.0, 1.0], [1.0, 3.0]])

BY_SIZE = [norch.zeros, norch.ones, norch.empty, norch.rand, norch.randn]
BY_SIZE += [X.new_zeros, X.new_ones, X.new_empty]


@pytest.mark.parametrize("make", BY_SIZE, ids=lambda make: getattr(make, "__name__", str(make)))
def test_a_size_by_name(make):
    for size in ((2, 3), [2, 3], norch.Size([2, 3])):
        assert make(size=size).shape == (2, 3)
    assert make(size=()).shape == ()
    with pytest.raises(TypeError):
        make(2, size=(3,))


def test_ends_by_name():
    assert norch.arange(end=3).tolist() == [0, 1, 2]
    assert norch.randint(high=1, size=(2,)).tolist() == [0, 0]
    assert X.sum_to_size(size=(1, 3)).shape == (1, 3)
    for call, words in ((norch.arange, "arange.* an end"), (norch.randint, "randint.* a size")):
        with pytest.raises(TypeError, match=words):
            call()


# Calls of a number n, which may be a tensor without dimensions.
NUMBERS = {
    "add": (2, lambda n: norch.add(X, X, alpha=n)),
    "add_": (2, lambda n: X.clone().add_(X, alpha=n)),
    "sub": (0.5, lambda n: norch.sub(X, X, alpha=n)),
    "rsub": (3, lambda n: norch.rsub(X, 2, alpha=n)),
    "lerp": (0.25, lambda n: norch.lerp(X, X * 2, n)),
    "addcmul": (0.5, lambda n: norch.addcmul(X, X, X, value=n)),
    "addcdiv": (2, lambda n: norch.addcdiv(X, X, X, value=n)),
    "addmm": (2, lambda n: norch.addmm(SQUARE, SQUARE, SQUARE, beta=n, alpha=n)),
    "addr": (3, lambda n: norch.addr(SQUARE, SQUARE[0], SQUARE[1], beta=n, alpha=n)),
    "norm": (3, lambda n: norch.norm(X, n)),
    "dist": (3, lambda n: norch.dist(X, X * 2, n)),
    "vector_norm": (3, lambda n: norch.linalg.vector_norm(X, n)),
    "cdist": (3, lambda n: norch.cdist(X, X * 2, n)),
    "polygamma": (1, lambda n: norch.polygamma(n, X)),
    "mvlgamma": (2, lambda n: norch.mvlgamma(X + 2, n)),
    "combinations": (2, lambda n: norch.combinations(X[0], n)),
    "with replacement": (2, lambda n: norch.combinations(X[0], n, True)),
    "vander": (2, lambda n: norch.vander(X[0], n)),
    "one_hot": (4, lambda n: norch.one_hot(norch.tensor([0, 2]), n)),
    "tril_indices": (3, lambda n: norch.tril_indices(n, n, n)),
    "random_": (3, lambda n: X.clone().random_(n, n + 1)),
    "scatter": (2, lambda n: norch.scatter(X, 1, norch.tensor([[1], [0]]), value=n)),
    "scatter_": (2, lambda n: X.clone().scatter_(1, norch.tensor([[1], [0]]), value=n)),
    "max_pool1d": (2, lambda n: norch.max_pool1d(X, n)),
    "conv1d": (2, lambda n: norch.conv1d(X, norch.ones(1, 2, 2), stride=n, padding=n)),
    "conv2d": (1, lambda n: norch.conv2d(X[None], norch.ones(1, 1, 1, 1), stride=n, padding=n)),
    "manual_seed": (7, lambda n: norch.Generator().manual_seed(n).initial_seed()),
    "logit": (0.25, lambda n: norch.logit(X, n)),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_may_be_a_tensor_without_dimensions(name):
    number, call = NUMBERS[name]
    expected, found = call(number), call(norch.tensor(number))
    if isinstance(expected, norch.Tensor):
        assert found.dtype == expected.dtype and norch.allclose(found, expected)
    else:
        assert found == expected


def test_a_number_that_wants_a_gradient_is_refused():
    """Its gradient would be lost in silence."""
    wanted = norch.tensor(2.0, requires_grad=True)
    for call in (
        lambda: norch.add(X, X, alpha=wanted),
        lambda: norch.addcmul(X, X, X, value=wanted),
        lambda: norch.addmm(SQUARE, SQUARE, SQUARE, beta=wanted),
    ):
        with pytest.raises(TypeError, match="number"):
            call()


FLOATS = {
    "arange": lambda n: norch.arange(n),
    "full": lambda n: norch.full((2,), n),
    "norm": lambda n: norch.norm(X, n),
    "renorm": lambda n: norch.renorm(X, n, 0, 1.0),
    "cdist": lambda n: norch.cdist(X, X * 2, n),
    "layer_norm": lambda n: norch.layer_norm(X, (3,), eps=n),
    "uniform_": lambda n: X.clone().uniform_(0, n),
}


@pytest.mark.parametrize("name", FLOATS)
def test_a_gradient_is_not_lost_in_silence(name):
    """Whoever makes a number of a tensor that wants a gradient is told, as by `float(x)` itself."""
    with pytest.warns(UserWarning, match="a number has no gradient"):
        FLOATS[name](norch.tensor(2.0, requires_grad=True))
    FLOATS[name](norch.tensor(2.0))


OF_DTYPE = {
    "sum": lambda kind: X.sum(dtype=kind),
    "mean": lambda kind: X.mean(0, dtype=kind),
    "prod": lambda kind: X.prod(0, dtype=kind),
    "cumsum": lambda kind: X.cumsum(0, dtype=kind),
    "nansum": lambda kind: X.nansum(dtype=kind),
    "softmax": lambda kind: X.softmax(0, kind),
    "log_softmax": lambda kind: X.log_softmax(0, kind),
    "norm": lambda kind: norch.norm(X, dtype=kind),
    "zeros": lambda kind: norch.zeros(2, dtype=kind),
    "zeros_like": lambda kind: norch.zeros_like(X, dtype=kind),
}


@pytest.mark.parametrize("kind", ["cpu", norch.ones(2, dtype=norch.float64)], ids=str)
@pytest.mark.parametrize("name", OF_DTYPE)
def test_a_dtype_is_no_device_and_no_tensor(name, kind):
    """`to` takes all three, and reductions handed on to it whatever they were given."""
    with pytest.raises((TypeError, RuntimeError)):
        OF_DTYPE[name](kind)
    assert OF_DTYPE[name](norch.float64).dtype is norch.float64


def leaves():
    return {"a": norch.ones(2, requires_grad=True), "b": norch.ones(2, requires_grad=True)}


@pytest.mark.parametrize("kind", [tuple, list, iter, lambda many: dict(enumerate(many)).values()])
def test_several_tensors_are_any_iterable(kind):
    a, b = leaves().values()
    grads = norch.autograd.grad(kind([a * 2, a * b]), kind([a, b]), kind([X[0, :2], X[1, :2]]))
    expected = norch.autograd.grad([a * 2, a * b], [a, b], [X[0, :2], X[1, :2]])
    assert all(map(norch.equal, grads, expected))
    passes = norch.autograd.grad(
        kind([a * 2]), kind([a]), kind([norch.eye(2)]), is_grads_batched=True
    )
    assert passes[0].tolist() == [[2, 0], [0, 2]]
    norch.autograd.backward(kind([a * 2]), kind([norch.ones(2)]), inputs=kind([a]))
    assert a.grad.tolist() == [2, 2] and b.grad is None


@pytest.mark.parametrize("wrong", [3, None, "a", {"a": norch.ones(1)}])
def test_what_is_no_tensor_is_refused(wrong):
    with pytest.raises((TypeError, RuntimeError), match=r"grad|backward"):
        norch.autograd.grad(norch.ones(1, requires_grad=True).sum(), wrong)


@pytest.fixture(params=["cpu", "cuda-sim"])
def place(request):
    return request.param


@pytest.mark.parametrize("shape", [(1,), (), (4,), (2, 1), (1, 4), (2, 4)])
def test_a_bias_is_broadcast(shape, place):
    x = X.to(place).requires_grad_()
    weight = (norch.arange(12.0).reshape(4, 3) / 8).to(place).requires_grad_()
    bias = norch.full(shape, 0.5, device=place, requires_grad=True)
    inputs = (x, weight, bias)
    found = norch.linear(*inputs)
    expected = x @ weight.T + bias
    assert norch.allclose(found, expected)
    pairs = zip(*(norch.autograd.grad(y.sum(), inputs) for y in (found, expected)), strict=True)
    assert all(norch.allclose(one, other) for one, other in pairs)


@pytest.mark.parametrize("shape", [(3,), (5, 1), (3, 2, 4)])
def test_a_bias_that_does_not_fit_is_refused(shape, place):
    with pytest.raises(RuntimeError, match=r"\[linear\] bias .* does not match weight"):
        norch.linear(X.to(place), norch.ones(4, 3, device=place), norch.ones(shape, device=place))


WHOLE, TRUTHS = norch.tensor([[1, 2], [3, 4]]), norch.tensor([[True, False], [True, True]])
NO_KERNEL = {
    "softmax": lambda d: WHOLE.to(d).softmax(0),
    "layer_norm": lambda d: norch.layer_norm(WHOLE.to(d), (2,)),
    "conv1d": lambda d: norch.conv1d(TRUTHS.to(d)[None], TRUTHS.to(d)[None]),
    "mm": lambda d: TRUTHS.to(d) @ TRUTHS.to(d),
    "sub": lambda d: TRUTHS.to(d) - TRUTHS.to(d),
    "floor_divide": lambda d: TRUTHS.to(d) // TRUTHS[1].to(d),
    "fmod": lambda d: norch.fmod(TRUTHS.to(d), TRUTHS[1].to(d)),
    "pow": lambda d: TRUTHS.to(d) ** TRUTHS.to(d),
    "cross": lambda d: norch.linalg.cross(norch.ones(3, device=d) > 0, norch.ones(3, device=d) > 0),
    "kthvalue": lambda d: TRUTHS.to(d).kthvalue(1),
    "median": lambda d: TRUTHS.to(d).median(),
    "histc": lambda d: WHOLE.to(d).histc(),
    "bincount": lambda d: X[0].to(d).bincount(),
    "logcumsumexp": lambda d: WHOLE.to(d).logcumsumexp(0),
    "bitwise_and": lambda d: X.to(d).bitwise_and(X.to(d)),
    "bitwise_not": lambda d: X.to(d).bitwise_not(),
    "bitwise_left_shift": lambda d: X.to(d).bitwise_left_shift(1),
    "log_normal_": lambda d: WHOLE.clone().to(d).log_normal_(),
    "repeat_interleave": lambda d: norch.repeat_interleave(X[0].to(d)),
    "bernoulli": lambda d: (WHOLE * 0).to(d).bernoulli(),
}


@pytest.mark.parametrize("name", NO_KERNEL)
def test_a_dtype_without_a_kernel_is_a_not_implemented_error(name, place):
    """PyTorch's class; a RuntimeError by inheritance, and DTypeError a TypeError besides."""
    with pytest.raises(NotImplementedError, match=r"^\[\w+\] "):
        NO_KERNEL[name](place)
    assert issubclass(DTypeError, (TypeError, RuntimeError))


def test_the_gradient_of_a_write_goes_to_the_one_that_stands():
    """PyTorch gives it to each of those that repeat a place: tests/parity/differences.py."""
    values = norch.tensor([1.0, 2.0], requires_grad=True)
    twice, steps = norch.tensor([0, 0]), norch.eye(2)

    def assigned(v):
        x = norch.zeros(3) * v.sum()
        x[twice] = v
        return x

    for write in (
        assigned,
        lambda v: norch.zeros(3).index_put((twice,), v),
        lambda v: norch.zeros(3).put(twice, v),
    ):
        (grad,) = norch.autograd.grad(write(values).sum(), values)
        moves = [(write(values + step).sum() - write(values).sum()).item() for step in steps]
        assert grad.tolist() == moves == [0, 1]


@pytest.mark.parametrize("call", [norch.logdet, lambda x: norch.linalg.slogdet(x)[1]])
def test_the_gradient_of_a_singular_determinant_is_no_number(call):
    for x in (norch.ones(2, 2), norch.zeros(2, 2), norch.ones(3, 2, 2)):
        x.requires_grad_()
        (grad,) = norch.autograd.grad(call(x).sum(), x)
        assert not norch.isfinite(grad).any()
    mixed = norch.stack([norch.eye(2), norch.ones(2, 2)]).requires_grad_()
    (grad,) = norch.autograd.grad(call(mixed).sum(), mixed)
    assert grad[0].tolist() == [[1, 0], [0, 1]] and not norch.isfinite(grad[1]).any()


REFUSED = [
    (lambda: X.cuda("cpu"), r"\[cuda\] expected a GPU"),
    (lambda: X.clone().cumsum_(0, dtype=norch.float64), r"\[cumsum_\] .* is not the dtype"),
    (lambda: X.clone().cumprod_(0, dtype=norch.int64), r"\[cumprod_\]"),
    (lambda: norch.isin(WHOLE, TRUTHS), r"\[isin\] bools"),
    (lambda: norch.isin(TRUTHS, WHOLE), r"\[isin\] bools"),
    (lambda: norch.unique(X.clone().requires_grad_()).sum().backward(), "no derivative"),
    (lambda: norch.unique(X.clone().requires_grad_(), dim=0).sum().backward(), "no derivative"),
    (lambda: X.clone().requires_grad_().unique_consecutive().sum().backward(), "no derivative"),
]


@pytest.mark.parametrize("call, words", REFUSED)
def test_what_would_go_wrong_in_silence_is_refused(call, words):
    with pytest.raises(RuntimeError, match=words):
        call()
    with pytest.raises(TypeError, match=r"\[dist\] p: expected float"):
        norch.dist(X, X, p="fro")


def test_what_has_no_dimensions_is_its_own_transpose():
    x = norch.tensor(3.0, requires_grad=True)
    for y in (x.mT, x.adjoint(), x.t()):
        assert y.shape == () and y is not x
        assert norch.autograd.grad(y * 2, x)[0].item() == 2


def test_an_expanded_tensor_can_be_filled(place):
    base = norch.ones(1, 3, device=place)
    shown = base.expand(2, 3)
    assert shown.zero_() is shown and base.tolist() == [[0, 0, 0]]
    shown.fill_(2)
    assert base.tolist() == [[2, 2, 2]] and base._version == 2
    with pytest.raises(RuntimeError, match=r"was expanded|share their memory"):
        shown.add_(1)
    start = norch.ones(1, 3, device=place, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"was expanded|share their memory"):
        (start * 1).expand(2, 3).zero_()
