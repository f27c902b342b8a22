"""What the C++ core holds, it lets go of: on every way out, the failing ones too. In either form:
threads, passes within passes, deep graphs, weak references, copies and subclasses.
"""

import contextlib
import copy
import gc
import pickle
import subprocess
import sys
import textwrap
import threading
import tracemalloc
import weakref

import pytest

import norch_autograd as norch
from norch_autograd.engine.accumulate import AccumulateGrad
from norch_autograd.engine.engine import run
from norch_autograd.graph.broadcast import binary, binary_with_number
from norch_autograd.graph.hooks import Watcher, watchers
from norch_autograd.graph.node import Node, attach_node
from norch_autograd.graph.record import keep, record, unary
from norch_autograd.graph.tensor_base import plain, wrap
from norch_autograd.graph.views import edge_of
from norch_autograd.ops.elementwise.arithmetic import Add, Mul
from norch_autograd.types.core import core_status, is_core_used
from norch_autograd.types.modes import mode
from norch_cpu_ops import _cpu


class Broken(Node):
    """Fails, or answers nonsense."""

    def backward(self, grad):
        return self.context(grad)

    kernel = backward


class Hostile:
    """An array whose every answer is an error."""

    def __getattr__(self, name):
        raise ArithmeticError(name)


class FailingWatcher(Watcher):
    """Fails when it is told of a node."""

    def on_record(self, node):
        raise ArithmeticError("watched")


def fail(*_):
    """A hook that fails."""
    raise ArithmeticError("a hook")


def leaf():
    """A small leaf."""
    return norch.ones(2, 2, requires_grad=True)


def hostile():
    """A tensor around a hostile array."""
    return wrap(Hostile(), True, None)


def broken(answer):
    """The end of a graph of which one node's kernel is `answer`."""
    x = leaf()
    y = x * x
    kept = keep((y, y.array), y.array)
    return attach_node(Broken, y.array, (y.grad_fn, x), kept, answer)


def hooked(register):
    """A pass through a graph with a failing hook on its leaf or on its last node."""
    x = leaf()
    y = (x * x).exp()
    register(x, y)
    y.backward(norch.ones(2, 2))


def while_watched():
    """An operation recorded while a watcher fails."""
    x = leaf()
    watchers.append(FailingWatcher())
    try:
        x + x
    finally:
        watchers.pop()


def edited():
    """A pass through a node whose kept value was edited."""
    x = leaf()
    y = x.exp()
    z = y * y
    with norch.no_grad():
        y.add_(1)
    z.sum().backward()


def of_wrong_shape():
    """A gradient that does not fit its leaf."""
    x = leaf()
    attach_node(Broken, x.array, (x,), (), lambda g: [norch.ones(3).array]).sum().backward()


def of_wrong_kind(part):
    """A gradient that cannot be added."""
    broken(lambda g: (part, part)).sum().backward()


FAILURES = {
    "a kernel raises": lambda: broken(fail).sum().backward(),
    "a kernel returns a number": lambda: broken(lambda g: 3).sum().backward(),
    "a kernel returns strings": lambda: of_wrong_kind("no"),
    "a kernel is a failing map": lambda: broken(lambda g: map(fail, "a")).sum().backward(),
    "the gradient has another shape": of_wrong_shape,
    "a hook of a leaf": lambda: hooked(lambda x, y: x.register_hook(fail)),
    "a hook of a node": lambda: hooked(lambda x, y: y.register_hook(fail)),
    "a hook before": lambda: hooked(lambda x, y: y.grad_fn.register_prehook(fail)),
    "a hook after": lambda: hooked(lambda x, y: y.grad_fn.register_hook(fail)),
    "a hook at the end": lambda: hooked(lambda x, y: x.register_post_accumulate_grad_hook(fail)),
    "a watcher": while_watched,
    "an edited value": edited,
    "unary without arguments": lambda: unary(),
    "unary of too many": lambda: unary(Add, 1, 2, 3, 4, 5, 6),
    "unary of a number": lambda: unary(Add, leaf().array, 3),
    "unary of an unknown name": lambda: unary(Add, leaf().array, leaf(), other=1),
    "unary given one twice": lambda: unary(Add, leaf().array, leaf(), input=leaf()),
    "unary of no class": lambda: unary(3, leaf().array, leaf()),
    "unary saves a hostile array": lambda: unary(Add, leaf().array, leaf(), (leaf(), hostile())),
    "record of a list of numbers": lambda: record(Add, leaf().array, (leaf(), 3)),
    "record saves a number": lambda: record(Add, leaf().array, (leaf(),), 3),
    "record of hostile tensors": lambda: record(Add, leaf().array, (leaf(),), (hostile(),)),
    "binary of hostile tensors": lambda: binary(Add, leaf().array, leaf(), hostile()),
    "binary of hostile first": lambda: binary(Mul, leaf().array, hostile(), leaf()),
    "binary of None": lambda: binary(Add, leaf().array, leaf(), None),
    "binary_with_number of None": lambda: binary_with_number(Add, leaf().array, None),
    "recorded without edges": lambda: attach_node(Add, leaf().array),
    "keep of one": lambda: keep((leaf(),)),
    "keep of a number": lambda: keep(3, None),
    "keep of a hostile array": lambda: keep((leaf(), leaf(), hostile()), None),
    "edge_of a number": lambda: edge_of(3),
    "edge_of two": lambda: edge_of(leaf(), leaf()),
    "wrap of one": lambda: wrap(leaf().array),
    "plain of none": lambda: plain(),
    "a node of nothing": lambda: Add(),
    "needs a string": lambda: (leaf() + 1).grad_fn.needs("a"),
    "needs too many": lambda: (leaf() + 1).grad_fn.needs(9),
    "saved too many": lambda: (leaf() * 2).grad_fn.saved(9),
    "saved of nothing": lambda: (leaf() + 2).grad_fn.saved_array(0),
    "run of nothing": lambda: run(),
    "run of numbers": lambda: run([1], [leaf()], AccumulateGrad(), False, False),
    "run of more roots than grads": lambda: run([leaf(), leaf()], [leaf()], fail, False, False),
    "run into what fails": lambda: run([leaf()], [leaf()], fail, False, False),
    "run of hostile grads": lambda: run([leaf()] * 2, [hostile()] * 2, AccumulateGrad(), 0, False),
    "no such setting": lambda: mode.no_such_setting,
}


