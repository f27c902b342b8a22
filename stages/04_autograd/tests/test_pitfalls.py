"""Gradients that other teaching frameworks got wrong, each under the name of its mistake."""

import gc
import itertools
import math
import threading
import weakref

import numpy as np
import pytest
from autograd_checks import leaf

import norch_autograd as norch


def grads(function, *values):
    """The gradients of `function(...).sum()` at `values`, as lists."""
    leaves = [leaf(value) for value in values]
    function(*leaves).sum().backward()
    return [x.grad.tolist() for x in leaves]


# one node, several ways to it


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: x * x, 6.0),
        (lambda x: x + x, 2.0),
        (lambda x: x - x, 0.0),
        (lambda x: x / x, 0.0),
        (lambda x: (x + x) * (x + x), 24.0),
        (lambda x: (y := 2 * x) + y * y, 26.0),
        (lambda x: (y := x * x) * y + y, 114.0),
        (lambda x: norch.cat([x.reshape(1), x.reshape(1)]).sum() * x, 12.0),
    ],
)
def test_diamonds(function, expected):
    assert grads(function, 3.0) == [expected]


def test_diamond_gives_5_whatever_the_order():
    for _ in range(50):
        a = leaf(1.0)
        b = a * 1
        for order in itertools.permutations("cd"):
            made = {}
            for name in order:
                made[name] = b * (2 if name == "c" else 3)
            (made["c"] + made["d"]).backward(retain_graph=True)
            assert a.grad.item() == 5
            a.grad = None


def test_metrics_computed_with_grad_on_do_not_disturb_the_pass():
    expected = None
    for _ in range(30):
        x = leaf([1.0, 2.0])
        hidden = x.exp()
        unused = [hidden * k for k in range(5)]  # recorded, never walked
        (hidden * 2).sum().backward()
        expected = expected or x.grad.tolist()
        assert x.grad.tolist() == expected
        del unused


def test_diamond_chain_of_exponential_size_is_walked_once():
    x = leaf(1.0)
    y = x
    for _ in range(60):
        y = (y + y) * 0.5
    y.backward()
    assert x.grad.item() == 1


# aliasing


def test_gradients_of_a_sum_share_no_buffer():
    a, b = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    (a + b).sum().backward()
    assert not a.grad.array.shares_storage(b.grad.array)
    a.grad.add_(100)
    assert b.grad.tolist() == [1, 1]


def test_sum_and_summand_again():
    assert grads(lambda a, b: (a + b) + a, [1.0], [1.0]) == [[2.0], [1.0]]


def test_accumulation_does_not_write_into_the_users_gradient():
    x, start = leaf([1.0, 2.0]), norch.tensor([3.0, 4.0])
    y = x.view(2)
    y.backward(start)
    y.backward(start)
    assert x.grad.tolist() == [6, 8]
    assert start.tolist() == [3, 4]
    x.grad.zero_()
    assert start.tolist() == [3, 4]


@pytest.mark.parametrize("name", ["relu", "abs", "exp", "sigmoid", "neg"])
def test_no_operation_edits_its_input_or_the_upstream_gradient(name):
    x, start = leaf([-1.0, 2.0]), norch.tensor([5.0, 7.0])
    getattr(x, name)().backward(start)
    x.clamp(-0.5, 0.5).backward(start)
    assert x.tolist() == [-1, 2]
    assert start.tolist() == [5, 7]


# reductions along any dimension


@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("dim", [0, 1, 2, -1, (0, 2), (1, 2), None])
@pytest.mark.parametrize("name", ["sum", "mean", "amax", "amin", "var", "logsumexp"])
def test_reduction_gradient_is_not_transposed(name, dim, keepdim):
    if dim is None and name == "logsumexp":
        dim = (0, 1, 2)
    x = norch.randn(3, 3, 3, dtype=norch.float64, requires_grad=True)
    scale = norch.arange(27, dtype=norch.float64).view(3, 3, 3)

    def function(x):
        return getattr(x, name)(dim, keepdim=keepdim) * getattr(scale, name)(dim, keepdim=keepdim)

    assert norch.gradcheck(function, x)


