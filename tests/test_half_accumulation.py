"""Products of float16 and bfloat16 are added up in float32 and rounded once, as PyTorch's are.

What shows it: 1 and 4096 times 1/4096. In halves each addition would be lost and the sum stay 1; in
float32 it is 2. Then numbers drawn at random, beside the float64 result of the same halves. On the
CPU with every instruction set that is built here, and on the simulator; forward and backward.
"""

import numpy as np
import pytest

import norch
import norch_cpu_ops as cpu
from norch.nn import functional as F

TERMS = 4096
BITS = {norch.float16: 11, norch.bfloat16: 8}  # of the fraction, the hidden one too
PLACES = [*(("cpu", name) for name in cpu.instruction_sets()), ("cuda-sim", None)]


@pytest.fixture(params=PLACES, ids=lambda place: place[1] or place[0])
def device(request):
    """A device; the CPU once for each instruction set that this machine has."""
    name, isa = request.param
    best = cpu.instruction_set()
    try:
        cpu.set_instruction_set(isa or best)
    except ValueError as refusal:
        pytest.skip(str(refusal))
    yield name
    cpu.set_instruction_set(best)


def attention(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)


PRODUCTS = {  # shapes whose sums, or those of their gradients, are long
    "matmul": (norch.matmul, [(3, TERMS), (TERMS, 2)]),
    "matmul of long gradients": (norch.matmul, [(TERMS, 2), (2, 3)]),
    "matmul of vectors": (norch.matmul, [(TERMS,), (TERMS,)]),
    "matmul of a batch": (norch.matmul, [(2, 3, TERMS), (TERMS, 2)]),
    "mv": (norch.mv, [(3, TERMS), (TERMS,)]),
    "bmm": (norch.bmm, [(2, 3, TERMS), (2, TERMS, 2)]),
    "linear": (F.linear, [(2, TERMS), (3, TERMS), (3,)]),
    "linear of a long batch": (F.linear, [(4, TERMS // 4, 2), (3, 2), (3,)]),
    "addmm": (norch.addmm, [(2,), (3, TERMS), (TERMS, 2)]),
    "addbmm": (norch.addbmm, [(3, 2), (64, 3, 64), (64, 64, 2)]),
    "baddbmm": (norch.baddbmm, [(2, 3, 2), (2, 3, TERMS), (2, TERMS, 2)]),
    "addmv": (norch.addmv, [(3,), (3, TERMS), (TERMS,)]),
    "addr": (norch.addr, [(64, 48), (64,), (48,)]),
    "einsum": (lambda a, b: norch.einsum("ik,jk->ij", a, b), [(3, TERMS), (2, TERMS)]),
    "conv2d": (F.conv2d, [(2, 64, 10, 10), (3, 64, 3, 3), (3,)]),
}
ATTENTIONS = {
    "of many keys": [(1, 2, 3, 8), (1, 2, 1024, 8), (1, 2, 1024, 8)],
    "of many queries": [(1, 2, 1024, 8), (1, 2, 3, 8), (1, 2, 3, 8)],
    "of long vectors": [(1, 1, 3, 512), (1, 1, 5, 512), (1, 1, 5, 512)],
}


def drawn(shapes, dtype):
    """Halves on the CPU, never contiguous but for vectors."""
    rng = np.random.default_rng(3)
    arrays = [rng.normal(size=shape[::-1]).astype(np.float32) for shape in shapes]
    return [norch.tensor(a).to(dtype).permute(*range(a.ndim)[::-1]) for a in arrays]


def answers(function, inputs, grad, device, dtype):
    """The result and the gradients, as float64 of NumPy."""
    leaves = [x.detach().to(dtype).to(device).requires_grad_() for x in inputs]
    out = function(*leaves)
    out.backward(grad.to(dtype).to(device))
    found = [out.detach(), *(leaf.grad for leaf in leaves)]
    assert {x.dtype for x in found} == {dtype}
    return [x.cpu().to(norch.float64).numpy() for x in found]


def compared(function, shapes, device, dtype):
    """What halves give, and float64 on the CPU."""
    inputs = drawn(shapes, dtype)
    grad = drawn([tuple(function(*inputs).shape)], dtype)[0]
    halves = answers(function, inputs, grad, device, dtype)
    return zip(halves, answers(function, inputs, grad, "cpu", norch.float64), strict=True)


def unit(exact, bits):
    """The distance of the halves beside a number."""
    return 2.0 ** (np.floor(np.log2(np.maximum(abs(exact), 2.0**-14))) - bits + 1)


@pytest.mark.parametrize("dtype", BITS, ids=str)
@pytest.mark.parametrize("name", PRODUCTS)
def test_products_are_rounded_once(name, dtype, device):
    for found, exact in compared(*PRODUCTS[name], device, dtype):
        rounding = unit(exact, BITS[dtype]) / 2
        assert (abs(found - exact) <= rounding + 2.0**-20 * (1 + abs(exact).max())).all()


@pytest.mark.parametrize("dtype", BITS, ids=str)
@pytest.mark.parametrize("name", ATTENTIONS)
def test_attention_is_rounded_once_and_its_gradients_nearly(name, dtype, device):
    """The gradients of query and key use the result as it was returned, which is a half."""
    pairs = compared(attention, ATTENTIONS[name], device, dtype)
    for place, (found, exact) in enumerate(pairs):
        if place in (0, 3):  # the result, and the gradient of value
            rounding = unit(exact, BITS[dtype]) / 2
            assert (abs(found - exact) <= rounding + 2.0**-20).all()
        else:
            assert np.linalg.norm(found - exact) <= 2.0 ** -BITS[dtype] * np.linalg.norm(exact)


@pytest.mark.parametrize("dtype", BITS, ids=str)
def test_many_small_terms_are_not_lost(dtype, device):
    terms = norch.full((TERMS + 1,), 1 / TERMS, dtype=dtype, device=device)
    terms[0] = 1
    ones = norch.ones(TERMS + 1, dtype=dtype, device=device)
    row, column, bias = terms.reshape(1, -1), ones.reshape(-1, 1), ones[:1]
    assert norch.matmul(row, column).item() == 2
    assert norch.matmul(terms, ones).item() == 2
    assert norch.bmm(row[None], column[None]).item() == 2
    assert F.linear(row, ones.reshape(1, -1), -bias).item() == 1
    assert norch.addmm(-bias, row, column).item() == 1
    sums = {}
    for name, run in {
        "weight of linear": lambda w: F.linear(terms.reshape(-1, 1), w),
        "matrix": lambda w: norch.matmul(terms.reshape(-1, 1), w),
        "bias": lambda b: F.linear(column * 0, bias.reshape(1, 1), b.reshape(1)) * column,
    }.items():
        leaf = norch.ones(1, 1, dtype=dtype, device=device, requires_grad=True)
        grad = terms.reshape(-1, 1) if name == "bias" else column
        run(leaf).backward(grad)
        sums[name] = leaf.grad.item()
    assert sums == {"weight of linear": 2, "matrix": 2, "bias": 2}


@pytest.mark.parametrize("dtype", BITS, ids=str)
def test_attention_keeps_small_terms_too(dtype, device):
    """Equal scores: each of n keys weighs 1 / n; a sum of halves would lose its value."""
    n = 1024
    query = norch.zeros(1, 1, 1, 8, dtype=dtype, device=device)
    key = norch.zeros(1, 1, n, 8, dtype=dtype, device=device)
    value = norch.ones(1, 1, n, 8, dtype=dtype, device=device)
    value[0, 0, 0] = n  # (n + (n - 1)) / n = 2 - 1 / n
    expected = norch.tensor(2 - 1 / n).to(dtype).item()
    assert attention(query, key, value).cpu().flatten().tolist() == [expected] * 8


def test_a_product_may_leave_float16s_range_before_it_is_scaled(device):
    a = norch.full((2, 3), 200.0, dtype=norch.float16, device=device)
    ones = norch.ones(2, 2, dtype=norch.float16, device=device)
    assert norch.addmm(ones, a, a.mT, alpha=1 / 8).tolist() == [[15000.0] * 2] * 2