@pytest.fixture(autouse=True, scope="module")
def only_what_is_made_here():
    """Collecting and counting leave out all that is older: they are done often."""
    gc.collect()
    gc.freeze()


def held():
    """What lives: tensors and nodes, and the bytes of arrays."""
    gc.collect()
    kinds = (norch.Tensor, Node)
    count = sum(isinstance(found, kinds) for found in gc.get_objects())
    return count, _cpu.memory_stats()["allocated_bytes"]


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_leaves_nothing_behind(name):
    """What it holds is counted, and its bytes: 400 failures must not grow by a byte each."""
    action = FAILURES[name]

    def failing(times):
        for _ in range(times):
            try:
                action()
            except Exception:  # any: each failure has words of its own, tested elsewhere
                continue
            raise AssertionError(f"{name}: nothing was raised")

    failing(20)
    before = held()
    tracemalloc.start()
    failing(400)  # Python's own lists of free objects are filled
    gc.collect()
    start = tracemalloc.get_traced_memory()[0]
    failing(400)
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - start
    tracemalloc.stop()
    assert held() == before
    assert grown < 4000, f"{grown} bytes in 400 failures"
    assert mode.enabled and not mode.on_arrays and mode.autocast is None


NO_MEMORY = """
    import gc
    import _testcapi
    import norch_autograd as norch
    from norch_autograd.engine.accumulate import AccumulateGrad
    from norch_autograd.engine.engine import run
    from norch_autograd.graph.broadcast import binary, binary_with_number
    from norch_autograd.graph.node import Node, attach_node
    from norch_autograd.graph.record import keep, record, unary
    from norch_autograd.ops.elementwise.arithmetic import Add
    from norch_cpu_ops import _cpu

    class Sent(Node):
        def backward(self, grad):
            return self.context

        kernel = backward

    x, y = norch.ones(2, 2, requires_grad=True), norch.ones(2, 2, requires_grad=True)
    a, results, accumulator = y.array, [], AccumulateGrad()
    parts = (norch.ones(2, 2).array, norch.zeros(2, 2).array)
    inner = attach_node(Sent, a, (x, x), (), parts).node
    root = attach_node(Sent, a, (inner, y), [None], parts).node
    roots, grads = [root, x], [norch.ones(2, 2), norch.ones(2, 2)]
    kept = keep((y, a, x), a)

    calls = {
        "unary": lambda: unary(Add, a, x, (x, a), 1),
        "record": lambda: record(Add, a, (x, None, y), (x, a, 3)),
        "binary": lambda: binary(Add, a, x, y, (x, None)),
        "binary_with_number": lambda: binary_with_number(Add, a, x, saved=(None, 3)),
        "attach_node": lambda: attach_node(Add, a, (x,), context=3),
        "keep": lambda: keep((x, a, y, 3), a),
        "a node": lambda: Add((x, y), kept, None),
        "saved": lambda: Add((x, y), kept, None).saved(1),
        "run": lambda: run(roots, grads, accumulator, True, False),
    }

    def held():
        x._grad = y._grad = None
        accumulator._before.clear()
        gc.collect()
        found = sum(isinstance(o, (norch.Tensor, Node)) for o in gc.get_objects())
        return found, _cpu.memory_stats()["allocated_bytes"]

    for name, call in calls.items():
        call()
        before, failures, n = held(), 0, 0
        while True:
            try:
                _testcapi.set_nomemory(n, n + 1)
                call()
                _testcapi.remove_mem_hooks()
                break
            except MemoryError:
                _testcapi.remove_mem_hooks()
                failures += 1
            n += 1
        assert held() == before, (name, held(), before)
        assert norch.is_grad_enabled(), name
        print(name, failures)
"""