def test_extremes_share_or_choose_at_ties_as_pytorch():
    tie = [[1.0, 3.0, 3.0], [2.0, 2.0, 0.0]]
    assert grads(lambda x: x.amax(1), tie) == [[[0, 0.5, 0.5], [0.5, 0.5, 0]]]
    assert grads(lambda x: x.max(1).values, tie) == [[[0, 1, 0], [1, 0, 0]]]
    assert grads(lambda x: x.max(), tie) == [[[0, 0.5, 0.5], [0, 0, 0]]]
    assert grads(lambda x: x.amin(), [1.0, 1.0, 2.0]) == [[0.5, 0.5, 0]]
    assert grads(lambda x: x.max(0)[0] * norch.tensor([1.0, 2, 3]), tie) == [[[0, 2, 3], [1, 0, 0]]]
    assert grads(norch.maximum, [1.0, 2.0], [1.0, 3.0]) == [[0.5, 0], [0.5, 1]]


# awkward points


def test_gradients_at_zero_as_pytorch():
    assert grads(lambda x: x**2, [0.0, 1.0]) == [[0, 2]]
    assert grads(lambda x: x**1, [0.0]) == [[1]]
    assert grads(lambda x: x**0, [0.0]) == [[0]]
    assert grads(lambda x: x.abs(), [0.0, -2.0]) == [[0, -1]]
    assert grads(lambda x: x.sqrt(), [0.0]) == [[math.inf]]
    assert grads(lambda x: x.norm(), [0.0, 0.0]) == [[0, 0]]
    assert grads(lambda x: x.std(), [2.0, 2.0]) == [[0, 0]]
    assert grads(lambda x: x.relu(), [0.0]) == [[0]]
    assert grads(lambda x: x.prod(), [0.0, 2.0, 3.0]) == [[6, 0, 0]]
    assert grads(lambda x: x.clamp(0, 1), [0.0, 1.0, 2.0]) == [[1, 1, 0]]
    assert grads(lambda x, y: x**y, [0.0, 2.0], [2.0, 0.0]) == [
        [0, 0],
        [0, pytest.approx(math.log(2))],
    ]


def test_number_to_the_power_of_a_tensor():
    assert grads(lambda x: 2**x, [3.0]) == [[pytest.approx(8 * math.log(2))]]
    assert grads(lambda x: 0**x, [2.0]) == [[0]]


def test_one_element_divisor_and_broadcast_difference_get_gradients_of_their_own_shape():
    assert grads(lambda x, d: x / d, [2.0, 4.0], [2.0]) == [[0.5, 0.5], [-1.5]]
    assert grads(lambda x, y: x - y, [[1.0], [2.0]], [1.0, 2.0, 3.0]) == [[[3], [3]], [-2, -2, -2]]


def test_reading_twice_adds_twice():
    assert grads(lambda x: x[[0, 0, 2]], [1.0, 2.0, 3.0]) == [[2, 0, 1]]
    assert grads(lambda x: x.index_select(0, norch.tensor([1, 1])), [1.0, 2.0]) == [[0, 2]]
    assert grads(lambda x: x.gather(0, norch.tensor([1, 1, 0])), [1.0, 2.0]) == [[1, 2]]


@pytest.mark.parametrize("name", ["sigmoid", "tanh", "softmax", "log_softmax", "relu", "erf"])
def test_nothing_overflows_at_200(name):
    args = (0,) if "softmax" in name else ()
    x = leaf([-200.0, 0.0, 200.0])
    y = getattr(x, name)(*args)
    y.sum().backward()
    assert all(map(math.isfinite, y.tolist() + x.grad.tolist()))


