"""Looking at the record and the walk: anomaly mode, the profile, the drawing, hooks on what nodes
keep, checkpoints.
"""

import math
import re
from contextlib import contextmanager

import pytest

import norch_autograd as norch
from norch_autograd.autograd import (
    Function,
    detect_anomaly,
    grad,
    saved_tensors_hooks,
    set_detect_anomaly,
)
from norch_autograd.autograd.checkpoint import checkpoint, checkpoint_sequential, repeat_inside

# ---- Anomaly mode --------------------------------------------------------------------------------


def rooted(x):
    return (x * 0).sqrt() * 0  # this line makes the NaN


def test_nan_under_anomaly_mode_names_the_function_and_the_forward_line():
    x = norch.tensor([4.0], requires_grad=True)
    x.grad = norch.tensor([7.0])
    with detect_anomaly(), pytest.raises(RuntimeError) as caught:
        rooted(x).backward()
    message = str(caught.value)
    assert "Function 'SqrtBackward0' returned nan values in its 0th output" in message
    assert "(x * 0).sqrt() * 0  # this line makes the NaN" in message.splitlines()[-1]
    assert "norch_autograd" not in re.sub("tests.*", "", message.split("forward call:")[1])
    assert (x.grad.tolist(), norch.is_grad_enabled()) == ([7.0], True)


