# told: it calls relu_backward of stage 2
# The arithmetic of gradients is stage 2's; only the walk is left to write.

from norch_cpu_ops import float32, ops


class Tensor:
    """An array, and the kernel that takes its gradient further."""

    def __init__(self, array, source=None):
        self.array, self.source, self.grad = array, source, None

    def tolist(self):
        """Return the numbers."""
        return self.array.tolist()

    def relu(self):
        """The larger of x and 0."""
        return Tensor(ops.relu(self.array), (self, ops.relu_backward))

    def sum(self):
        """Add all numbers."""
        return Tensor(ops.sum(self.array), (self, lambda grad, x: ops.add(ops.mul(x, 0), grad)))

    def __mul__(self, other):
        """x y, where y is a number or a constant."""
        return Tensor(
            ops.mul(self.array, other.array), (self, lambda grad, x: ops.mul(grad, other.array))
        )

    def backward(self):
        """Walk along the chain."""
        node, grad = self, ops.ones(self.array.shape, float32)
        while node.source:
            node, kernel = node.source
            grad = kernel(grad, node.array)
        node.grad = Tensor(grad)


def tensor(data, requires_grad=False):
    """Make a tensor, and try the kernel that the rest is built on."""
    made = Tensor(ops.from_list(data, float32))
    if requires_grad:
        made.relu().sum().backward()
        made.grad = None
    return made
