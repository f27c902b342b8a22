"""The usual small functions, each against NumPy's word for it, with first and second gradients by
differences; and every edit in place against its function.
"""

import itertools
import math

import numpy as np
import pytest
from autograd_checks import check, draw, permuted

import norch_autograd as norch

# name, function, NumPy's word for it, shapes[, low, high]
FUNCTIONS = [
    ("exp2", norch.exp2, np.exp2, [(2, 3)]),
    ("log10", norch.log10, np.log10, [(2, 3)], 0.3, 4.0),
    ("float_power", lambda x: norch.float_power(x, 3), lambda x: x**3.0, [(2, 3)]),
    ("sinc", norch.sinc, np.sinc, [(2, 3)]),
    ("erfc", norch.erfc, np.vectorize(math.erfc), [(2, 3)]),
    ("logit", norch.logit, lambda x: np.log(x / (1 - x)), [(2, 3)], 0.1, 0.9),
    ("xlogy", norch.xlogy, lambda x, y: x * np.log(y), [(3, 2), (2,)], 0.3, 2.0),
    ("logaddexp2", norch.logaddexp2, np.logaddexp2, [(3, 2), (2,)]),
    ("copysign", lambda x: norch.copysign(x, -1.0), lambda x: np.copysign(x, -1), [(2, 3)]),
    ("fmax", norch.fmax, np.fmax, [(3, 2), (2,)]),
    ("fmin", norch.fmin, np.fmin, [(3, 2), (2,)]),
    ("clamp_min", lambda x: norch.clamp_min(x, 0.3), lambda x: np.maximum(x, 0.3), [(2, 3)]),
    ("clamp_max", lambda x: norch.clamp_max(x, 0.3), lambda x: np.minimum(x, 0.3), [(2, 3)]),
    ("kron", norch.kron, np.kron, [(2, 3), (2,)]),
    ("cross", lambda a, b: norch.cross(a, b, 1), np.cross, [(2, 3), (2, 3)]),
    ("vdot", norch.vdot, np.vdot, [(3,), (3,)]),
    ("addmv", norch.addmv, lambda a, m, v: a + m @ v, [(2,), (2, 3), (3,)]),
    ("addr", norch.addr, lambda a, u, v: a + np.outer(u, v), [(2, 3), (2,), (3,)]),
    (
        "addbmm",
        lambda *t: norch.addbmm(*t, beta=2, alpha=3),
        lambda a, x, y: 2 * a + 3 * (x @ y).sum(0),
        [(2, 2), (3, 2, 2), (3, 2, 2)],
    ),
    (
        "baddbmm",
        lambda *t: norch.baddbmm(*t, beta=2, alpha=3),
        lambda a, x, y: 2 * a + 3 * (x @ y),
        [(3, 1, 2), (3, 2, 2), (3, 2, 2)],
    ),
    ("dist", norch.dist, lambda a, b: np.linalg.norm(a - b), [(2, 3), (3,)]),
    ("rot90", norch.rot90, np.rot90, [(2, 3)]),
    (
        "rot90 back",
        lambda x: norch.rot90(x, -1, (1, 2)),
        lambda x: np.rot90(x, -1, (1, 2)),
        [(2, 3, 2)],
    ),
    ("rot90 twice", lambda x: norch.rot90(x, 2), lambda x: np.rot90(x, 2), [(2, 3)]),
    ("fliplr", norch.fliplr, np.fliplr, [(2, 3)]),
    ("flipud", norch.flipud, np.flipud, [(2, 3)]),
    (
        "block_diag",
        norch.block_diag,
        lambda a, b: np.block([[a, np.zeros((2, 2))], [np.zeros((1, 3)), b]]),
        [(2, 3), (1, 2)],
    ),
    ("tril", lambda x: norch.tril(x, 1), lambda x: np.tril(x, 1), [(2, 3, 4)]),
    ("triu", lambda x: norch.triu(x, -1), lambda x: np.triu(x, -1), [(3, 2)]),
    (
        "norm of power 3",
        lambda x: norch.norm(x, 3, 1),
        lambda x: (abs(x) ** 3).sum(1) ** (1 / 3),
        [(2, 3)],
    ),
    (
        "norm of power 1.5",
        lambda x: norch.norm(x, 1.5),
        lambda x: (abs(x) ** 1.5).sum() ** (1 / 1.5),
        [(2, 3)],
    ),
    ("norm inf", lambda x: norch.norm(x, math.inf, 0), lambda x: abs(x).max(0), [(2, 3)]),
    ("norm -inf", lambda x: norch.norm(x, -math.inf), lambda x: abs(x).min(), [(2, 3)], 0.2, 2.0),
    (
        "unfold",
        lambda x: x.unfold(1, 3, 2),
        lambda x: np.stack([x[:, :3], x[:, 2:5]], 1).transpose(0, 1, 2),
        [(2, 5)],
    ),
    (
        "unfold overlapping",
        lambda x: x.unfold(0, 2, 1) ** 2,
        lambda x: np.stack([x[:2], x[1:]]).transpose(0, 2, 1) ** 2,
        [(3, 2)],
    ),
]


