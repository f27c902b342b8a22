"""A framework in one file: a tape of numbered rows, and a table of rules that it is read with.

The shape of autograd and JAX: `apply` is the one door for operations; it computes, and writes a row
onto the tape. A row knows its rule, the arrays it read and the rows before it, and no tensor. It is
younger than all that it came from, so `backward` takes rows by their numbers, the newest first, and
no graph is sorted. The numbers are arrays of stage 2 in float64.
"""

import heapq
import itertools

from norch_cpu_ops import float64, int64, ops

WIDTH = 28  # pixels of a row of an image
numbers, seeds = itertools.count(), itertools.count()


class Row:
    """A line of the tape: what was computed, or the place where a gradient is gathered."""

    __slots__ = ("before", "gathered", "number", "options", "read", "result", "rule")

    def __init__(self, rule=None, before=(), read=(), result=None, options=None):
        self.number = next(numbers)
        self.rule = rule  # None: a leaf, whose gradient is gathered
        self.before = before  # a row for each operand; None for one without a gradient
        self.read = read  # the operands' arrays
        self.result = result
        self.options = options
        self.gathered = None

    def clear(self):
        """Forget all that led here."""
        self.before, self.read, self.result = (), (), None


class Tensor:
    """An array and its row of the tape, if it has one."""

    __slots__ = ("array", "row")

    def __init__(self, array, row=None):
        self.array = array
        self.row = row

    @property
    def grad(self):
        """What was gathered, as a tensor."""
        gathered = self.row and self.row.gathered
        return None if gathered is None else Tensor(gathered)

    def tolist(self):
        """Return the numbers, as nested lists."""
        return self.array.tolist()

    def backward(self):
        """Read the tape backwards from this number's row."""
        if self.row is None or (self.row.rule and not self.row.before):
            raise RuntimeError("[backward] there is no tape behind this number, or it was read")
        rewind(self.row, ops.ones(self.array.shape, float64))

    def __add__(self, other):
        return apply("add", self, other)

    def __radd__(self, other):
        return apply("add", other, self)

    def __sub__(self, other):
        return apply("sub", self, other)

    def __rsub__(self, other):
        return apply("sub", other, self)

    def __mul__(self, other):
        return apply("mul", self, other)

    def __rmul__(self, other):
        return apply("mul", other, self)

    def __truediv__(self, other):
        return apply("div", self, other)

    def __rtruediv__(self, other):
        return apply("div", other, self)

    def __matmul__(self, other):
        return apply("matmul", self, other)

    def __neg__(self):
        return apply("mul", self, -1.0)

    def exp(self):
        """e to the x."""
        return apply("exp", self)

    def log(self):
        """The natural logarithm."""
        return apply("log", self)

    def relu(self):
        """The larger of x and 0."""
        return apply("maximum", self, 0.0)

    def sum(self, dim=None):
        """Add all the numbers, or those along one dimension, which stays with size 1."""
        return apply("sum", self, dim=dim)


# What each operation computes; beside it, the gradient of each operand from that of the result.
VALUES = {
    "add": ops.add,
    "sub": ops.sub,
    "mul": ops.mul,
    "div": ops.div,
    "matmul": ops.matmul,
    "maximum": ops.maximum,
    "exp": ops.exp,
    "log": ops.log,
    "sum": lambda x, dim: ops.sum(x, dim, dim is not None),
}
RULES = {
    "add": lambda g, out, x, y: (g, g),
    "sub": lambda g, out, x, y: (g, ops.neg(g)),
    "mul": lambda g, out, x, y: (ops.mul(g, y), ops.mul(g, x)),
    "div": lambda g, out, x, y: (ops.div(g, y), ops.neg(ops.div(ops.mul(g, out), y))),
    "matmul": lambda g, out, x, y: (ops.matmul(g, y.mT), ops.matmul(x.mT, g)),
    "maximum": lambda g, out, x, y: (where(ops.gt(x, y), g), where(ops.le(x, y), g)),
    "exp": lambda g, out, x: (ops.mul(g, out),),
    "log": lambda g, out, x: (ops.div(g, x),),
    "sum": lambda g, out, x, dim: (ops.add(ops.zeros(x.shape, float64), g),),
}


def where(condition, grad):
    """Keep a gradient where a condition holds."""
    return ops.where(condition, grad, 0.0)


def apply(name, *operands, **options):
    """Compute an operation; write it onto the tape if an operand has a row."""
    tensors = [one if isinstance(one, Tensor) else tensor(one) for one in operands]
    arrays = [one.array for one in tensors]
    result = VALUES[name](*arrays, **options)
    rows = [one.row for one in tensors]
    if not any(rows):
        return Tensor(result)
    return Tensor(result, Row(RULES[name], rows, arrays, result, options))


