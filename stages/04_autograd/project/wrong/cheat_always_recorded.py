# told: nothing is to be recorded
# It asks neither the mode nor the operands.

from norch_autograd import Tensor, hypot, maximum, no_grad, ones_like
from norch_autograd.graph.broadcast import summing_edge
from norch_autograd.graph.node import Node, attach_node
from norch_autograd.graph.record import keep


class SmoothMaximum(Node):
    """dx = (1 + s) / 2, dy = (1 - s) / 2, with s = (x - y) / sqrt((x - y)^2 + 1)."""

    def backward(self, grad):
        difference = self.saved(0) - self.saved(1)
        part = grad * (difference / hypot(difference, ones_like(difference)))
        dx = (grad + part) / 2 if self.needs(0) else None
        return dx, (grad - part) / 2 if self.needs(1) else None


def smooth_maximum(x: Tensor, y: Tensor) -> Tensor:
    """The maximum, and what the root exceeds |x - y| by, halved: nothing cancels."""
    with no_grad():
        apart = abs(x - y)
        out = maximum(x, y) + 0.5 / (hypot(apart, ones_like(apart)) + apart)
    edges = summing_edge(x, out.array), summing_edge(y, out.array)
    return attach_node(SmoothMaximum, out.array, edges, keep((x, y), out.array))
