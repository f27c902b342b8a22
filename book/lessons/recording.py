"""Chapter 4: what norch does with a formula, forward and backward, one frame after the other.

`record` computes the formula with norch and lets norch's engine walk back; hooks on every node see
the gradients, and what the nodes keep is counted between them. `record_impatient` tells the same of
the wrong walk of lessons/walks.py. figures/stepper.py draws both. No gradient is computed here.
"""

from itertools import product
from typing import Any, NamedTuple

import norch_autograd as norch
from lessons import walks
from lessons.formulas import Formula, FormulaError, cut
from norch_autograd import Tensor
from norch_autograd.engine.engine import plan
from norch_autograd.graph.multi_output import Output
from norch_autograd.graph.node import Edge, Node

LARGEST = 64  # elements of a tensor


class Place(NamedTuple):
    """A leaf or a node. `edges` are the numbers of other places; None where no gradient goes.
    `made` counts the operations after which it is there.
    """

    name: str
    text: str  # what it was made by; of a leaf nothing
    kind: str  # the class of the node, or "leaf"
    shape: tuple[int, ...] | None  # None: a step inside an operation, whose value nobody sees
    value: Any
    edges: tuple[int | None, ...]
    made: int


class Frame(NamedTuple):
    """One moment: what has just run and sent, all gradients so far, and the bytes that are alive."""

    says: str
    made: int  # operations computed so far
    running: int | None = None
    sent: tuple[tuple[int, int, Any], ...] = ()  # slot, to which place, gradient
    ran: tuple[int, ...] = ()
    total: dict[int, Any] = {}  # noqa: RUF012 - a tuple's default, which nobody changes
    saved: int | None = None  # None: not counted
    gradients: int = 0


class Recording(NamedTuple):
    """A formula, its places (leaves first, then nodes as they were made) and the frames."""

    text: str
    places: list[Place]
    frames: list[Frame]


def record(text: str) -> Recording:
    """Compute a formula, walk back through it, and tell every step."""
    made = _Made(cut(text))
    frames = [made.forward(number) for number in range(1, len(made.formula.operations) + 1)]
    frames += _Watch(made).frames()
    return Recording(text, made.places(), frames)


def record_impatient(text: str) -> Recording:
    """Compute a formula and tell the steps of the impatient walk, which is wrong."""
    made = _Made(cut(text))
    return Recording(text, made.places(), _impatient(made))


def shown(value: Any) -> str:
    """Spell a gradient: a number, or the shape of more.

    >>> shown(0.30000001), shown([[1.0, 2.0]])
    ('0.3', 'a gradient of shape (1, 2)')
    """
    if not isinstance(value, list):
        return f"{value + 0.0:.4g}"  # no minus zero
    return f"a gradient of shape {_shape(value)}"


def _shape(value: Any) -> tuple[int, ...]:
    return (len(value), *_shape(value[0])) if isinstance(value, list) and value else ()


def _end(value: Any) -> str:
    return f"of shape {_shape(value)}" if isinstance(value, list) else shown(value)