def test_an_error_under_anomaly_mode_names_the_forward_line():
    class Broken(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            raise ZeroDivisionError("broken")

    x = norch.ones(1, requires_grad=True)
    with detect_anomaly(), pytest.raises(ZeroDivisionError, match="broken") as caught:
        Broken.apply(x).backward()
    assert "Error detected in BrokenBackward" in caught.value.__notes__[0]
    assert "Broken.apply(x).backward()" in caught.value.__notes__[0]


def test_a_forward_before_anomaly_mode_is_named_without_a_line():
    y = rooted(norch.tensor([4.0], requires_grad=True))
    with detect_anomaly(), pytest.raises(RuntimeError, match="before anomaly mode was on"):
        y.backward()


def test_anomaly_mode_can_leave_nan_alone_and_ends_with_its_block():
    x = norch.tensor([4.0], requires_grad=True)
    with detect_anomaly(check_nan=False):
        assert (norch.is_anomaly_enabled(), norch.is_anomaly_check_nan_enabled()) == (True, False)
        rooted(x).backward()
    assert math.isnan(x.grad.item())
    assert not norch.is_anomaly_enabled()
    with detect_anomaly():
        with set_detect_anomaly(False):
            assert not norch.is_anomaly_enabled()
        assert norch.is_anomaly_check_nan_enabled()
    set_detect_anomaly(True)
    assert norch.is_anomaly_enabled()
    set_detect_anomaly(False)
    assert not norch.is_anomaly_enabled()
    rooted(x).backward()  # silent again


def test_anomaly_mode_sees_several_outputs_and_infinite_is_not_nan():
    x = norch.tensor([4.0, 1.0], requires_grad=True)
    with detect_anomaly():
        a, b = x.split(1)
        (a * b).log().backward()
    assert x.grad.tolist() == [0.25, 1.0]
    with detect_anomaly():
        (x - x).sqrt().sum().backward()
    assert x.grad.isnan().all()  # inf - inf, added up on the way to the leaf: no node's answer


# ---- The profile ---------------------------------------------------------------------------------


# ---- The drawing ---------------------------------------------------------------------------------


# ---- What nodes keep -----------------------------------------------------------------------------


def test_saved_tensors_hooks_see_what_is_kept_and_bring_it_back():
    packed = []

    def pack(tensor):
        packed.append(tensor.tolist())
        return tensor.numpy().copy() if not tensor.requires_grad else tensor.detach().numpy().copy()

    x = norch.tensor([1.0, 2.0], requires_grad=True)
    with saved_tensors_hooks(pack, norch.from_numpy):
        hidden = x * 3
        y = (hidden.exp() * hidden).sum()
    assert packed == [[pytest.approx(v) for v in row] for row in packed]
    assert [3.0, 6.0] in packed and len(packed) == 3
    (first,) = grad(y, x, create_graph=True)
    (expected,) = grad((x * 3).exp().mul(x * 3).sum(), x, create_graph=True)
    assert first.tolist() == pytest.approx(expected.tolist())
    assert grad(first.sum(), x)[0].tolist() == pytest.approx(grad(expected.sum(), x)[0].tolist())


def test_hooks_on_what_is_kept_reach_fused_operations():
    x = norch.tensor([[1.0, 2.0, 4.0]], requires_grad=True)
    with saved_tensors_hooks(lambda t: t.tolist(), norch.tensor):
        y = norch.layer_norm(x * 1, 3)
        loss = norch.cross_entropy(y * 1, norch.tensor([1]))
    loss.backward()
    again = x.detach().requires_grad_()
    norch.cross_entropy(norch.layer_norm(again, 3), norch.tensor([1])).backward()
    assert x.grad.reshape(-1).tolist() == pytest.approx(again.grad.reshape(-1).tolist(), abs=1e-6)


# ---- Checkpoints ---------------------------------------------------------------------------------


def test_checkpoint_reaches_what_the_function_closes_over():
    w, x = norch.tensor([2.0], requires_grad=True), norch.tensor([3.0])
    out = checkpoint(lambda x: (x * w).exp().sin(), x)
    (dw,) = grad(out, w)
    (expected,) = grad((x * w).exp().sin(), w)
    assert dw.tolist() == expected.tolist()
    assert w.grad is None


def test_checkpoint_keeps_nothing_and_runs_the_function_twice():
    calls = []

    def function(x):
        calls.append(1)
        return (x * 1).exp().exp()

    x = norch.tensor([0.5], requires_grad=True)
    y = checkpoint(function, x)
    assert len(calls) == 1
    y.backward()
    assert len(calls) == 2
    again = x.detach().requires_grad_()
    function(again).backward()
    assert x.grad.tolist() == again.grad.tolist()


def test_checkpoint_frees_the_memory_in_between():
    import norch_cpu_ops

    def held(call):
        x = norch.ones(1 << 16, requires_grad=True)
        before = norch_cpu_ops.memory_stats()["allocated_bytes"]
        y = call(lambda x: x.exp().sin().exp().sum(), x)
        after = norch_cpu_ops.memory_stats()["allocated_bytes"]
        y.backward()
        return (after - before) >> 18  # in arrays of x's size

    assert (held(lambda f, x: f(x)), held(checkpoint)) == (2, 0)


@pytest.mark.parametrize("preserve", [True, False])
def test_checkpoint_draws_the_same_random_numbers_again(preserve):
    def noisy(x):
        return x * norch.rand(1000) * x

    x = norch.ones(1000, requires_grad=True)
    norch.manual_seed(1)
    y = checkpoint(noisy, x, preserve_rng_state=preserve)
    after = norch.get_rng_state()
    (dx,) = grad(y.sum(), x)
    assert (dx.tolist() == (2 * y).tolist()) is preserve
    assert norch.get_rng_state() == after


def test_checkpoint_of_several_inputs_and_keywords_has_a_second_derivative():
    def block(a, b, *, scale):
        return (a * b).sin() * scale, a.exp()

    a, b = (norch.tensor([v], requires_grad=True) for v in (0.3, 0.7))
    results = []
    for call in (block, lambda *args, **kw: checkpoint(block, *args, **kw)):
        one, two = call(a * 2, b, scale=3)
        (first,) = grad((one * two).sum(), a, create_graph=True)
        results.append((first.item(), *(g.item() for g in grad(first, (a, b)))))
    assert results[0] == pytest.approx(results[1])


def test_checkpoint_of_a_function_that_changes_its_mind():
    turns = iter([1, 2])

    def fickle(x):
        return (x * 1).exp() if next(turns) == 1 else norch.cat([x * 1, x * 1]).exp()

    y = checkpoint(fickle, norch.ones(2, requires_grad=True))
    with pytest.raises(RuntimeError, match=r"\[checkpoint\] value 0 .* must do the same each time"):
        y.sum().backward()


def test_a_checkpointed_function_is_repeated_inside_what_was_around_it():
    """As a module whose parameters are whole only while it runs asks for."""
    shown, seen = [1.0], []

    @contextmanager
    def showing(value):
        before, shown[0] = shown[0], value
        try:
            yield
        finally:
            shown[0] = before

    def function(x):
        seen.append(shown[0])
        return (x * shown[0]).exp().sin()

    x = norch.ones(1, requires_grad=True)
    with showing(2.0), repeat_inside(lambda: showing(2.0)):
        y = checkpoint(function, x)
    y.backward()
    checkpoint(function, x).backward()
    assert (seen, shown) == ([2.0, 2.0, 1.0, 1.0], [1.0])


def test_checkpoint_without_recording_just_calls():
    with norch.no_grad():
        y = checkpoint(norch.exp, norch.ones(1, requires_grad=True))
    assert not y.requires_grad


def test_checkpoint_sequential_is_the_chain():
    steps = [norch.exp, norch.sin, norch.tanh, norch.cos, norch.exp]
    grads = []
    for segments in (1, 2, 3, 5):
        x = norch.tensor([0.4], requires_grad=True)
        checkpoint_sequential(steps, segments, x).backward()
        grads.append(x.grad.item())
    assert grads == pytest.approx([grads[0]] * 4)
    with pytest.raises(ValueError, match="6 segments for 5 functions"):
        checkpoint_sequential(steps, 6, x)
