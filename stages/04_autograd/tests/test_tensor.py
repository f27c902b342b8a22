"""Making tensors, reading them back, printing them; bad input and what it is told."""

import copy
import math
import pickle
import subprocess
import sys

import numpy as np
import pytest

import norch_autograd as norch

INF, NAN = math.inf, math.nan

PRINTED = [  # as PyTorch 2.13 prints them
    (lambda: norch.tensor(1.5), "tensor(1.5000)"),
    (lambda: norch.tensor([[1.0, 2], [3, 4]]), "tensor([[1., 2.],\n        [3., 4.]])"),
    (lambda: norch.tensor([]), "tensor([])"),
    (lambda: norch.zeros(0, 3), "tensor([], size=(0, 3))"),
    (lambda: norch.zeros(2, 0, dtype=norch.int64), "tensor([], size=(2, 0), dtype=norch.int64)"),
    (lambda: norch.tensor([1, -22, 333]), "tensor([  1, -22, 333])"),
    (lambda: norch.tensor([True, False]), "tensor([ True, False])"),
    (lambda: norch.tensor([1e-5, 1.0]), "tensor([1.0000e-05, 1.0000e+00])"),
    (lambda: norch.tensor([INF, NAN, 1.0]), "tensor([inf, nan, 1.])"),
    (lambda: norch.tensor([0.5, 100.25]), "tensor([  0.5000, 100.2500])"),
    (lambda: norch.tensor([1.0], dtype=norch.float64), "tensor([1.], dtype=norch.float64)"),
    (lambda: norch.tensor([1], dtype=norch.int32), "tensor([1], dtype=norch.int32)"),
    (lambda: norch.tensor([1.0], requires_grad=True), "tensor([1.], requires_grad=True)"),
    (
        lambda: norch.tensor([[1.0, 2], [3, 4]], requires_grad=True) * 2,
        "tensor([[2., 4.],\n        [6., 8.]], grad_fn=<MulBackward0>)",
    ),
    (
        lambda: norch.arange(8).view(2, 2, 2),
        "tensor([[[0, 1],\n         [2, 3]],\n\n        [[4, 5],\n         [6, 7]]])",
    ),
    (lambda: norch.arange(2000), "tensor([   0,    1,    2,  ..., 1997, 1998, 1999])"),
    (
        lambda: norch.arange(24.0, requires_grad=True) * 1,
        "tensor([ 0.,  1.,  2.,  3.,  4.,  5.,  6.,  7.,  8.,  9., 10., 11., 12., 13.,\n"
        "        14., 15., 16., 17., 18., 19., 20., 21., 22., 23.],\n"
        "       grad_fn=<MulBackward0>)",
    ),
]


@pytest.mark.parametrize(("make", "text"), PRINTED, ids=[text[:30] for _, text in PRINTED])
def test_prints_as_pytorch(make, text):
    assert repr(make()) == text


def test_formats_numbers():
    assert f"{norch.tensor(3.14159):.2f}" == "3.14"


@pytest.mark.parametrize(
    ("data", "dtype", "shape"),
    [
        (1, "int64", ()),
        (1.5, "float32", ()),
        (True, "bool", ()),
        ([[1, 2], [3, 4]], "int64", (2, 2)),
        ([1, 2.5], "float32", (2,)),
        ((1, 2), "int64", (2,)),
        (range(3), "int64", (3,)),
        ([], "float32", (0,)),
        (np.zeros((2, 1)), "float64", (2, 1)),
        (np.arange(3, dtype=np.uint8), "uint8", (3,)),
        ([norch.tensor(1), norch.tensor(2)], "int64", (2,)),
        ([np.float64(1.0), 2.0], "float32", (2,)),
    ],
    ids=str,
)
def test_tensor_takes_dtype_and_shape_from_the_data(data, dtype, shape):
    x = norch.tensor(data)
    assert (x.dtype.name, x.shape) == (dtype, shape)


def test_tensor_copies_and_from_numpy_shares():
    a = np.zeros(2, np.float32)
    copied, shared, also = norch.tensor(a), norch.from_numpy(a), norch.as_tensor(a)
    a[0] = 1
    assert (copied.tolist(), shared.tolist(), also.tolist()) == ([0, 0], [1, 0], [1, 0])
    assert norch.as_tensor(shared) is shared


def test_class_makes_float32_and_sizes_make_an_empty_one():
    assert norch.Tensor([[1, 2], [3, 4]]).dtype is norch.float32
    assert norch.Tensor(2, 3).shape == (2, 3)
    assert norch.Tensor().shape == (0,)
    array = norch.ones(2).array
    assert norch.Tensor(array).array is array


