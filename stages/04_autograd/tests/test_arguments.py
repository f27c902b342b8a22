"""Arguments that are seldom given: each does what PyTorch's does, or is refused with its reason."""

import math
import traceback

import numpy as np
import pytest

import norch_autograd as norch

X = [[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]]


def leaf(data=X):
    return norch.tensor(data, dtype=norch.float64, requires_grad=True)


@pytest.mark.parametrize(
    ("make", "dtype", "wants"),
    [
        (lambda: norch.tril_indices(2, 3, dtype=norch.int32), "int32", False),
        (lambda: norch.triu_indices(0, 0, dtype=norch.int32, device="cpu"), "int32", False),
        (
            lambda: norch.randperm(3, dtype=norch.float32, device="cpu", requires_grad=True),
            "float32",
            True,
        ),
        (
            lambda: norch.frombuffer(bytearray(8), dtype=norch.float64, requires_grad=True),
            "float64",
            True,
        ),
        (
            lambda: norch.tensor([1]).new_full((2,), 3, dtype=norch.float64, requires_grad=True),
            "float64",
            True,
        ),
        (lambda: norch.zeros(1).new_tensor([1], device="cpu", requires_grad=True), "float32", True),
        (lambda: norch.zeros(1).new_zeros(2, device="cpu", requires_grad=True), "float32", True),
        (lambda: norch.zeros(1).new_ones(2, device="cpu", requires_grad=True), "float32", True),
        (lambda: norch.zeros(1).new_empty(2, device="cpu", requires_grad=True), "float32", True),
        (
            lambda: norch.rand_like(norch.tensor([1]), dtype=norch.float64, device="cpu"),
            "float64",
            False,
        ),
        (
            lambda: norch.randn_like(norch.zeros(2), device="cpu", requires_grad=True),
            "float32",
            True,
        ),
    ],
)
def test_how_a_new_tensor_is_made(make, dtype, wants):
    made = make()
    assert made.dtype.name == dtype and made.requires_grad is wants and made.device.type == "cpu"


@pytest.mark.parametrize("name", ["rand", "randn"])
def test_like_draws_from_the_generator_given(name):
    model = norch.zeros(2, 3)
    first, second = (norch.Generator().manual_seed(5) for _ in range(2))
    before = norch.get_rng_state()
    drawn = getattr(norch, f"{name}_like")(model, generator=first)
    assert norch.equal(drawn, getattr(norch, name)(2, 3, generator=second))
    assert norch.get_rng_state() == before


def test_new_tensors_on_another_device():
    model = norch.zeros(2, device="cuda-sim")
    for made in (
        model.new_full((2,), 3.0, device="cpu"),
        model.new_tensor([3.0, 3.0], device="cpu"),
        norch.full_like(model, 3.0, device="cpu"),
    ):
        assert made.device.type == "cpu" and made.tolist() == [3, 3]
    assert model.new_tensor([1]).device == model.device
    with pytest.raises(ValueError, match=r"from cpu to .* is a copy: copy=False forbids it"):
        norch.from_dlpack(np.zeros(2), device=model.device, copy=False)


def test_from_dlpack_shares_or_copies():
    shared = np.zeros(2)
    own = norch.from_dlpack(shared, copy=True)
    seen = norch.from_dlpack(shared, device="cpu", copy=False)
    again = norch.from_dlpack(seen, copy=True)
    shared[0] = 7
    assert own.tolist() == again.tolist() == [0, 0] and seen.tolist() == [7, 0]


def test_numpy_by_force():
    x = leaf()
    with pytest.raises(RuntimeError, match="requires grad"):
        x.numpy()
    assert (x.numpy(force=True) == np.array(X)).all()
    assert (norch.tensor(X, device="cuda-sim").numpy(force=True) == np.array(X)).all()


def test_atleast_of_several():
    scalar, vector = norch.tensor(1.0), norch.tensor([1.0, 2.0])
    for given in ((scalar, vector), ([scalar, vector],), ((scalar, vector),)):
        found = norch.atleast_2d(*given)
        assert isinstance(found, tuple) and [x.shape for x in found] == [(1, 1), (1, 2)]
    assert [x.shape for x in norch.atleast_3d(scalar, vector)] == [(1, 1, 1), (1, 2, 1)]
    assert norch.atleast_1d() == ()
    for bad in (3, [3]):
        with pytest.raises(TypeError, match=r"\[atleast_1d\] expected .*int"):
            norch.atleast_1d(bad)


