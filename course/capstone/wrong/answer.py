"""A framework in one file: each tensor carries a closure that knows how to send its gradient back.

The shape of PyTorch and micrograd: the graph is made of the tensors themselves, while they are
computed. `backward` sorts it from the end, without recursion, and takes it apart as it goes. The
numbers are arrays of stage 2 in float32.
"""

import random

from norch_cpu_ops import float32, int64, ops

SIDE = 784  # pixels of an image


class Tensor:
    """An array; if it was computed from one that wants a gradient, also where it came from."""

    __slots__ = ("array", "grad", "inputs", "pull", "requires_grad")

    def __init__(self, array, requires_grad=False):
        self.array = array
        self.requires_grad = requires_grad
        self.grad = None  # an array, of those that were made with requires_grad=True
        self.inputs = ()  # the tensors that this one was computed from
        self.pull = None  # the function from the gradient of this one to those of its inputs

    def tolist(self):
        """Return the numbers, as nested lists."""
        return self.array.tolist()

    def __add__(self, other):
        """x + y."""
        a, b = self, as_tensor(other)
        return computed(ops.add(a.array, b.array), (a, b), lambda grad: (grad, grad))

    def __sub__(self, other):
        """x - y."""
        a, b = self, as_tensor(other)
        return computed(ops.sub(a.array, b.array), (a, b), lambda grad: (grad, ops.neg(grad)))

    def __mul__(self, other):
        """x y."""
        a, b = self.array, as_tensor(other).array

        def pull(grad):
            return ops.mul(grad, b), ops.mul(grad, a)

        return computed(ops.mul(a, b), (self, as_tensor(other)), pull)

    def __truediv__(self, other):
        """x / y."""
        a, b = self.array, as_tensor(other).array
        quotient = ops.div(a, b)

        def pull(grad):
            part = ops.div(grad, b)
            return part, ops.neg(ops.mul(part, quotient))

        return computed(quotient, (self, as_tensor(other)), pull)

    def __matmul__(self, other):
        """Multiply (n, k) by (k, m)."""
        a, b = self.array, other.array

        def pull(grad):
            return ops.matmul(grad, b.mT), ops.matmul(a.mT, grad)

        return computed(ops.matmul(a, b), (self, other), pull)

    def __neg__(self):
        """-x."""
        return computed(ops.neg(self.array), (self,), lambda grad: (ops.neg(grad),))

    def __radd__(self, other):
        """Number + x."""
        return as_tensor(other) + self

    def __rsub__(self, other):
        """Number - x."""
        return as_tensor(other) - self

    def __rmul__(self, other):
        """Number times x."""
        return as_tensor(other) * self

    def __rtruediv__(self, other):
        """Number / x."""
        return as_tensor(other) / self

    def exp(self):
        """e to the x."""
        power = ops.exp(self.array)
        return computed(power, (self,), lambda grad: (ops.mul(grad, power),))

    def relu(self):
        """The larger of x and 0."""
        kept = ops.cast(ops.gt(self.array, 0), float32)
        return computed(ops.mul(self.array, kept), (self,), lambda grad: (ops.mul(grad, kept),))

    def sum(self):
        """Add all the numbers."""
        shape = self.array.shape

        def pull(grad):
            return (ops.mul(ops.ones(shape, float32), grad),)

        return computed(ops.sum(self.array), (self,), pull)

    def backward(self):
        """Send the gradient 1 back to all that this number was computed from."""
        if self.pull is None:
            raise RuntimeError("[backward] nothing to go back through: not recorded, or gone")
        grads = {id(self): ops.ones(self.array.shape, float32)}
        for node in reversed(in_order(self)):
            grad = grads.pop(id(node))
            if node.pull is None:
                node.grad = grad if node.grad is None else ops.add(node.grad, grad)
                continue
            for source, part in zip(node.inputs, node.pull(grad), strict=True):
                if source.requires_grad:
                    part = summed_to(part, source.array.shape)
                    known = grads.get(id(source))
                    grads[id(source)] = part if known is None else ops.add(known, part)
            node.inputs, node.pull = (), None


def tensor(data, requires_grad=False):
    """Make a tensor of a number or of nested lists of numbers."""
    return Tensor(ops.from_list(data, float32), requires_grad)


def as_tensor(value):
    """Return a tensor; a number becomes one."""
    return value if isinstance(value, Tensor) else tensor(value)