@pytest.mark.parametrize("case", FUNCTIONS, ids=lambda case: case[0])
def test_values_and_gradients(case):
    _, function, expected, shapes, *bounds = case
    low, high = bounds or (-2.0, 2.0)
    check(function, expected, *shapes, low=low, high=high)


# what NumPy has not, or PyTorch says differently
VALUES = [
    (
        lambda: norch.heaviside(norch.tensor([-1.0, 0.0, norch.nan]), norch.tensor(0.5)),
        [0, 0.5, 0],
    ),
    (lambda: norch.signbit(norch.tensor([-0.0, 0.0, -norch.inf])), [True, False, True]),
    (
        lambda: norch.fmax(norch.tensor([norch.nan, norch.nan]), norch.tensor([1.0, norch.nan])),
        [1, norch.nan],
    ),
    (lambda: norch.isposinf(norch.tensor([norch.inf, -norch.inf])), [True, False]),
    (lambda: norch.isneginf(norch.tensor([norch.inf, -norch.inf])), [False, True]),
    (
        lambda: norch.xlogy(norch.tensor([0.0, 0.0]), norch.tensor([-1.0, norch.nan])),
        [0, norch.nan],
    ),
    (lambda: norch.xlogy(norch.tensor([0.0, 2.0]), 1), [0, 0]),
    (lambda: norch.xlogy(2, norch.tensor([1.0, 0.0])), [0, -norch.inf]),
    (lambda: norch.sinc(norch.tensor([0, 1])), [1, 0]),
    (lambda: norch.ldexp(norch.tensor([3.0]), norch.tensor([-1])), [1.5]),
    (lambda: norch.float_power(2, norch.tensor([3, -1])), [8, 0.5]),
    (lambda: norch.logit(norch.tensor([0.0, 1.0]), eps=0.5), [0, 0]),
    (
        lambda: norch.addmv(norch.full((1,), norch.nan), norch.ones(1, 1), norch.ones(1), beta=0),
        [1],
    ),
    (lambda: norch.kron(norch.tensor(3), norch.tensor([1, 2])), [3, 6]),
    (lambda: norch.dist(norch.zeros(2), norch.tensor([3.0, -4.0]), norch.inf), 4),
    (
        lambda: norch.cartesian_prod(norch.tensor([1, 2]), norch.tensor([3, 4])),
        [[1, 3], [1, 4], [2, 3], [2, 4]],
    ),
    (
        lambda: norch.broadcast_tensors(norch.tensor([[1], [2]]), norch.tensor([5, 6]))[0],
        [[1, 1], [2, 2]],
    ),
    (lambda: norch.block_diag(norch.tensor(1), norch.tensor([2, 3])), [[1, 0, 0], [0, 2, 3]]),
    (lambda: norch.tensor([1, 2]).where(norch.tensor([False, True]), 7), [7, 2]),
]