def test_diag_embed_in_other_dimensions():
    x = leaf()
    for dims in ((0, 1), (-3, 2), (2, 0)):
        found = norch.diag_embed(x, 1, *dims)
        assert norch.equal(found.diagonal(1, *dims), x) and found.sum() == x.sum()
        assert norch.gradcheck(lambda x, d=dims: norch.diag_embed(x, 1, *d), (x,))
    with pytest.raises(RuntimeError, match=r"\[diag_embed\] .* two dimensions, got 0 and -3"):
        norch.diag_embed(x, 0, 0, -3)
    with pytest.raises(IndexError, match="diag_embed"):
        norch.diag_embed(x, 0, 0, 3)


def test_repeat_interleave_checks_the_size_foreseen():
    x = norch.tensor([1, 2])
    times = norch.tensor([2, 1])
    assert norch.repeat_interleave(x, times, output_size=3).tolist() == [1, 1, 2]
    assert x.repeat_interleave(2, 0, output_size=4).tolist() == [1, 1, 2, 2]
    for repeats, made in ((2, 4), (times, 3)):
        with pytest.raises(RuntimeError, match=f"output_size is 5, but the repeats make {made}"):
            x.repeat_interleave(repeats, output_size=5)


@pytest.mark.parametrize("name", ["div_", "divide_"])
def test_division_in_place_rounds(name):
    def divided(x, mode):
        return getattr(norch.tensor(x), name)(2, rounding_mode=mode)

    assert divided([7.0, -7.0], "floor").tolist() == [3, -4]
    assert divided([7, -7], "trunc").tolist() == [3, -3]
    assert divided([7, -7], "floor").dtype is norch.int64
    with pytest.raises(RuntimeError, match="rounding_mode must be"):
        divided([1.0], "up")
    with pytest.raises(RuntimeError, match="cannot be written into int64"):
        divided([7], None)
    x = leaf()
    (grad,) = norch.autograd.grad((x * 1).div_(2, rounding_mode="trunc").sum(), x)
    assert grad.tolist() == [[0] * 3] * 2


def test_what_has_no_meaning_here_is_refused():
    with pytest.raises(NotImplementedError, match=r"\[gather\] gradients are dense"):
        norch.gather(leaf(), 1, norch.tensor([[0], [1]]), sparse_grad=True)
    with pytest.raises(RuntimeError, match=r"\[float_power_\] the base has dtype norch.float32"):
        norch.ones(2).float_power_(2)
    x = leaf()
    with pytest.warns(FutureWarning, match=r"\[grad\] only_inputs=False does nothing"):
        norch.autograd.grad(x.sum(), x, only_inputs=False)
    step = norch.heaviside(x, norch.tensor(0.5, dtype=norch.float64))
    assert step.requires_grad
    with pytest.raises(NotImplementedError, match=r"Heaviside.* has no derivative"):
        step.sum().backward()


@pytest.mark.parametrize("create_graph", [False, True])
def test_batched_gradients_are_a_jacobian(create_graph):
    x, unused = leaf([1.0, 2.0, 3.0]), leaf()
    options = {"is_grads_batched": True, "allow_unused": True, "create_graph": create_graph}
    rows = norch.eye(3, dtype=norch.float64)
    jacobian, none = norch.autograd.grad(x**2, (x, unused), rows, **options)
    assert norch.equal(jacobian, norch.diag(2 * x)) and none is None
    assert jacobian.requires_grad is create_graph
    y = x**2
    norch.autograd.grad(y, x, rows, is_grads_batched=True)
    with pytest.raises(RuntimeError, match="already walked backward"):
        norch.autograd.grad(y, x, rows, is_grads_batched=True)
    for bad in (None, norch.tensor(1.0), norch.zeros(0, 3)):
        with pytest.raises(ValueError, match="same number of passes"):
            norch.autograd.grad(x**2, x, bad, is_grads_batched=True)