def test_results_are_plain_tensors_even_from_subclasses():
    class Parameter(norch.Tensor):
        pass

    p = Parameter([1.0, 2.0], requires_grad=True)
    assert isinstance(p, Parameter)
    assert p.is_leaf
    for result in (p * 2, p.T, p.detach(), p[0], p.exp()):
        assert type(result) is norch.Tensor


@pytest.mark.parametrize(
    ("make", "values"),
    [
        (lambda: norch.zeros(2), [0, 0]),
        (lambda: norch.ones((1, 2)), [[1, 1]]),
        (lambda: norch.full((2,), 3), [3, 3]),
        (lambda: norch.arange(1, 4), [1, 2, 3]),
        (lambda: norch.arange(0, 1, 0.25), [0, 0.25, 0.5, 0.75]),
        (lambda: norch.linspace(0, 1, 3), [0, 0.5, 1]),
        (lambda: norch.eye(2, 3), [[1, 0, 0], [0, 1, 0]]),
        (lambda: norch.zeros_like(norch.ones(2)), [0, 0]),
        (lambda: norch.ones_like(norch.zeros(2)), [1, 1]),
        (lambda: norch.full_like(norch.zeros(2), 4), [4, 4]),
        (lambda: norch.one_hot(norch.tensor([1, 0])), [[0, 1], [1, 0]]),
        (lambda: norch.tril(norch.ones(2, 2), -1), [[0, 0], [1, 0]]),
        (lambda: norch.zeros(2).new_tensor([1, 2]), [1, 2]),
        (lambda: norch.zeros(1).new_full((2,), 5), [5, 5]),
        (lambda: norch.frombuffer(b"\0\x3c\0\x40", dtype=norch.float16), [1.0, 2.0]),
        (lambda: norch.frombuffer(b"\x80\x3f\0\x40", dtype=norch.bfloat16), [1.0, 2.0]),
        (lambda: norch.frombuffer(bytes(8), dtype=norch.int64), [0]),
    ],
)
def test_creation(make, values):
    assert make().tolist() == values


def test_creation_dtypes():
    assert norch.full((1,), 3).dtype is norch.int64
    assert norch.full((1,), True).dtype is norch.bool
    assert norch.arange(3).dtype is norch.int64
    assert norch.arange(3.0).dtype is norch.float32
    norch.set_default_dtype(norch.float64)
    try:
        assert norch.zeros(1).dtype is norch.tensor(0.1).dtype is norch.float64
        assert norch.tensor(0.1).item() == 0.1
    finally:
        norch.set_default_dtype(norch.float32)


def test_attributes():
    x = norch.zeros(2, 3, dtype=norch.float64).T
    assert (x.shape, x.size(0), x.size(), x.dim(), x.ndim) == ((3, 2), 3, (3, 2), 2, 2)
    assert (x.numel(), x.stride(), x.is_contiguous()) == (6, (1, 3), False)
    assert (x.itemsize, x.nbytes, len(x)) == (8, 48, 3)
    assert str(x.shape) == "norch.Size([3, 2])"
    assert x.is_leaf
    assert x.grad_fn is None
    assert not x.is_cuda


def test_devices():
    assert norch.zeros(1).device == norch.device("cpu")
    assert repr(norch.device("cuda", 1)) == "device(type='cuda', index=1)"
    assert str(norch.device("cuda:0")) == "cuda:0"
    assert norch.device("cuda-sim").type == "cuda-sim"
    assert norch.device("cpu") != "cpu"  # as in PyTorch
    for bad in ("gpu", "cuda:x", "cuda:-1"):
        with pytest.raises(RuntimeError, match=r"\[device\]"):
            norch.device(bad)
    with pytest.raises(TypeError):
        norch.device(1.5)


def test_pythons_own_conversions():
    assert (int(norch.tensor(3.7)), float(norch.tensor(2)), bool(norch.tensor([1]))) == (
        3,
        2.0,
        True,
    )
    assert [10, 20, 30][norch.tensor(1)] == 20
    assert [row.tolist() for row in norch.tensor([[1, 2], [3, 4]])] == [[1, 2], [3, 4]]
    assert 2 in norch.tensor([1, 2])
    assert np.asarray(norch.ones(2)).tolist() == [1, 1]
    assert (np.float32(2) * norch.ones(2)).tolist() == [2, 2]


def test_copies_keep_what_matters():
    x = norch.tensor([1.0, 2.0], requires_grad=True)
    x.grad = norch.ones(2)
    deep, pickled = copy.deepcopy(x), pickle.loads(pickle.dumps(x))
    assert deep.tolist() == pickled.tolist() == [1, 2]
    assert deep.requires_grad
    assert pickled.requires_grad
    assert deep.grad.tolist() == [1, 1]
    assert not deep.array.shares_storage(x.array)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16", "int64", "uint8"])