@pytest.mark.parametrize("case", VALUES, ids=lambda case: str(case[1]))
def test_values(case):
    made, expected = case
    np.testing.assert_allclose(made().tolist(), expected, atol=1e-6)  # NaN equals NaN here


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        (lambda x: norch.tensor_split(x, 3), [[0, 1, 2], [3, 4], [5, 6]]),
        (lambda x: norch.tensor_split(x, 9)[-1:], [[]]),
        (lambda x: norch.tensor_split(x, (2, 2, 9)), [[0, 1], [], [2, 3, 4, 5, 6], []]),
        (lambda x: norch.tensor_split(x, norch.tensor([-2])), [[0, 1, 2, 3, 4], [5, 6]]),
        (lambda x: x.split_with_sizes([3, 4]), [[0, 1, 2], [3, 4, 5, 6]]),
        (lambda x: x.hsplit((1,)), [[0], [1, 2, 3, 4, 5, 6]]),
        (lambda x: x.reshape(7, 1).vsplit((6,))[1:], [[[6]]]),
        (lambda x: x.reshape(1, 1, 7).dsplit((6,))[1:], [[[[6]]]]),
    ],
)
def test_pieces(pieces, expected):
    assert [piece.tolist() for piece in pieces(norch.arange(7))] == expected


def test_pieces_and_windows_are_views():
    x = norch.zeros(6)
    x.tensor_split(2)[1].fill_(1)
    x.unfold(0, 2, 4)[0].fill_(2)
    assert x.tolist() == [2, 2, 0, 1, 1, 1]


EDITS = {
    "abs acos asin atan ceil cos cosh deg2rad erf erfc exp exp2 expm1 floor frac log log10 log1p "
    "log2 logit nan_to_num neg rad2deg reciprocal relu round rsqrt sgn sigmoid sign sin sinc sinh "
    "sqrt square tan tanh trunc tril triu": (),
    "atan2 copysign hypot ldexp xlogy floor_divide fmod remainder float_power": (
        draw((3, 2), 0.5, 1.5, 3),
    ),
    "eq ge gt le lt ne": (draw((3, 2), 0.1, 0.9, 3),),
    "addcmul addcdiv": (draw((3, 2), 0.5, 1.5, 3), draw((3, 2), 0.5, 1.5, 4)),
    "lerp": (draw((3, 2), 0.5, 1.5, 3), 0.25),
    "clamp_min clamp_max": (0.5,),
    "addmm": (draw((3, 2), 0.5, 1.5, 3), draw((2, 2), 0.5, 1.5, 4)),
}
NAMES = [(name, args) for names, args in EDITS.items() for name in names.split()]


@pytest.mark.parametrize(("name", "arguments"), NAMES, ids=[name for name, _ in NAMES])
def test_an_edit_in_place_is_its_function(name, arguments):
    args = [norch.tensor(a) if isinstance(a, np.ndarray) else a for a in arguments]
    values = draw((3, 2), 0.1, 0.9)
    leaves = [permuted(values), permuted(values)]
    expected = getattr(leaves[0] * 1, name)(*args).to(norch.float64)
    hidden = leaves[1] * 1
    found = getattr(hidden, f"{name}_")(*args)
    assert found is hidden
    np.testing.assert_allclose(found.detach().numpy(), expected.detach().numpy(), rtol=1e-12)
    (found * 2).sum().backward()
    if expected.requires_grad:
        (expected * 2).sum().backward()
    right = np.zeros((3, 2)) if leaves[0].grad is None else leaves[0].grad.numpy()
    np.testing.assert_allclose(leaves[1].grad.numpy(), right, rtol=1e-12)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        getattr(permuted(values), f"{name}_")(*args)