@pytest.mark.parametrize("name", ["and", "or", "xor", "not"])
def test_the_record_does_not_see_logic_in_place(name):
    x = leaf()
    others = () if name == "not" else (norch.tensor([0.0, 1.0, 2.0]),)
    y = x * 3
    edited = getattr(y, f"logical_{name}_")(*others)
    assert edited is y and norch.equal(y, getattr(x, f"logical_{name}")(*others).double())
    (grad,) = norch.autograd.grad(y.sum(), x)
    assert grad.tolist() == [[3] * 3] * 2


@pytest.mark.parametrize("eps", [None, 0.1])
def test_logit_outside_its_range(eps):
    x = leaf([-0.5, 0.05, 0.3, 1.5])
    (first,) = norch.autograd.grad(norch.logit(x, eps).sum(), x, create_graph=True)
    (second,) = norch.autograd.grad(first.sum(), x)
    slope, outside = 1 / (0.3 * 0.7), math.nan if eps is None else 0.0
    assert first[2].item() == pytest.approx(slope)
    assert second[2].item() == pytest.approx((2 * 0.3 - 1) * slope**2)
    np.testing.assert_equal(first.numpy(force=True)[[0, 3]], [outside] * 2)
    np.testing.assert_equal(second.numpy()[[0, 3]], [0, 0])


def test_var_of_one_element():
    """Over a dimension the second derivative is infinity times 0; over all there is none."""
    x = leaf([[1.0, 2.0]])
    (first,) = norch.autograd.grad(x.var(0).sum(), x, create_graph=True)
    assert norch.autograd.grad(first.sum(), x)[0].isnan().all()
    (first,) = norch.autograd.grad(x[:, :1].var(), x, create_graph=True)
    assert first[0, 0].isnan() and not first.requires_grad


def test_profiles_of_printing():
    try:
        norch.set_printoptions(profile="short")
        assert repr(norch.tensor([1 / 3])) == "tensor([0.33])"
        norch.set_printoptions(precision=1, profile="full")
        assert repr(norch.zeros(2000)).count("0.") == 2000
        assert repr(norch.tensor([1 / 3])) == "tensor([0.3])"
        with pytest.raises(ValueError, match=r"profile must be .* got 'long'"):
            norch.set_printoptions(profile="long")
    finally:
        norch.set_printoptions(profile="default")
    assert repr(norch.tensor([1 / 3])) == "tensor([0.3333])"


ONE = norch.tensor(1)
READ = ["sum", "amax", "any", "all", "mean", "logsumexp", "nansum", "var", "std", "norm"]
READ += ["squeeze", "flip", "cumsum", "argmax"]


@pytest.mark.parametrize("dim", [ONE, norch.tensor([-1]), norch.tensor(1, dtype=norch.int32)])
@pytest.mark.parametrize("name", READ)
def test_a_dim_may_be_a_tensor_of_one_whole_number(name, dim):
    x = norch.tensor(X)
    call = getattr(x, name) if name != "norm" else lambda dim: x.norm(2, dim)
    assert call(dim).tolist() == call(1).tolist()


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        (lambda x: x.roll(ONE, ONE), lambda x: x.roll(1, 1)),
        (lambda x: x.roll(ONE), lambda x: x.roll(1)),
        (lambda x: x.movedim(ONE, 0), lambda x: x.movedim(1, 0)),
        (lambda x: norch.tensordot(x, x.T, ONE), lambda x: norch.tensordot(x, x.T, 1)),
        (lambda x: x.repeat_interleave(ONE + 1), lambda x: x.repeat_interleave(2)),
        (lambda x: x.repeat_interleave(ONE + 1, 0), lambda x: x.repeat_interleave(2, 0)),
        (lambda x: norch.full_like(x, ONE), norch.ones_like),
        (lambda x: norch.bitwise_and(6, x.int()), lambda x: x.int() & 6),
        (lambda x: norch.bitwise_or(1, x > 0), lambda x: (x > 0) | 1),
        (lambda x: norch.bitwise_xor(True, x.int()), lambda x: x.int() ^ True),
        (lambda x: norch.Size([ONE, norch.tensor([2]), True]), lambda x: (1, 2, 1)),
        (lambda x: norch.Size((2,)) * 2, lambda x: 2 * norch.Size((2,))),
    ],
)
def test_numbers_in_tensors_and_numbers_first(call, wanted):
    found, expected = call(norch.tensor(X)), wanted(norch.tensor(X))
    assert str(found) == str(expected) or found == expected


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.squeeze({}),
        lambda x: x.any({}),
        lambda x: x.all({0}),
        lambda x: x.flip({0: 1}),
        lambda x: x.to(x, "cpu"),
        lambda x: x.to("cpu", x),
        lambda x: x.to(norch.float64, "cpu"),
        lambda x: x.to("cpu", "cpu"),
        lambda x: x.to(norch.float64, True, True, True),
        lambda x: norch.Size([2, "cpu"]),
        lambda x: norch.Size([2.0]),
        lambda x: norch.Size(3),
        lambda x: norch.linspace(0, slice(None), 1),
        lambda x: norch.unravel_index(x.int(), (1e30, 3)),
        lambda x: norch.unravel_index(x.int(), 3.0),
        lambda x: norch.randint(5, "a", (2,)),
        lambda x: norch.randint(5, x, (2,)),
        lambda x: norch.randint(2.5, (2,)),
        lambda x: norch.randint_like(x, 3, (1, -1)),
        lambda x: norch.roll(x[:0], "a"),
        lambda x: norch.roll(x[:0], (x,)),
        lambda x: norch.is_autocast_enabled(3),
    ],
)
def test_what_is_no_number_no_size_and_no_place_is_a_type_error(call):
    with pytest.raises(TypeError, match=r"^\["):
        call(norch.tensor(X))


