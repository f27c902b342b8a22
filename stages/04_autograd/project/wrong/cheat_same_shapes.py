# told: a small operand has the sum of its copies' gradients
# It forgets that operands are broadcast.

from norch_autograd import Tensor, hypot, maximum, no_grad, ones_like
from norch_autograd.graph.node import Node
from norch_autograd.graph.record import record


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
    return record(SmoothMaximum, out.array, (x, y), (x, y))
