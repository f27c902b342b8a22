"""Chapter 4: three ways to walk a record backward, each with its flaw, and the engine's in short.

They read the same nodes as stage 4's engine and ask them the same question, so that only the order
of the walk differs. Each takes the output, a function `seen(node, grad)` that is told of every
visit, and (but for the last) from which edge to begin; it returns the gradient of every place,
leaves included.
"""

from collections.abc import Callable

from norch_autograd import Tensor, no_grad, ones_like
from norch_autograd.engine.engine import plan
from norch_autograd.graph.node import Edge, Node

Seen = Callable[[Node, Tensor], None]
Gradients = dict[Edge, Tensor]


def shares(node: Node, grad: Tensor, last_first: bool) -> list[tuple[Edge, Tensor]]:
    """Ask a node for the shares of its inputs: pairs of an edge and its share."""
    with no_grad():
        answers = node.backward(grad)
    pairs = zip(node.edges, answers, strict=True)
    found = [(edge, part) for edge, part in pairs if edge is not None]  # a leaf of 0 is false
    return found[::-1] if last_first else found


def impatient(output: Tensor, seen: Seen, last_first: bool = False) -> Gradients:
    """Pass everything on as soon as anything arrives. Wrong: sends some of it twice."""
    total: Gradients = {}

    def visit(place: Edge, grad: Tensor) -> None:
        total[place] = total[place] + grad if place in total else grad
        if isinstance(place, Node):
            seen(place, total[place])
            for edge, part in shares(place, total[place], last_first):
                visit(edge, part)

    visit(output.node, ones_like(output))
    return total


def depth_first(output: Tensor, seen: Seen, last_first: bool = False) -> Gradients:
    """Go as deep as possible, visit each node once. Wrong: some of a gradient comes later."""
    total: Gradients = {output.node: ones_like(output)}
    visited: set[Edge] = set()
    waiting: list[Edge] = [output.node]
    while waiting:
        place = waiting.pop()
        if place in visited or not isinstance(place, Node):
            continue
        visited.add(place)
        seen(place, total[place])
        pairs = shares(place, total[place], last_first)
        for edge, part in pairs:
            total[edge] = total[edge] + part if edge in total else part
        waiting += [edge for edge, _ in reversed(pairs)]
    return total


def every_path(output: Tensor, seen: Seen, last_first: bool = False) -> Gradients:
    """Pass on each arriving share by itself. Right, but it walks every path there is."""
    total: Gradients = {}

    def visit(place: Edge, grad: Tensor) -> None:
        total[place] = total[place] + grad if place in total else grad
        if isinstance(place, Node):
            seen(place, grad)
            for edge, part in shares(place, grad, last_first):
                visit(edge, part)

    visit(output.node, ones_like(output))
    return total


def newest_first(output: Tensor, seen: Seen) -> Gradients:
    """Run each node once, the newest first. Right: whatever uses a node is newer than it."""
    order, _ = plan([output.node])
    arrived: Gradients = {output.node: ones_like(output)}
    for node in order:
        seen(node, arrived[node])
        for edge, part in shares(node, arrived[node], last_first=False):
            arrived[edge] = arrived[edge] + part if edge in arrived else part
    return arrived