def test_cross_entropy_of_sure_logits_is_finite_and_passes_the_upstream_gradient():
    x = leaf([[0.0, 200.0]])
    loss = norch.cross_entropy(x, norch.tensor([0]))
    assert loss.item() == 200
    (2 * loss).backward()
    assert x.grad.tolist() == [[-2, 2]]


def test_cross_entropy_ignores_minus_100_by_default():
    x = leaf([[1.0, 2.0], [0.0, 0.0]])
    norch.cross_entropy(x, norch.tensor([-100, 1])).backward()
    assert x.grad.tolist() == [[0, 0], [0.5, -0.5]]
    with pytest.raises(IndexError):
        norch.cross_entropy(x, norch.tensor([2, 0]))


# edits in place


@pytest.mark.parametrize(
    "make",
    [lambda x: x * x, lambda x: x.exp(), lambda x: x @ x, lambda x: x.softmax(0), lambda x: x**3],
)
def test_editing_a_kept_tensor_raises_instead_of_lying(make):
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    y = x + 0
    z = make(y)
    (y if z.grad_fn.kept[0][0] is y else z).add_(1)
    with pytest.raises(
        RuntimeError, match=r"modified by an inplace operation.*\[2, 2\].*version 1"
    ):
        z.sum().backward()


def test_editing_through_a_view_raises_too():
    x = leaf([1.0, 2.0])
    y = x + 0
    z = y * y
    y[0] = 5
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_editing_what_the_derivative_does_not_need_is_fine():
    x, w = leaf([1.0, 2.0]), norch.tensor([3.0, 4.0])
    y = x + 0
    z = y * w  # keeps w, not y
    y.add_(1)
    z.sum().backward()
    assert x.grad.tolist() == [3, 4]


# the pass


def test_exception_in_backward_leaves_mode_and_grads_as_they_were():
    class Fails(norch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            raise ZeroDivisionError("on purpose")

    a, b, c = leaf([1.0]), leaf([2.0]), leaf([3.0])
    held = a.grad = c.grad = norch.tensor([7.0])
    failing = Fails.apply(a)
    y = b * c  # newer than the call that fails: b, c and y get theirs before it
    y.retain_grad()
    with pytest.raises(ZeroDivisionError):
        (failing + y + a).sum().backward()
    assert norch.is_grad_enabled()
    assert a.grad is held and c.grad is held and held.tolist() == [7]
    assert b.grad is None
    assert y.grad is None


def test_second_backward_raises_and_says_what_to_do():
    x = leaf([1.0, 2.0])
    y = (x * x).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="retain_graph=True"):
        y.backward()
    assert x.grad.tolist() == [2, 4]


def test_second_backward_with_retain_graph_accumulates():
    x = leaf([1.0, 2.0])
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.tolist() == [4, 8]


def test_200000_operations_deep():
    x = leaf(1.0)
    y = x
    for _ in range(200_000):
        y = y + 0
    y.backward()
    assert x.grad.item() == 1
    del y  # and its nodes go, one after the other


def test_300_equal_runs_give_equal_gradients():
    def once():
        norch.manual_seed(1)
        x = norch.randn(4, 4, requires_grad=True)
        y = x
        for k in range(5):
            y = (y @ x).tanh() + y * k
        y.sum().backward()
        return x.grad.tolist()

    first = once()
    assert all(once() == first for _ in range(300))


def test_nothing_waits_for_the_cycle_collector():
    gc.collect()
    gc.disable()
    try:
        watched = []
        for make in (
            lambda x: x.exp().sqrt().softmax(0).sum(),
            lambda x: norch.cat(x.split(1)).max(0).values,
            lambda x: norch.cross_entropy(x.unsqueeze(0), norch.tensor([0])),
            lambda x: x.clone().mul_(x)[0].add_(1),
        ):
            x = leaf([1.0, 2.0])
            y = make(x)
            watched += [weakref.ref(x), weakref.ref(y), weakref.ref(y.grad_fn)]
            y.backward(create_graph=False)
            del x, y
        assert [ref() for ref in watched] == [None] * len(watched)
    finally:
        gc.enable()