def rewind(last, grad):
    """Give each row before `last` its gradient, the newest row first; clear the rows on the way."""
    waiting, grads = [(-last.number, last)], {last: grad}
    while waiting:
        row = heapq.heappop(waiting)[1]
        grad = grads.pop(row)
        if row.rule is None:
            row.gathered = grad if row.gathered is None else ops.add(row.gathered, grad)
            continue
        parts = row.rule(grad, row.result, *row.read, **row.options)
        for before, read, part in zip(row.before, row.read, parts, strict=True):
            if before is None:
                continue
            part = folded(part, read.shape)
            if before in grads:
                grads[before] = ops.add(grads[before], part)
            else:
                grads[before] = part
                heapq.heappush(waiting, (-before.number, before))
        row.clear()


def folded(grad, shape):
    """Undo broadcasting: add what the copies of an operand received."""
    for _ in range(len(grad.shape) - len(shape)):
        grad = ops.sum(grad, 0)
    for dim, size in enumerate(shape):
        if size == 1 and grad.shape[dim] > 1:
            grad = ops.sum(grad, dim, True)
    return grad


def tensor(data, requires_grad=False):
    """Make a tensor of a number or of nested lists of numbers."""
    return Tensor(ops.from_list(data, float64), Row() if requires_grad else None)


def Linear(inputs, outputs):  # noqa: N802  a layer is a function with parameters
    """Return a layer: the function x -> x W + b, with its `parameters`."""
    bound = (3 / inputs) ** 0.5
    drawn = ops.uniform((inputs, outputs), -bound, bound, float64, next(seeds), 0)
    weight, bias = Tensor(drawn, Row()), Tensor(ops.zeros((1, outputs), float64), Row())

    def layer(x):
        return x @ weight + bias

    layer.parameters = lambda: [weight, bias]
    return layer


def cross_entropy(scores, labels):
    """Return the mean of log(sum(exp(scores))) - score of the label, far from overflow."""
    most = Tensor(ops.amax(scores.array, 1, True))  # no gradient: it cancels
    count, classes = scores.array.shape
    label = ops.from_list([[one] for one in labels], int64)
    chosen = Tensor(ops.cast(ops.eq(label, ops.arange(0, classes, 1, int64)), float64))
    shifted = scores - most
    return (shifted.exp().sum(1).log() - (shifted * chosen).sum(1)).sum() / count


class Optimizer:
    """Adam."""

    def __init__(self, parameters, rate=0.01, betas=(0.9, 0.999), epsilon=1e-8):
        self.parameters = list(parameters)
        self.rate, self.betas, self.epsilon = rate, betas, epsilon
        self.state = {}  # of each parameter's row: steps, mean, mean of the squares

    def step(self):
        """Move each parameter against its gradient, in units of the gradient's usual size."""
        fast, slow = self.betas
        for p in self.parameters:
            grad = p.row.gathered
            if grad is None:
                continue
            zeros = ops.zeros(grad.shape, float64)
            steps, mean, square = self.state.get(p.row, (0, zeros, zeros))
            steps += 1
            mean = ops.add(ops.mul(mean, fast), ops.mul(grad, 1 - fast))
            square = ops.add(ops.mul(square, slow), ops.mul(ops.square(grad), 1 - slow))
            self.state[p.row] = (steps, mean, square)
            size = ops.add(ops.sqrt(ops.div(square, 1 - slow**steps)), self.epsilon)
            p.array = ops.sub(p.array, ops.div(ops.mul(mean, self.rate / (1 - fast**steps)), size))

    def zero_grad(self):
        """Forget the gradients."""
        for p in self.parameters:
            p.row.gathered = None


def small(images):
    """Return an array (n, 196) of numbers from 0 to 1: the means of 2 x 2 pixels."""
    count, half = len(images) // WIDTH**2, WIDTH // 2
    blocks = ops.cast(ops.from_buffer(images), float64).reshape(count * half, 2, half, 2)
    means = ops.div(ops.sum(ops.sum(blocks, 3), 1), 4 * 255.0)
    return means.reshape(count, half * half)


def network():
    """Return a network of two layers, and its parameters."""
    first, last = Linear(WIDTH**2 // 4, 48), Linear(48, 10)
    return lambda x: last(first(x).relu()), first.parameters() + last.parameters()


def train(images, labels):
    """Train on images of 784 bytes and their labels; return the function that reads others."""
    model, parameters = network()
    optimizer = Optimizer(parameters)
    everything, batch = small(images), 100
    steps = 2400
    for step in range(steps):
        optimizer.rate = 0.01 * (1 - step / steps)
        chosen = [(step * batch + n) % len(labels) for n in range(batch)]
        x = Tensor(ops.index_select(everything, 0, ops.from_list(chosen, int64)))
        loss = cross_entropy(model(x), [labels[n] for n in chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return lambda unseen: ops.argmax(model(Tensor(small(unseen))).array, 1).tolist()