def test_pickles_keep_every_dtype_and_shape(dtype):
    for x in (norch.arange(6).view(2, 3).T, norch.tensor(3), norch.zeros(0, 2)):
        x = x.to(getattr(norch, dtype))
        back = pickle.loads(pickle.dumps(x))
        assert (back.dtype, back.shape, back.tolist()) == (x.dtype, x.shape, x.tolist())


def test_dtypes_promote_as_pytorch():
    i, f = norch.tensor([1, 2]), norch.tensor([0.5, 0.5])
    assert (i + 1).dtype is norch.int64
    assert (i + 1.5).dtype is norch.float32
    assert (i + f).dtype is norch.float32
    assert (i / 2).dtype is norch.float32
    assert (f + norch.ones(1, dtype=norch.float64)).dtype is norch.float64
    assert (norch.tensor([True]) + 1).dtype is norch.int64


def test_gradient_comes_back_in_the_dtype_of_the_operand():
    x = norch.ones(2, requires_grad=True)
    w = norch.ones(2, dtype=norch.float64, requires_grad=True)
    (x * w).sum().backward()
    assert (x.grad.dtype, w.grad.dtype) == (norch.float32, norch.float64)
    y = norch.ones(2, requires_grad=True)
    y.double().sum().backward()
    assert y.grad.dtype is norch.float32


LEAF = norch.ones(2, requires_grad=True)

BAD = [
    (lambda: norch.tensor([[1, 2], [3]]), ValueError, None),
    (lambda: norch.tensor("text"), TypeError, r"\[tensor\] cannot make a tensor of str"),
    (lambda: norch.tensor(None), TypeError, r"\[tensor\] cannot make a tensor of NoneType"),
    (lambda: norch.tensor([1, 2], requires_grad=True), RuntimeError, "floating point"),
    (lambda: norch.Tensor(2.5, 3), TypeError, "sizes as whole numbers"),
    (lambda: norch.zeros(-1), (RuntimeError, ValueError), None),
    (lambda: norch.linspace(0, 1, -1), RuntimeError, r"\[linspace\]"),
    (lambda: norch.ones(2) + norch.ones(3), RuntimeError, None),
    (lambda: norch.ones(2) + "a", TypeError, None),
    (lambda: norch.ones(2) @ norch.ones(3), RuntimeError, r"\[matmul\]"),
    (
        lambda: norch.mm(norch.ones(2), norch.ones(2)),
        RuntimeError,
        r"\[mm\] expected a tensor of 2",
    ),
    (lambda: norch.bmm(norch.ones(2, 1, 1), norch.ones(3, 1, 1)), RuntimeError, r"\[bmm\]"),
    (lambda: norch.ones(2).sum(1), IndexError, None),
    (lambda: norch.ones(2).view(3), RuntimeError, None),
    (lambda: norch.ones(2, 3).T.view(6), RuntimeError, "reshape"),
    (lambda: norch.ones(2).expand(3), RuntimeError, r"\[expand\]"),
    (lambda: norch.ones(2).item(), RuntimeError, r"\[item\]"),
    (lambda: norch.ones(2)[0.5], IndexError, None),
    (lambda: norch.ones(2)[norch.tensor([0.5])], IndexError, "whole numbers"),
    (lambda: norch.ones(2)[norch.tensor([True])], IndexError, "mask"),
    (lambda: len(norch.tensor(1)), TypeError, r"\[len\]"),
    (lambda: list(norch.tensor(1)), TypeError, r"\[iter\]"),
    (lambda: norch.cat([]), ValueError, r"\[cat\]"),
    (lambda: norch.stack([norch.ones(1), norch.ones(2)]), RuntimeError, r"\[stack\].*number 1"),
    (lambda: norch.ones(2).clamp(), RuntimeError, r"\[clamp\]"),
    (lambda: norch.div(norch.ones(1), 2, rounding_mode="up"), RuntimeError, "'up'"),
    (
        lambda: norch.cross_entropy(norch.ones(1, 2), norch.tensor([0]), reduction="x"),
        ValueError,
        "'x'",
    ),
    (lambda: norch.ones(2, 2).repeat(2), RuntimeError, r"\[repeat\]"),
    (lambda: norch.from_numpy([1]), TypeError, r"\[from_numpy\]"),
    (lambda: LEAF.numpy(), RuntimeError, r"detach\(\)"),
    (lambda: copy.deepcopy(LEAF * 2), RuntimeError, r"\[deepcopy\]"),
    (lambda: norch.frombuffer(bytes(5), dtype=norch.int32), ValueError, "5 bytes"),
    (lambda: norch.frombuffer(bytes(8), dtype=norch.int32, count=3), ValueError, "count 3 of"),
    (lambda: norch.frombuffer(bytes(8), dtype=norch.uint8, offset=-4), ValueError, "offset -4"),
    (lambda: norch.frombuffer(bytes(8), dtype=norch.uint8, offset=9), ValueError, "8 bytes"),
    (lambda: norch.set_default_dtype(norch.int64), TypeError, "floating-point"),
    (lambda: norch.randint(5, 5, (1,)), RuntimeError, r"\[randint\]"),
    (lambda: norch.multinomial(norch.zeros(2), 1), RuntimeError, r"\[multinomial\]"),
    (lambda: norch.multinomial(norch.tensor([1.0, 0]), 2), RuntimeError, "without replacement"),
    (lambda: norch.manual_seed(1.5), TypeError, r"\[manual_seed\]"),
    (lambda: norch.zeros(1).normal_(0, -1), RuntimeError, r"\[normal_\]"),
    (lambda: norch.zeros(1).uniform_(2, 1), RuntimeError, r"\[uniform_\]"),
    (lambda: norch.zeros(1).bernoulli_(2), RuntimeError, r"\[bernoulli_\]"),
    (lambda: norch.bernoulli(norch.tensor([0.5, 1.5])), RuntimeError, r"\[bernoulli\] expected"),
    (lambda: norch.bernoulli(norch.tensor([NAN])), RuntimeError, r"\[bernoulli\] expected"),
    (lambda: norch.normal(0.0, -1.0, (2,)), RuntimeError, r"\[normal\] expected a std of at least"),
    (lambda: norch.normal(0.0, norch.tensor([1.0, -1.0])), RuntimeError, r"\[normal\] expected"),
    (lambda: norch.ones(2, 3, 4).t(), RuntimeError, r"\[t\]"),
    (lambda: norch.ones(2).mT, RuntimeError, r"\[mT\]"),
    (lambda: norch.ones(2).norm("nuc"), RuntimeError, "'nuc'"),
    (lambda: norch.set_grad_enabled(1), TypeError, "True or False"),
    (lambda: norch.einsum("ij,jk", norch.ones(2, 2)), RuntimeError, "names 2 operands"),
    (lambda: norch.einsum("ij->ik", norch.ones(2, 2)), RuntimeError, "letters of the left"),
    (lambda: norch.einsum("i,i", norch.ones(2), norch.ones(3)), RuntimeError, "sizes 2 and 3"),
    (lambda: norch.einsum("i", norch.ones(2, 2)), RuntimeError, "2 dims"),
    (lambda: norch.roll(norch.ones(2), (1, 2), 0), RuntimeError, r"\[roll\]"),
    (lambda: norch.repeat_interleave(norch.ones(2), -1), RuntimeError, "repeat"),
    (lambda: norch.meshgrid(norch.ones(2), indexing="x"), RuntimeError, "'x'"),
    (lambda: norch.one_hot(norch.tensor([3]), 2), RuntimeError, r"\[one_hot\]"),
]