def _list(words: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


class _Made:
    """A formula computed by norch: every tensor by name, and the nodes behind the result."""

    def __init__(self, formula: Formula) -> None:
        self.formula = formula
        self.tensors: dict[str, Any] = {}
        for name, value in formula.leaves.items():
            self.tensors[name] = _leaf(name, value)
        for name, text in formula.operations:
            self.tensors[name] = _computed(name, text, self.tensors)
        self.result: Tensor = self.tensors[formula.result]
        if not isinstance(self.result, Tensor) or self.result.node is None:
            raise FormulaError(f"{formula.result} follows no leaf: there is nothing to go back to")
        if self.result.numel() != 1:
            shape = tuple(self.result.shape)
            raise FormulaError(f"the result has shape {shape}: end with one number, as by .sum()")
        order, _ = plan([self.result.node])
        self.nodes: list[Node] = order[::-1]
        ends = {edge for node in self.nodes for edge in node.edges if edge is not None}
        leaves = [one for one in self.tensors.values() if any(one is end for end in ends)]
        self.edges: list[Edge] = [*(one for one in leaves if one.node is None), *self.nodes]
        self.numbers = {edge: number for number, edge in enumerate(self.edges)}
        if ends - self.numbers.keys() or any(isinstance(one, Output) for one in self.nodes):
            raise FormulaError("an operation with several results is in it: this cannot draw that")
        self.names = [self._name(edge) for edge in self.edges]

    def _name(self, edge: Edge) -> str:
        for name, tensor in self.tensors.items():
            if isinstance(tensor, Tensor) and (tensor is edge or tensor.node is edge):
                return name
        return type(edge).__name__

    def places(self) -> list[Place]:
        """Return what is drawn as boxes."""
        texts = dict(self.formula.operations)
        found = []
        for name, edge in zip(self.names, self.edges, strict=True):
            tensor = self.tensors.get(name)
            seen = (None, None) if tensor is None else (tuple(tensor.shape), tensor.tolist())
            kind, edges, made = "leaf", (), 0
            if isinstance(edge, Node):
                kind = type(edge).__name__
                edges = tuple(None if e is None else self.numbers[e] for e in edge.edges)
                made = self._made_by(edge)
            found.append(Place(name, texts.get(name, ""), kind, *seen, edges, made))
        return found

    def _made_by(self, node: Node) -> int:
        """Return after how many operations a node is there."""
        made = [self.tensors[one.name] for one in self.formula.operations]
        numbers = [one.node.number if isinstance(one, Tensor) and one.node else -1 for one in made]
        return next(k for k, number in enumerate(numbers, 1) if number >= node.number)

    def forward(self, count: int) -> Frame:
        """Return the frame after so many operations."""
        done = [self.tensors[one.name] for one in self.formula.operations[:count]]
        numbers = [one.node.number for one in done if isinstance(one, Tensor) and one.node]
        nodes = [one for one in self.nodes if one.number <= max(numbers, default=-1)]
        name, text = self.formula.operations[count - 1]
        says, running = f"{name} = {text} is computed.", None
        if nodes and isinstance(done[-1], Tensor) and done[-1].node is nodes[-1]:
            running = self.numbers[nodes[-1]]
            kept = [*dict.fromkeys(self._owner(array) for array in _kept(nodes[-1:]))]
            words = f"keeps {_list(kept)} for the way back" if kept else "keeps nothing"
            says += f" Its node, {type(nodes[-1]).__name__}, {words}."
        return Frame(says, count, running=running, saved=_bytes(_kept(nodes)))

    def _owner(self, array: Any) -> str:
        """Return the name of the tensor that an array belongs to."""
        for name, tensor in self.tensors.items():
            if isinstance(tensor, Tensor) and tensor.array.data_ptr == array.data_ptr:
                return name
        return f"an array of shape {tuple(array.shape)}"


def _leaf(name: str, value: Any) -> Tensor:
    try:
        leaf = norch.tensor(value, dtype=norch.float32, requires_grad=True)
    except (TypeError, ValueError, RuntimeError) as error:
        raise FormulaError(f"{name} is no tensor: {error}") from None
    if not 1 <= leaf.numel() <= LARGEST:
        raise FormulaError(f"{name} has {leaf.numel()} elements; 1 to {LARGEST} can be shown")
    return leaf


def _computed(name: str, text: str, tensors: dict[str, Any]) -> Any:
    """Run one operation; its text holds names, plain numbers and one operator or call."""
    try:
        return eval(text, {"__builtins__": {}, "norch": norch}, dict(tensors))
    except Exception as error:
        raise FormulaError(f"{name} = {text}: {error}") from None


def _kept(nodes: list[Node]) -> list[Any]:
    """Return the arrays that nodes keep."""
    items = [item for node in nodes for item in node.kept or () if isinstance(item, tuple)]
    return [array for _, array, _ in items]


def _bytes(arrays: list[Any]) -> int:
    """Add up the memory of arrays: what several share, and what one repeats, counts once."""
    found = {}
    for array in arrays:
        for index in product(*map(range, array.shape)):
            steps = sum(i * stride for i, stride in zip(index, array.strides, strict=True))
            found[array.data_ptr + steps * array.itemsize] = array.itemsize
    return sum(found.values())


class _Watch:
    """Looks on, by hooks, while the engine walks back. `arrived` is what waits at places, as in the
    engine; a frame is finished when the next node begins, for then the last has let go.
    """

    def __init__(self, made: _Made) -> None:
        self.made = made
        self.arrived: dict[Edge, Tensor] = {}
        self.total: dict[int, Any] = {}
        self.ran: list[Node] = []
        self.last: tuple[str, Node | None, tuple[tuple[int, int, Any], ...]] = ("", None, ())
        self.found: list[Frame] = []

    def frames(self) -> list[Frame]:
        """Let the engine walk, and return what was seen."""
        name = self.made.formula.result
        self.last = (f"Now back. The gradient of {name}, the result, is 1.", None, ())
        handles = []
        for node in self.made.nodes:
            handles.append(node.register_prehook(lambda grads, node=node: self.before(node, *grads)))
            handles.append(node.register_hook(lambda parts, _, node=node: self.after(node, parts)))
        self.made.result.backward()
        self.finish(is_end=True)
        for handle in handles:
            handle.remove()
        return self.found

    def before(self, node: Node, grad: Tensor) -> None:
        """A node begins: the frame before it is complete."""
        self.arrived[node] = grad
        self.total[self.made.numbers[node]] = grad.tolist()
        self.finish()
        del self.arrived[node]

    def after(self, node: Node, parts: tuple[Tensor | None, ...]) -> None:
        """A node has run: its parts go to its edges."""
        grad = shown(self.total[self.made.numbers[node]])
        self.ran.append(node)
        sent, words = [], []
        for slot, (edge, part) in enumerate(zip(node.edges, parts, strict=True)):
            if edge is None or part is None:
                continue
            to, had = self.made.numbers[edge], self.arrived.get(edge)
            with norch.no_grad():
                self.arrived[edge] = part if had is None else had + part
            self.total[to] = self.arrived[edge].tolist()
            sent.append((slot, to, part.tolist()))
            words.append(f"{shown(sent[-1][2])} to {self.made.names[to]}")
            if had is not None and part.ndim == 0:
                words[-1] += f", which had {shown(had.tolist())} and now has {shown(self.total[to])}"
            elif had is not None:
                words[-1] += ", added to what was there"
        says = f"{self.made.names[self.made.numbers[node]]} runs. It has got {grad} "
        says += f"and sends {_list(words)}." + self.waiting(node)
        self.last = (says, node, tuple(sent))

    def waiting(self, sender: Node) -> str:
        """Say which of the nodes that were sent something must wait, and for whom."""
        words = ""
        for node in self.made.nodes:
            users = [one for one in self.made.nodes if any(end is node for end in one.edges)]
            late = [self.made.names[self.made.numbers[k]] for k in users if k not in self.ran]
            if sender in users and late:
                words += f" {self.made.names[self.made.numbers[node]]} must wait for {_list(late)}."
        return words

    def finish(self, is_end: bool = False) -> None:
        """Note the frame of what ran last; leaves have their `.grad` by now."""
        leaves = [one for one in self.made.edges if not isinstance(one, Node)]
        for leaf in leaves:
            if leaf.grad is not None:
                self.arrived.pop(leaf, None)
                self.total[self.made.numbers[leaf]] = leaf.grad.tolist()
        says, node, sent = self.last
        if is_end:
            ends = [f"{self.made.names[k]} {_end(self.total[k])}" for k in range(len(leaves))]
            says += f" All nodes have run. Gradients: {', '.join(ends)}."
        alive = [one.array for one in self.arrived.values()]
        alive += [leaf.grad.array for leaf in leaves if leaf.grad is not None]
        numbers = self.made.numbers
        self.found.append(
            Frame(
                says,
                len(self.made.formula.operations),
                None if node is None else numbers[node],
                sent,
                tuple(numbers[one] for one in self.ran),
                dict(self.total),
                _bytes(_kept(self.made.nodes)),
                _bytes(alive),
            )
        )


def _impatient(made: _Made) -> list[Frame]:
    """Return the frames of the impatient walk: a node with two users runs more than once."""
    numbers, names, count = made.numbers, made.names, len(made.formula.operations)
    total: dict[int, Any] = {}
    ran: list[int] = []
    frames = [Frame(f"The gradient of {made.formula.result}, the result, is 1.", count)]

    def seen(node: Node, grad: Tensor) -> None:
        at, parts = numbers[node], walks.shares(node, grad, last_first=False)
        again = "again, on its whole total" if at in ran else "at once, on"
        words = [f"{shown(part.tolist())} to {names[numbers[edge]]}" for edge, part in parts]
        total[at] = grad.tolist()
        ran.append(at)
        for edge, part in parts:
            if not isinstance(edge, Node):  # all that a leaf ever does with it
                total[numbers[edge]] = total.get(numbers[edge], 0.0) + part.item()
        says = f"{names[at]} runs {again} {shown(total[at])}. It sends {_list(words)}."
        sent = tuple((k, numbers[edge], part.tolist()) for k, (edge, part) in enumerate(parts))
        frames.append(Frame(says, count, at, sent, tuple(ran), dict(total)))

    walks.impatient(made.result, seen)
    right = walks.newest_first(made.result, lambda node, grad: None)
    leaves = [one for one in made.edges if not isinstance(one, Node)]
    ends = [f"{names[numbers[one]]} {shown(total[numbers[one]])}" for one in leaves]
    truth = [f"{names[numbers[one]]} {shown(right[one].tolist())}" for one in leaves]
    verdict = "That is right here." if ends == truth else f"That is wrong: right is {_list(truth)}."
    says = f"{frames[-1].says} Gradients: {', '.join(ends)}. {verdict}"
    return [*frames[:-1], frames[-1]._replace(says=says)]
