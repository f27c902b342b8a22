"""A leaf's first gradient is a copy, unless the C++ core can tell that nobody else can reach it:
then it is taken over as it is. Whoever holds a gradient, however it is held, never sees it change.
"""

import functools
import json
import os
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import norch_autograd as norch
from norch_autograd.types.core import is_core_used


class Give(norch.autograd.Function):
    """Passes its input on; backward answers with what the test put in `answer`."""

    @staticmethod
    def forward(ctx, x, answer):
        ctx.answer = answer
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        return ctx.answer(grad), None


def gradient_of(answer):
    x = norch.ones(2, 3, requires_grad=True)
    Give.apply(x, answer).backward(norch.ones(2, 3))
    return x.grad


def address_of_fresh(prepare, on="cpu"):
    """Where a gradient that is made in the pass lies, as it is made and as it ends in `.grad`."""
    seen = []

    def fresh(grad):
        new = grad * 5
        seen.append(new.data_ptr())
        return new

    x = norch.ones(2, 3, device=on, requires_grad=True)
    prepare(x)
    Give.apply(x, fresh).backward(norch.ones(2, 3, device=on))
    assert x.grad.tolist() == [[5.0] * 3] * 2
    return seen[0], x.grad.data_ptr()


def test_the_core_takes_a_fresh_gradient_over_and_the_text_copies_it():
    made, written = address_of_fresh(lambda x: None)
    assert (made == written) == is_core_used()


def test_a_device_takes_over_and_copies_alike(device):
    made, written = address_of_fresh(lambda x: None, device)
    assert (made == written) == is_core_used()
    kept = norch.full((2, 3), 5.0, device=device)
    for answer in (
        lambda grad: kept,
        lambda grad: kept.detach(),
        lambda grad: kept.view(6).view(2, 3),
        lambda grad: norch.full((2, 6), 5.0, device=device)[:, :3],
    ):
        x = norch.ones(2, 3, device=device, requires_grad=True)
        Give.apply(x, answer).backward(norch.ones(2, 3, device=device))
        assert x.grad.tolist() == [[5.0] * 3] * 2 and x.grad.is_contiguous()
        x.grad.zero_()
        assert kept.tolist() == [[5.0] * 3] * 2


def test_hooks_after_the_writing_leave_it_taken_over():
    told = []
    made, written = address_of_fresh(
        lambda x: x.register_post_accumulate_grad_hook(lambda leaf: told.append(leaf.grad.tolist()))
    )
    assert (made == written) == is_core_used() and told == [[[5.0] * 3] * 2]


def test_a_hook_that_sees_the_gradient_gets_one_that_is_copied():
    made, written = address_of_fresh(lambda x: x.register_hook(lambda grad: None))
    assert made != written