@pytest.mark.parametrize(("call", "error", "words"), BAD, ids=range(len(BAD)))
def test_bad_input_is_refused_with_a_reason(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_random_numbers_follow_their_seed():
    first = [norch.rand(3), norch.randn(3), norch.randint(5, (3,)), norch.randperm(3)]
    norch.manual_seed(0)
    again = [norch.rand(3), norch.randn(3), norch.randint(5, (3,)), norch.randperm(3)]
    assert all(map(norch.equal, first, again))
    assert not norch.equal(first[0], norch.rand(3))
    state = norch.get_rng_state()
    one = norch.rand(2)
    norch.set_rng_state(state)
    assert norch.equal(one, norch.rand(2))


def test_a_generator_does_not_touch_the_default_stream():
    norch.rand(5, generator=norch.Generator().manual_seed(1))
    one = norch.rand(2)
    norch.manual_seed(0)
    assert norch.equal(one, norch.rand(2))


def test_random_distributions():
    x = norch.randn(20_000)
    assert abs(x.mean().item()) < 0.03
    assert abs(x.std().item() - 1) < 0.03
    u = norch.zeros(20_000).uniform_(-1, 3)
    assert abs(u.mean().item() - 1) < 0.05
    assert abs(norch.bernoulli(norch.full((20_000,), 0.3)).mean().item() - 0.3) < 0.02
    picks = norch.multinomial(norch.tensor([1.0, 0.0, 3.0]), 5000, replacement=True)
    assert abs((picks == 2).to(norch.float32).mean().item() - 0.75) < 0.03
    assert not (picks == 1).any()
    rows = norch.multinomial(norch.ones(4, 6), 6)
    assert all(sorted(row) == [0, 1, 2, 3, 4, 5] for row in rows.tolist())


def test_names_of_folders_are_still_functions():
    """An import of the folder `tensor` writes its name over a function that was there before."""
    program = "import norch_autograd.tensor.format, norch_autograd as a; print(a.tensor([1]))"
    command = [sys.executable, "-c", program]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.stdout.strip() == "tensor([1])", result.stderr