def test_no_allocation_may_fail_badly():
    """Each allocation of a call in turn finds no memory: a MemoryError, and nothing is held."""
    pytest.importorskip("_testcapi")
    if not is_core_used():
        pytest.skip(core_status())
    program = textwrap.dedent(NO_MEMORY)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(done.stdout.splitlines()) == 9
    assert " 0" not in done.stdout


def test_success_leaves_nothing_behind():
    def work():
        x = norch.ones(2, 2, requires_grad=True)
        y = ((x * x).exp() + x[0]) @ x
        y.register_hook(lambda grad: grad * 2)
        (y * 2).sum().backward(retain_graph=True)
        (y * 2).sum().backward()

    work()
    before = held()
    for _ in range(50):
        work()
    assert held() == before


# ---- Threads, and passes within passes -----------------------------------------------------------


def in_threads(work, count=4):
    """Run `work(k)` in threads at once; what they returned."""
    found, start = [None] * count, threading.Barrier(count)

    def one(k):
        start.wait()
        found[k] = work(k)

    threads = [threading.Thread(target=one, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_threads_walk_graphs_over_the_same_leaves():
    """Large enough that kernels let go of the GIL in the middle of a pass."""
    weight = norch.ones(200, 200, requires_grad=True)

    def work(k):
        found = []
        for _ in range(5):
            y = weight * (k + 1)
            for _ in range(10):
                y = y * 1.0
            (grad,) = norch.grad((y + weight).sum(), [weight])
            found.append(grad[0, 0].item())
        return found

    assert in_threads(work) == [[k + 2.0] * 5 for k in range(4)]


def test_each_thread_has_its_own_mode():
    def work(k):
        with norch.no_grad() if k % 2 else norch.enable_grad():
            x = norch.ones(300, 300, requires_grad=True)
            found = {(x * x).requires_grad for _ in range(30)}
        return found, norch.is_grad_enabled()

    assert in_threads(work) == [({True}, True), ({False}, True)] * 2


def test_what_a_thread_was_doing_goes_when_it_ends():
    class Kept:
        """To be seen going."""

    seen = []

    def work(_):
        settings = Kept()
        seen.append(weakref.ref(settings))
        mode.autocast = settings

    in_threads(work)
    gc.collect()
    assert len(seen) == 4
    assert [one() for one in seen] == [None] * 4
    assert mode.autocast is None


def test_a_pass_inside_a_pass():
    """A hook that walks another graph, through the same leaf and through its own nodes."""
    x = norch.tensor([2.0], requires_grad=True)
    inner = []

    def hook(grad):
        with norch.enable_grad():
            (found,) = norch.grad((x * x * x).sum(), [x])
            y = x * 5
            y.sum().backward()
        inner.append(found.item())
        return grad

    y = x * x
    z = y * y
    y.register_hook(hook)
    z.register_hook(hook)
    z.sum().backward()
    assert inner == [12.0, 12.0]
    assert x.grad.item() == 4 * 8 + 5 + 5


def test_a_kernel_that_walks_its_own_graph_again():
    """The nodes of the running pass are part of the inner one."""
    x = norch.tensor([3.0], requires_grad=True)
    y = x * x
    total, found = y.sum(), []

    def inner(grad):
        if not found:
            found.append(0)
            (again,) = norch.grad(total, [x], retain_graph=True)
            found[0] = again.item()
        return (grad, None)

    attach_node(Broken, y.array, (y.grad_fn, None), (), inner).sum().backward()
    assert found == [6.0]
    assert x.grad.item() == 6.0


# ---- Python that runs in the middle --------------------------------------------------------------


class Truth:
    """Its truth is whatever `ask` does and answers."""

    def __init__(self, ask):
        self.ask = ask

    def __bool__(self):
        return self.ask()


def test_the_lists_of_a_pass_may_be_emptied_by_what_is_asked():
    """`retain_graph` runs Python: the core asks it before it reads the lists, the text after."""
    x, grads = leaf(), [norch.ones(2, 2)] * 100
    y = x * x
    truth = Truth(lambda: grads.clear() or True)
    norch.autograd.backward([y] * 100, grads, truth)  # has lists of its own
    assert not grads and x.grad.tolist() == [[200, 200], [200, 200]]
    grads += [norch.ones(2, 2)] * 100
    with contextlib.suppress(ValueError):  # the core: one list is shorter than the other
        run([y.node] * 100, grads, AccumulateGrad(), truth, False)
    assert not grads and mode.enabled


def test_backward_leaves_the_list_of_gradients_as_it_was():
    given = [None]
    norch.autograd.backward([leaf().sum()], given)
    assert given == [None]


class Asked:
    """An array that does something when it is asked for its version or compared."""

    def __init__(self, act):
        self.act = act

    @property
    def version(self):
        self.act()
        return 0

    def alike(self, other):
        self.act()
        return True


def test_a_kept_array_may_be_replaced_while_it_is_asked():
    x = leaf()
    good = x.array
    x.array = Asked(lambda: setattr(x, "array", good))
    alive = weakref.ref(x.array)
    kept = keep((x,), None)
    assert alive() is kept[0][1]


@pytest.mark.parametrize("name", ["base", "node", "_requires_grad"])
def test_an_operand_may_lose_a_field_while_the_other_is_asked(name):
    x, other = leaf(), leaf()
    array, x.array = x.array, Asked(lambda: delattr(other, name))
    with pytest.raises(AttributeError, match=name):
        binary(Add, array, x, other)


@pytest.mark.parametrize("name", ["enabled", "on_arrays", "composite"])
def test_a_setting_whose_truth_fails(name):
    x = leaf()
    y = x * x
    found = getattr(mode, name)
    setattr(mode, name, Truth(fail))
    try:
        with pytest.raises(ArithmeticError, match="a hook"):
            {"enabled": lambda: x * x, "on_arrays": lambda: y.node.saved(0)}.get(
                name, y.sum().backward
            )()
    finally:
        mode.enabled = True
        setattr(mode, name, found)


def test_a_kept_version_may_be_any_number():
    x = leaf()
    node = (x * x).node
    node.kept = [(x, x.array, 1 << 80)]
    for read in (node.saved, node.saved_array):
        with pytest.raises(RuntimeError, match="modified by an inplace"):
            read(0)


@pytest.mark.parametrize("answer", [None, 3])
def test_a_kernel_that_answers_no_parts(answer):
    with pytest.raises(TypeError, match="object is not iterable"):
        broken(lambda grad: answer).sum().backward()


# ---- Objects -------------------------------------------------------------------------------------


def test_a_deep_graph_is_freed():
    x = norch.ones(1, requires_grad=True)
    y = x
    for _ in range(100_000):
        y = y + 1
    last = weakref.ref(y.grad_fn)
    y.backward()
    assert x.grad.item() == 1
    del y
    gc.collect()
    assert last() is None


def test_a_deep_graph_that_is_a_cycle_is_collected():
    x = norch.ones(1, requires_grad=True)
    y = x
    for _ in range(10_000):
        y = y * 1
    y.grad_fn.context = y
    last = weakref.ref(y.grad_fn)
    del y
    gc.collect()
    assert last() is None


class Named(norch.Tensor):
    """A subclass with attributes of its own."""


@pytest.mark.parametrize("name", ["_requires_grad", "_grad", "node", "hooks", "base", "views"])
def test_a_tensor_that_holds_itself_is_collected(name):
    x = leaf()
    setattr(x, name, x)
    alive = weakref.ref(x)
    del x
    gc.collect()
    assert alive() is None


def test_copies_and_subclasses():
    x = norch.tensor([1.0, 2.0], requires_grad=True)
    for made in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x)):
        assert made.tolist() == [1, 2]
        assert made.requires_grad
        assert made is not x
    named = Named([3.0], requires_grad=True)
    named.title = "three"
    (named * 2).sum().backward()
    assert (named.title, named.grad.tolist()) == ("three", [2.0])
    with pytest.raises(AttributeError):
        x.no_such_slot = 1
    with pytest.raises(AttributeError):
        (x * 2).grad_fn.no_such_slot = 1
    with pytest.raises(AttributeError):
        _ = norch.Tensor.__new__(norch.Tensor).array


def test_a_node_with_a_constructor_of_its_own():
    class Own(Node):
        """Notes that it was made."""

        __slots__ = ("made",)

        def __init__(self, edges, kept, context):
            super().__init__(edges, kept, context)
            self.made = True

        def backward(self, grad):
            return (grad,)

    x = leaf()
    y = unary(Own, x.array, x)
    assert y.grad_fn.made
    y.sum().backward()
    assert x.grad.tolist() == [[1, 1], [1, 1]]