@pytest.mark.parametrize(
    ("edit", "same"),
    [
        (lambda x: x.squeeze_(1), lambda x: x.squeeze(1)),
        (lambda x: x.squeeze_(), lambda x: x.squeeze()),
        (lambda x: x.unsqueeze_(-1), lambda x: x.unsqueeze(-1)),
        (lambda x: x.transpose_(0, 2), lambda x: x.transpose(0, 2)),
        (lambda x: x.swapaxes_(0, 2), lambda x: x.transpose(0, 2)),
        (lambda x: x[0].t_(), lambda x: x[0].t()),
    ],
)
def test_edits_of_the_shape(edit, same):
    leaf = permuted(draw((2, 1, 3)))
    hidden = leaf * 2
    found = edit(hidden)
    assert found.tolist() == same(leaf * 2).tolist()
    weights = norch.arange(float(found.numel())).reshape(found.shape).double()
    (found * weights).sum().backward()
    again = leaf.detach().requires_grad_()
    (same(again * 2) * weights).sum().backward()
    assert leaf.grad.tolist() == again.grad.tolist()
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        edit(permuted(draw((2, 1, 3))))


def test_numpy_operands():
    x, a = norch.tensor([1.0, 2.0], requires_grad=True), np.array([3.0, 4.0])
    for found, right in [
        (x + a, [4, 6]),
        (a / x, [3, 2]),
        (x == a, [False, False]),
        (np.float32(1) + x, [2, 3]),
        (x - a, [-2, -2]),
        (x * a, [3, 8]),
        (x / a, [1 / 3, 0.5]),
        (x.add(a), [4, 6]),
        (x + np.float32(1), [2, 3]),
        (x * np.int64(2), [2, 4]),
    ]:
        np.testing.assert_allclose(found.tolist(), right)
    assert ((x + a).dtype, (x + np.float64(1)).dtype) == (norch.float64, norch.float32)
    (x * a).sum().backward()
    assert x.grad.tolist() == [3.0, 4.0]
    for refused in (lambda: a + x, lambda: a * x, lambda: a - x, lambda: a // x, lambda: a**x):
        with pytest.raises(TypeError):  # NumPy leaves it to us, and we, as PyTorch, to the user
            refused()
    with pytest.raises(TypeError, match="str"):
        x + "a"


def test_triangles_by_their_indices():
    for offset in (-1, 0, 1):
        for ours, theirs in (
            (norch.tril_indices, np.tril_indices),
            (norch.triu_indices, np.triu_indices),
        ):
            assert ours(3, 4, offset).tolist() == [list(i) for i in theirs(3, offset, 4)]
    assert norch.tril_indices(0, 3).shape == (2, 0)


def test_words_about_a_tensor():
    x = norch.zeros(2, 3)
    assert (x.nelement(), x.ndimension(), x.is_signed(), x.is_complex()) == (6, 2, True, False)
    assert x.is_same_size(x * 1) and not x.is_same_size(x.T) and not x.bool().is_signed()
    assert norch.ones(2).bernoulli().tolist() == [1.0, 1.0]
    assert norch.tensor([0.0, 1.0]).multinomial(1).tolist() == [1]


def test_python_operators_in_place():
    x = norch.tensor([7, 12])
    x //= 2
    x %= 4
    x |= 8
    x &= 13
    x ^= 1
    assert x.tolist() == [(((7 // 2 % 4) | 8) & 13) ^ 1, (((12 // 2 % 4) | 8) & 13) ^ 1]


A = norch.zeros(2, 3)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: norch.tensor_split(A, 0), RuntimeError, "at least 1 section"),
        (lambda: norch.tensor_split(norch.tensor(1), 1), RuntimeError, "without dimensions"),
        (lambda: A.hsplit(2), RuntimeError, r"\[hsplit\] 2 sections do not divide size 3"),
        (lambda: norch.zeros(3).vsplit(1), RuntimeError, r"\[vsplit\] expected at least 2"),
        (lambda: A.unfold(1, 4, 1), RuntimeError, "does not fit"),
        (lambda: norch.rot90(A, 1, (0,)), RuntimeError, "expected 2 dims"),
        (lambda: norch.rot90(A, 1, (1, -1)), RuntimeError, "two different dims"),
        (lambda: norch.fliplr(norch.zeros(3)), RuntimeError, "at least 2 dimensions"),
        (lambda: norch.cross(A.T, A.T, 1), RuntimeError, "expected 3 numbers along dim 1"),
        (lambda: norch.tril(norch.zeros(3)), RuntimeError, "at least 2 dimensions"),
        (lambda: norch.addmv(A, A, A), RuntimeError, r"\[addmv\] expected a tensor of 1 dim"),
        (lambda: norch.arange(3).exp_(), RuntimeError, r"\[exp_\] result type norch.float32 can't"),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_polygamma_far_below_zero():
    x = norch.tensor([-20.5, -3.3], dtype=norch.float64)
    assert norch.polygamma(1, x).tolist() == pytest.approx([9.821994344649873, 14.817739525490905])
    assert norch.polygamma(2, norch.tensor([-4.0])).item() == -math.inf


def test_the_gradient_of_cholesky_is_symmetric_and_only_the_lower_triangle_is_read():
    a = norch.tensor([[4.0, 99.0], [2.0, 5.0]], requires_grad=True)
    norch.linalg.cholesky(a).backward(norch.tensor([[1.0, 0.0], [3.0, 4.0]]))
    assert bool((a.grad == a.grad.mT).all()) and a.grad[0, 1] != 0


def test_nan_in_a_matrix_is_no_singular_matrix():
    a = norch.tensor([[math.nan, 1.0], [1.0, 2.0]])
    assert norch.det(a).isnan() and norch.linalg.slogdet(a).logabsdet.isnan()
    assert norch.det(norch.zeros(2, 2)) == 0


def test_large_whole_numbers_are_close_only_to_themselves():
    assert not norch.isclose(norch.tensor([2**53 + 1]), norch.tensor([2**53]), rtol=0, atol=0)


def test_bits_of_a_transposed_tensor_are_seen_not_copied():
    x = norch.arange(6.0).reshape(2, 3).mT[1:]
    bits = x.view(norch.int32)
    assert bits.shape == x.shape and bits.stride() == x.stride()
    bits.fill_(0)
    assert not x.any()


@pytest.mark.parametrize(
    "call, kind, text",
    [
        (lambda: norch.linalg.inv(norch.zeros(2, 2)), RuntimeError, r"\[inv\] .* is singular"),
        (lambda: norch.linalg.matrix_norm(norch.ones(2, 3), 1, (5, 0)), IndexError, "matrix_norm"),
        (lambda: norch.linalg.matrix_norm(norch.ones(2, 3), 1, (0, -2)), RuntimeError, "the same"),
        (lambda: norch.renorm(norch.ones(2, 3), 2, 5, 1.0), IndexError, "renorm"),
        (lambda: norch.zeros(2, dtype=norch.uint8).random_(300), RuntimeError, "0 to 255"),
        (lambda: norch.trapezoid(norch.ones(2), norch.ones(2), dx=1), TypeError, "both x and dx"),
        (lambda: norch.cov(norch.ones(2, 3), correction=-math.inf), TypeError, r"\[cov\] correct"),
        (lambda: norch.tensor_split(norch.ones(3), norch.tensor([1.7])), RuntimeError, "whole"),
        (lambda: norch.tensor_split(norch.ones(3), [norch.tensor(1.7)]), TypeError, "whole number"),
        (lambda: norch.tensor_split(norch.ones(3), [1.5]), TypeError, "tensor_split"),
        (
            lambda: norch.embedding(norch.ones(2, 2), norch.tensor([0]), norch.tensor(1.5)),
            TypeError,
            r"\[embedding\] only a tensor of one whole number",
        ),
    ],
)
def test_what_more_names_refuse(call, kind, text):
    with pytest.raises(kind, match=text):
        call()


def test_places_of_fewer_dimensions_stretch_over_the_first():
    y, x = norch.arange(12.0).reshape(2, 3, 2), norch.tensor([[0.0, 1.0], [0.0, 2.0], [0.0, 3.0]])
    expected = norch.trapezoid(y, x.expand(2, 3, 2))
    assert norch.trapezoid(y, x).tolist() == expected.tolist()


def test_lgamma_just_beside_its_poles():
    points = [5e-324, -5e-324, 1e-310, -1e-310, -1e-20, -1 + 2.0**-50, -3 - 2.0**-48]
    found = norch.lgamma(norch.tensor(points, dtype=norch.float64)).tolist()
    assert np.allclose(found, [math.lgamma(x) for x in points], rtol=1e-14)


def test_norms_with_nan():
    x = norch.tensor([[1.0, math.nan], [3.0, 4.0]])
    assert norch.norm(x, 0).item() == 4
    assert str(norch.renorm(x, 2, 0, 1.0)) == (
        "tensor([[1.0000,    nan],\n        [0.6000, 0.8000]])"
    )


@pytest.mark.parametrize(
    ("equation", "shapes", "expected"),
    [
        ("bij,bjk->bik", ((0, 1, 1), (0, 1, 0)), (0, 1, 0)),
        ("bij,bjk->bik", ((1, 1, 1), (0, 1, 0)), (0, 1, 0)),
        ("bij,bjk->ik", ((0, 1, 1), (1, 1, 3)), (1, 3)),
        ("ij,jk->ik", ((0, 1), (0, 1)), (0, 1)),
        ("ij,jk->ik", ((0, 1), (1, 0)), (0, 0)),
    ],
)
def test_einsum_of_nothing(equation, shapes, expected):
    operands = [norch.zeros(shape, requires_grad=True) for shape in shapes]
    out = norch.einsum(equation, *operands)
    out.sum().backward()
    assert out.shape == expected
    assert [x.grad.shape for x in operands] == list(shapes)


def test_unravel_index_counts_in_int64():
    assert norch.unravel_index(norch.tensor([5], dtype=norch.uint8), (2, 3))[0].dtype is norch.int64


@pytest.mark.parametrize("n", [20, 21, 22, 30, 100])
def test_polygamma_of_any_order(n):
    for x in (0.25, 0.5, 1.5, 40.0, -1.75):
        terms = math.fsum((x + k) ** -(n + 1) for k in range(400))
        found = norch.polygamma(n, norch.tensor([x], dtype=norch.float64)).item()
        assert found == pytest.approx((-1) ** (n + 1) * math.factorial(n) * terms, rel=1e-11)


def test_combinations_are_those_of_itertools():
    for n, r in itertools.product(range(6), range(1, 5)):
        for again in (False, True):
            pick = itertools.combinations_with_replacement if again else itertools.combinations
            found = norch.combinations(norch.arange(n), r, again)
            assert found.shape == (len(list(pick(range(n), r))), r)
            assert found.tolist() == [list(row) for row in pick(range(n), r)]


def test_triangles_of_every_size_and_offset():
    for row, col, offset in itertools.product(range(5), range(5), range(-6, 7)):
        for ours, theirs in ((norch.tril_indices, np.tril_indices), (norch.triu_indices,
                                                                     np.triu_indices)):  # fmt: skip
            wanted = [list(side) for side in theirs(row, offset, col)]
            assert ours(row, col, offset).tolist() == wanted


def test_powers_of_whole_numbers_are_int64():
    table = norch.vander(norch.tensor([100, 200], dtype=norch.uint8), 4)
    assert table.tolist() == [[10**6, 10**4, 100, 1], [8 * 10**6, 4 * 10**4, 200, 1]]
    assert table.dtype is norch.int64


@pytest.mark.parametrize("order", [3, None, "channels_last"])
def test_what_is_no_memory_format_is_a_type_error(order):
    x = norch.zeros(1, 2, 3, 3)
    for call in (x.contiguous, x.clone, x.is_contiguous, x.to):
        with pytest.raises(TypeError, match=r"\[memory_format\] .* is none: expected one of norch"):
            call(memory_format=order)


def test_rounding_to_more_places_than_there_are():
    assert norch.round(norch.tensor([1.5]), decimals=10**9).isnan().all()  # infinity / infinity


def test_a_size_that_is_a_tensor_leaves_the_stream_in_order():
    size = norch.tensor(3)
    assert norch.rand(size).shape == norch.rand(2, size).shape[1:] == (3,)
    assert [type(number) for number in norch.default_generator.get_state()] == [int, int]