def computed(array, inputs, pull):
    """Make the result of an operation; it remembers where it came from only if somebody asks."""
    result = Tensor(array)
    if any(source.requires_grad for source in inputs):
        result.requires_grad = True
        result.inputs, result.pull = inputs, pull
    return result


def in_order(end):
    """List the tensors that want a gradient, each behind all it was computed from."""
    found, seen, waiting = [], {id(end)}, [(end, iter(end.inputs))]
    while waiting:
        node, inputs = waiting[-1]
        source = next((one for one in inputs if one.requires_grad and id(one) not in seen), None)
        if source is None:
            found.append(node)
            waiting.pop()
        else:
            seen.add(id(source))
            waiting.append((source, iter(source.inputs)))
    return found


def summed_to(grad, shape):
    """Add up a gradient where its operand of that shape was repeated."""
    new = len(grad.shape) - len(shape)
    if new:
        grad = ops.sum(grad, list(range(new)))
    repeated = [dim for dim, size in enumerate(shape) if size != grad.shape[dim]]
    return ops.sum(grad, repeated, True) if repeated else grad


class Linear:
    """x W + b, with He's first values."""

    made = 0  # layers so far: each draws other numbers

    def __init__(self, inputs, outputs):
        Linear.made += 1
        spread = (2 / inputs) ** 0.5
        drawn = ops.normal((inputs, outputs), 0.0, spread, float32, Linear.made, 0)
        self.weight = Tensor(drawn, requires_grad=True)
        self.bias = Tensor(ops.zeros((outputs,), float32), requires_grad=True)

    def __call__(self, x):
        """Return (n, outputs) for (n, inputs)."""
        return x @ self.weight + self.bias

    def parameters(self):
        """List what is learned."""
        return [self.weight, self.bias]


def cross_entropy(scores, labels):
    """Return the mean of -log p(label), for scores (n, classes) and n labels."""
    count, classes = scores.array.shape
    index = ops.from_list([[label] for label in labels], int64)
    chosen = ops.cast(ops.eq(ops.arange(0, classes, 1, int64), index), float32)  # one 1 a row
    logs = ops.log_softmax(scores.array, 1)
    loss = ops.div(ops.neg(ops.sum(ops.mul(logs, chosen))), count)

    def pull(grad):
        return (ops.mul(ops.sub(ops.exp(logs), chosen), ops.div(grad, count)),)

    return computed(loss, (scores,), pull)


class Optimizer:
    """Gradient descent with momentum."""

    def __init__(self, parameters, rate=0.01, momentum=0.9):
        self.parameters, self.rate, self.momentum = list(parameters), rate, momentum
        self.speeds = [ops.zeros(p.array.shape, float32) for p in self.parameters]

    def step(self):
        """Move each parameter that has a gradient."""
        for p, speed in zip(self.parameters, self.speeds, strict=True):
            if p.grad is not None:
                ops.mul_(speed, self.momentum)
                ops.add_(speed, p.grad)
                ops.sub_(p.array, ops.mul(speed, self.rate))

    def zero_grad(self):
        """Forget the gradients."""
        for p in self.parameters:
            p.grad = None


def pixels(images):
    """Return an array (n, 784) of numbers around 0 from bytes."""
    flat = ops.cast(ops.from_buffer(images), float32)
    rows = flat.reshape(len(images) // SIDE, SIDE)
    return ops.div(ops.sub(rows, 33.0), 79.0)  # the mean of MNIST's pixels, and their spread


def train(images, labels, batch=50, most=60_000):
    """Train two layers on images (784 bytes each) and labels; return the function that reads."""
    first, last = Linear(SIDE, 64), Linear(64, 10)
    optimizer = Optimizer(first.parameters() + last.parameters())
    order = random.Random(0)
    count = min(len(labels), most)
    x = pixels(images[: count * SIDE])
    for _ in range(max(2, 15_000 // count)):
        numbers = order.sample(range(count), count)
        for start in range(0, count - batch + 1, batch):
            chosen = numbers[start : start + batch]
            rows = Tensor(ops.index_select(x, 0, ops.from_list(chosen, int64)))
            loss = cross_entropy(last(first(rows).relu()), [labels[n] for n in chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    def predict(unseen):
        scores = last(first(Tensor(pixels(unseen))).relu())
        return ops.argmax(scores.array, 1).tolist()

    return predict