def test_a_hook_after_the_writing_that_fails_takes_the_gradient_back():
    x = norch.ones(2, requires_grad=True)
    x.register_post_accumulate_grad_hook(lambda leaf: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        (x * 2).sum().backward()
    assert x.grad is None


def test_a_gradient_that_is_held_weakly_is_gone_or_as_it_was():
    kept, weak = [], []

    def see(grad):
        weak.append(weakref.ref(grad))
        kept.extend([grad] * (len(weak) == 2))

    x = norch.ones(2, requires_grad=True)
    x.register_hook(see)
    for _ in range(3):
        (x * 2).sum().backward()
    first, second, third = (one() for one in weak)
    assert second is kept[0] and second.tolist() == [2.0, 2.0]
    assert first is None and third is None and x.grad.tolist() == [6.0, 6.0]


def test_the_gradient_of_a_result_is_a_new_one_in_each_pass():
    x = norch.ones(2, requires_grad=True)
    y = x * 2
    y.retain_grad()
    y.sum().backward(retain_graph=True)
    first = y.grad
    y.sum().backward()
    assert (first.tolist(), y.grad.tolist()) == ([1.0, 1.0], [2.0, 2.0])


def test_held_gradients_never_change_once_a_loop_is_compiled():
    """Python's JIT compiler translates a loop after some thousand rounds."""
    kept = []
    x = norch.ones(2, requires_grad=True)
    x.register_hook(lambda grad: kept.append(grad))
    for _ in range(6000):
        (x * 2).sum().backward()
    assert x.grad.tolist() == [12000.0] * 2
    assert all(grad.tolist() == [2.0] * 2 for grad in kept)


held = norch.full((2, 3), 5.0)


@pytest.mark.parametrize(
    "answer",
    [
        lambda grad: held,
        lambda grad: held.detach(),
        lambda grad: held.view(6).view(2, 3),
        lambda grad: norch.as_tensor(held.numpy()),
        lambda grad: held[:1].expand(2, 3),
    ],
    ids=["kept elsewhere", "detached", "a view", "numpy's", "expanded"],
)
def test_what_somebody_else_can_reach_is_copied(answer):
    grad = gradient_of(answer)
    assert grad.tolist() == held.tolist()
    grad.zero_()
    assert held.tolist() == [[5.0] * 3] * 2


def hold_in_list(grad):
    held = [grad]
    return lambda: held[0]


def hold_in_closure(grad):
    return lambda: grad


def hold_its_array(grad):
    held = grad.array
    return lambda: norch.as_tensor(np.asarray(held))


def hold_in_generator(grad):
    def wait():
        held = grad
        yield None
        yield held

    waiting = wait()
    next(waiting)
    return functools.partial(next, waiting)


def hold_in_exception(grad):
    try:
        raise ValueError
    except ValueError as error:
        caught = error
    return lambda: caught.__traceback__.tb_frame.f_locals["grad"]


def hold_in_frame(grad):
    frame = sys._getframe()  # as a debugger does
    return lambda: frame.f_locals["grad"]


def hold_in_thread(grad):
    asked, answers = threading.Event(), []

    def wait(held):
        asked.wait()
        answers.append(held)

    thread = threading.Thread(target=wait, args=(grad,), daemon=True)
    thread.start()

    def ask():
        asked.set()
        thread.join()
        return answers[0]

    return ask


def hold_in_c(grad):
    held = iter((grad,))
    return lambda: next(held)


def hold_a_view(grad):
    held = grad.detach().view(2, 3)
    return lambda: held


def hold_in_numpy(grad):
    held = grad.numpy()
    return lambda: norch.as_tensor(held)


def hold_through_dlpack(grad):
    held = np.from_dlpack(grad.detach())
    return lambda: norch.tensor(held.tolist())


HOLDERS = [
    hold_in_list, hold_in_closure, hold_its_array, hold_in_generator,
    hold_in_exception, hold_in_frame, hold_in_thread, hold_in_c, hold_a_view, hold_in_numpy,
    hold_through_dlpack,
]  # fmt: skip


def show_leaf(x, see):
    x.register_hook(see)
    return (x * 2 + x).sum()


def show_result(x, see):
    y = x * 2
    y.register_hook(see)
    return (y + 1).sum()


def show_retained(x, see):
    y = x * 2
    y.retain_grad()
    x.register_hook(lambda grad: see(y.grad))
    return (y * x).sum()


def show_inputs_of_a_node(x, see):
    y = x * 2 + 1
    y.grad_fn.register_hook(lambda grads, outputs: see(grads[0]))
    return y.sum()


def show_outputs_of_a_node(x, see):
    y = x + 1
    y.grad_fn.register_prehook(lambda outputs: see(outputs[0]))
    return y.sum()


def show_what_a_function_gets(x, see):
    return Give.apply(x, lambda grad: (see(grad), grad)[1]).sum()


def show_what_a_function_gives(x, see):
    def answer(grad):
        new = grad * 3
        see(new)
        return new

    return Give.apply(x, answer).sum()


def show_what_a_hook_gives(x, see):
    def answer(grad):
        new = grad * 3
        see(new)
        return new

    x.register_hook(answer)
    return x.sum()


PLACES = [
    show_leaf, show_result, show_retained, show_inputs_of_a_node, show_outputs_of_a_node,
    show_what_a_function_gets, show_what_a_function_gives, show_what_a_hook_gives,
]  # fmt: skip


def three_passes(show, hold):
    """Return what was held in each pass, as it was then and how to read it; what was written."""
    seen, written = [], []

    def see(grad):
        seen.append((grad.tolist(), hold(grad)))

    x = norch.ones(2, 3, requires_grad=True)
    total = show(x, see)
    for _ in range(3):
        total.backward(retain_graph=True)
        written.append(x.grad.tolist())
        with norch.no_grad():
            x.grad.add_(7).mul_(3)
    return seen, written


@pytest.mark.parametrize("hold", HOLDERS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("show", PLACES, ids=lambda f: f.__name__)
def test_a_gradient_that_somebody_holds_never_changes(show, hold):
    seen, _ = three_passes(show, hold)
    assert len(seen) == 3
    assert all(read().tolist() == before for before, read in seen)


def everything_written():
    return [three_passes(show, hold)[1] for show in PLACES for hold in HOLDERS]


def python(*words, **variables):
    """Return what another Python says, with more variables in its environment."""
    environment = {**os.environ, **variables}
    return subprocess.check_output([sys.executable, *words], env=environment, text=True)


def test_gradients_are_those_of_a_run_in_which_nothing_is_reused():
    """The text copies every first gradient: NORCH_CORE=0."""
    text = "import json, runpy, sys; names = runpy.run_path(sys.argv[1])\n"
    text += "print(json.dumps(names['everything_written']()))"
    assert json.loads(python("-c", text, __file__, NORCH_CORE="0")) == everything_written()


jit = getattr(sys, "_jit", None)


@pytest.mark.skipif(not jit or not jit.is_available(), reason="this Python has no JIT compiler")
@pytest.mark.skipif(bool(jit and jit.is_enabled()), reason="all of this file runs under it")
@pytest.mark.parametrize("core", ["0", "1"])
def test_all_of_this_holds_under_the_jit(core):
    words = ("-m", "pytest", "-q", "-p", "no:cacheprovider", __file__)
    assert " passed" in python(*words, PYTHON_JIT="1", NORCH_CORE=core)


def test_the_gradient_that_was_passed_in_is_copied():
    x, start = norch.ones(2, requires_grad=True), norch.ones(2)
    x.backward(start)
    x.grad.zero_()
    (x + 0).backward(start)
    x.grad.zero_()
    assert start.tolist() == [1.0, 1.0]


def test_two_leaves_never_share_a_gradient():
    a, b = norch.ones(2, requires_grad=True), norch.ones(2, requires_grad=True)
    (a + b).sum().backward()
    assert a.grad.data_ptr() != b.grad.data_ptr()
    a.grad.zero_()
    assert b.grad.tolist() == [1.0, 1.0]


def test_a_gradient_lies_row_by_row_in_memory_of_its_own_size():
    for answer in (lambda g: g.t().contiguous().t() * 1, lambda g: (g.repeat(2, 1) * 1)[:2]):
        assert gradient_of(answer).is_contiguous()


def test_a_node_that_keeps_its_result_is_not_robbed():
    """exp of a gradient's graph: with create_graph the gradient is part of a record."""
    x = norch.ones(2, requires_grad=True)
    x.exp().sum().backward(create_graph=True)
    grad = x.grad
    norch.autograd.grad(grad.sum(), x)
    with norch.no_grad():
        grad.zero_()
    assert x.exp().tolist() == pytest.approx([2.7182817] * 2)