def test_a_users_function_leaves_no_cycle_either():
    class Double(norch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x * 2
            ctx.save_for_backward(x, y)
            return y

        @staticmethod
        def backward(ctx, grad):
            assert [t.tolist() for t in ctx.saved_tensors] == [[1], [2]]
            return grad * 2

    gc.disable()
    try:
        x = leaf([1.0])
        y = Double.apply(x)
        node = weakref.ref(y.grad_fn)
        y.sum().backward()
        del y
        assert node() is None
        assert x.grad.tolist() == [2]
    finally:
        gc.enable()


def test_memory_does_not_grow_with_steps():
    x = norch.randn(64, 64, requires_grad=True)

    def step():
        x.grad = None
        (x @ x).tanh().mean().backward()

    step()
    gc.disable()
    try:
        before = len(gc.get_objects())
        for _ in range(100):
            step()
        assert len(gc.get_objects()) - before < 20
    finally:
        gc.enable()


# modes


def test_modes_come_back_after_exceptions_in_blocks_and_functions():
    @norch.no_grad()
    def fails():
        assert not norch.is_grad_enabled()
        raise ValueError

    for _ in range(2):
        with pytest.raises(ValueError):
            fails()
        assert norch.is_grad_enabled()
    with pytest.raises(ValueError), norch.no_grad():
        raise ValueError
    assert norch.is_grad_enabled()


def test_enable_grad_as_a_decorator_enables():
    @norch.enable_grad()
    def inside():
        return norch.is_grad_enabled()

    with norch.no_grad():
        assert inside()
        assert not norch.is_grad_enabled()


def test_mode_belongs_to_its_thread():
    seen = []
    with norch.no_grad():
        thread = threading.Thread(target=lambda: seen.append(norch.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


# tensors


def test_whole_numbers_above_2_to_the_24_stay_exact():
    assert norch.tensor([2**24 + 1, 2**53 + 1]).tolist() == [2**24 + 1, 2**53 + 1]


@pytest.mark.parametrize("make", [norch.tensor, norch.Tensor, norch.as_tensor])
def test_ragged_lists_are_refused(make):
    with pytest.raises(ValueError):
        make([[1, 2], [3]])


def test_equality_is_elementwise_and_hash_is_identity():
    a, b = norch.tensor([1, 2]), norch.tensor([1, 3])
    assert (a == b).tolist() == [True, False]
    assert (a != b).tolist() == [False, True]
    assert {a: "a", b: "b"}[a] == "a"
    assert a in {a, b}


def test_truth_of_zero_is_false_and_of_many_is_refused():
    assert not norch.tensor([0.0])
    with pytest.raises(RuntimeError, match="ambiguous"):
        bool(norch.tensor([1, 2]))


def test_indices_out_of_range_raise_instead_of_reading_elsewhere():
    x = norch.zeros(2, 2)
    for key in [(1000, 1000), 2, -3, [2], norch.tensor([-3])]:
        with pytest.raises(IndexError, match="out of bounds"):
            x[key]
    assert x[-1, -1].item() == 0


def test_a_device_that_is_not_there_raises():
    import norch_cuda

    if norch_cuda.is_available():
        pytest.skip("this machine has a GPU")
    with pytest.raises(RuntimeError, match="cuda-sim"):
        norch.ones(2).to("cuda")
    with pytest.raises(RuntimeError, match="cuda-sim"):
        norch.ones(2).cuda()


def test_numpy_shares_memory_both_ways():
    a = np.zeros((2, 3), np.float32)
    x = norch.from_numpy(a.T)
    a[1, 0] = 5
    assert x.tolist() == [[0, 5], [0, 0], [0, 0]]
    x.numpy()[2, 0] = 7
    assert a[0, 2] == 7
