"""Random programs, and every trace that they leave, one line each: `python core_report.py 200`.

test_compiled_core.py runs this with the C++ core and without it and compares the lines: the nodes
with their classes, edges, numbers and kept values, and all gradients to the bit. The programs take
views, broadcast, promote, edit in place, split, keep graphs, hang hooks on them, and fail.
"""

import random
import re
import sys

import norch_autograd as norch
from norch_autograd.graph.node import Node
from norch_autograd.types.core import core_status


def edited_view(a, b):
    """A copy of `a` with its first row edited, read through a view that was made before."""
    copy = a * 1
    seen, row = copy.view(-1), copy[0]
    row.mul_(b[1])
    return seen.view(2, 2) + copy


class Doubled(norch.Function):
    """A user's operation."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 2 + x * 0


STEPS = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a / (b * b + 1),
    lambda a, b: a @ b,
    lambda a, b: a * b[1],
    lambda a, b: a + b[:, :1],
    lambda a, b: a.T + 2,
    lambda a, b: (1 - a) * 0.5,
    lambda a, b: a.tanh() * b.exp().clamp(max=3.0),
    lambda a, b: a.softmax(1),
    lambda a, b: norch.linear(a, b, b[0]),
    lambda a, b: a.sum(0, keepdim=True) * 0.3 + b,
    lambda a, b: norch.cat([a[:1], b[:1]]),
    lambda a, b: a.split(1)[1].expand(2, 2) * b.unbind(1)[0],
    lambda a, b: a[[1, 1]] + b,
    lambda a, b: (a * 1).mul_(b),
    lambda a, b: (a * 1).add_(b[0]),
    edited_view,
    lambda a, b: Doubled.apply(a),
    lambda a, b: a.detach() * b,
    lambda a, b: (a.double() * b).float(),
    lambda a, b: a.reshape(4)[::2].repeat(2).reshape(2, 2),
    lambda a, b: norch.relu(a) - b.mean(),
]


def bits(array):
    """The elements of an array, to the bit."""
    return [float(x).hex() for x in norch.Tensor(array).double().reshape(-1).tolist()]


def nodes_behind(tensor):
    """Every node behind a tensor, oldest first."""
    found, stack = {}, [tensor.grad_fn]
    while stack:
        node = stack.pop()
        if isinstance(node, Node) and node.number not in found:
            found[node.number] = node
            stack.extend(node.edges)
    return [found[number] for number in sorted(found)]


def kept_line(item):
    """One kept value: what was noted of it."""
    if type(item) is tuple:
        tensor, array, version = item
        return "result" if tensor is None else "tensor", version, array.version, bits(array)
    return bits(item) if hasattr(item, "layout") else repr(item)


def graph_lines(tensor, names):
    """The nodes behind a tensor: class, edges by place, kept values, context."""
    nodes = nodes_behind(tensor)
    places = {node: f"node {k}" for k, node in enumerate(nodes)} | names
    for k, node in enumerate(nodes):
        edges = [None if edge is None else places.get(edge, "?") for edge in node.edges]
        kept = None if node.kept is None else [kept_line(item) for item in node.kept]
        user = type(node).__name__ == "UserNode"  # its context is the user's objects
        context = "" if user else re.sub(" at 0x[0-9a-f]+", "", repr(node.context))
        later = node.number - nodes[0].number
        yield f"  {k} {node.name()} {edges} {kept} {type(node.kept).__name__} {context} +{later}"


def grad_lines(leaves):
    """The gradient of each leaf."""
    for leaf in leaves:
        yield "  grad " + ("none" if leaf.grad is None else str(bits(leaf.grad.array)))


def built(dice, leaves):
    """A random result of the leaves, and the values on the way."""
    values = list(leaves)
    for _ in range(dice.randint(1, 9)):
        step = dice.choice(STEPS)
        values.append(step(dice.choice(values), dice.choice(values)) * 0.5)
    return sum(value.sum() * (0.3 + k) for k, value in enumerate(values)), values


def attempted(action):
    """What came of a call: nothing, or its error in words."""
    try:
        action()
    except Exception as error:
        return [f"  {type(error).__name__}: {error}"]
    return []


def failing():
    """A hook that raises the second time."""
    calls = iter((False, True, False))

    def hook(grad):
        if next(calls):
            raise ValueError("a hook fails")

    return hook


def hang_hooks(dice, values, seen):
    """Hooks of every kind on some of the values."""
    for value in values:
        if not value.requires_grad or dice.random() < 0.6:
            continue
        kind = dice.randrange(5)
        if kind == 0:
            value.register_hook(lambda grad: seen.append(bits(grad.array)))
        elif kind == 1:
            value.register_hook(lambda grad: grad * 2)
        elif kind == 2 and value.grad_fn is not None:
            value.retain_grad()
        elif kind == 3 and value.grad_fn is not None:
            value.grad_fn.register_hook(lambda grads, given: seen.append(len(grads)))
        elif value.grad_fn is None:
            value.register_post_accumulate_grad_hook(
                lambda leaf: seen.append(bits(leaf.grad.array))
            )


def passes(dice, result, values, leaves):
    """One pass or two over the graph, of a random kind."""
    kind = dice.randrange(9)
    if kind == 0:
        first = attempted(lambda: result.backward(retain_graph=True))
        return first + attempted(lambda: result.backward(norch.tensor(0.25)))
    if kind == 1:
        (grad,) = norch.grad(result, leaves[:1], create_graph=True, allow_unused=True)
        twice = grad is not None and grad.requires_grad
        return attempted(grad.sum().backward) if twice else []
    if kind == 2:
        return attempted(lambda: result.backward(inputs=leaves[:1]))
    if kind == 3:
        return attempted(result.backward) + attempted(result.backward)
    if kind == 4:
        with norch.autograd.composite():
            return attempted(result.backward)
    if kind == 5:
        with dice.choice([v for v in values if v.requires_grad]).register_hook(failing()):
            first = attempted(lambda: result.backward(retain_graph=True))
            return first + attempted(result.backward)
    if kind == 6:
        dice.choice(values).data.add_(0.5)
        edited = [v for v in values if v.grad_fn is not None]
        if edited:
            with norch.no_grad():
                dice.choice(edited).mul_(1.0)  # a kept value may be another version now
        return attempted(result.backward)
    if kind == 7:
        roots = [result, values[-1].sum(), leaves[1], result]
        starts = [None, None, norch.ones(2, 2), None]
        return attempted(lambda: norch.autograd.backward(roots, starts))
    return attempted(result.backward)


def program(seed):
    """One random program, as lines."""
    dice = random.Random(seed)
    leaves = [
        norch.tensor(
            [[dice.uniform(-1, 1) for _ in range(2)] for _ in range(2)], requires_grad=True
        )
        for _ in range(2)
    ]
    yield f"program {seed}"
    for turn in range(2):
        seen = []
        packs = norch.autograd.saved_tensors_hooks(lambda t: t * 1, lambda t: t)
        if dice.random() < 0.1:
            with packs:
                result, values = built(dice, leaves)
        else:
            result, values = built(dice, leaves)
            yield from graph_lines(result, {leaf: f"leaf {k}" for k, leaf in enumerate(leaves)})
        yield f"  = {bits(result.array)}"
        if dice.random() < 0.4:
            hang_hooks(dice, values, seen)
        yield from passes(dice, result, values, leaves)
        yield f"  seen {seen}"
        yield f"  freed {[node.kept is None for node in nodes_behind(result)]}"
        yield from grad_lines([v for v in values if v.grad_fn is None or v.retains_grad])
        if dice.random() < 0.5:
            leaves[turn % 2].grad = None
        assert norch.is_grad_enabled()


if __name__ == "__main__":
    print(core_status())
    for seed in range(int(sys.argv[1])):
        for line in program(seed):
            print(line)