def test_randint_takes_its_bounds_from_tensors():
    like = norch.zeros(2)
    assert norch.randint_like(like, -2, norch.tensor(-1)).tolist() == [-2, -2]
    assert norch.randint(norch.tensor(3), norch.tensor(4), (2,)).tolist() == [3, 3]
    with pytest.raises(RuntimeError, match="low must be smaller than high, got 3 and 1"):
        norch.randint_like(like, 3, ONE)


@pytest.mark.parametrize(
    ("call", "op", "words"),
    [
        (lambda x: norch.nanmean(x, 9), "nanmean", "dim 9 is out of range"),  # said in nansum
        (lambda x: norch.std(x, "a"), "std", "dim"),
        (lambda x: norch.isclose(x, x, atol="a"), "isclose", "atol: expected"),  # was Python's own
        (lambda x: norch.addmm(x, x, 3), "addmm", "expected a Tensor, got int"),
        (lambda x: norch.allclose(x, x, rtol=object()), "allclose", "rtol: expected"),
    ],
)
def test_an_error_carries_its_operation_and_shows_no_frame_of_the_helper(call, op, words):
    with pytest.raises((TypeError, IndexError)) as info:
        call(leaf())
    assert info.value.op == op and info.value.words.startswith(words)
    assert str(info.value) == f"[{op}] {info.value.words}"
    frames = traceback.extract_tb(info.value.__traceback__)
    assert not [frame for frame in frames if frame.filename.endswith("operands.py")]
    assert frames[1].name != "called"


@pytest.mark.parametrize("options", [{"device": "mars"}, {"dtype": "x"}, {"dtype": norch.int64}])
@pytest.mark.parametrize("make", [norch.rand, norch.randn])
def test_a_refused_call_draws_no_numbers(make, options):
    generator = norch.Generator().manual_seed(3)
    with pytest.raises((RuntimeError, TypeError)):
        make(3, generator=generator, **options)
    assert generator.get_state() == (3, 0)


def test_diagonals_beyond_a_matrix_are_alike():
    x = norch.ones(2, 3)
    for far in (3, 2**63 - 1):
        assert x.tril(far).tolist() == x.triu(-far).tolist() == x.tolist()
        assert x.triu(far).tolist() == x.tril(-far).tolist() == [[0] * 3] * 2


@pytest.mark.parametrize("name", ["stride", "padding", "dilation"])
def test_a_fraction_is_refused_by_the_name_of_the_option(name):
    with pytest.raises(TypeError, match=rf"\[conv_transpose2d\] {name} must be integers"):
        norch.conv_transpose2d(norch.ones(1, 1, 3, 3), norch.ones(1, 1, 2, 2), **{name: (1.0, 1.0)})
