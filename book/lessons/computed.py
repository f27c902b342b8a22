"""Chapter 4: a formula computed by norch: its tensors by name, the nodes behind them, their bytes.

lessons/walk_record.py walks back through it. What is wrong with a formula is a FormulaError, with
norch's own words where norch refused.
"""

from itertools import product
from typing import Any

import norch_autograd as norch
from lessons.formulas import Formula, FormulaError
from lessons.frames import Frame, Place, enumerated
from norch_autograd import Tensor
from norch_autograd.engine.engine import plan
from norch_autograd.graph.multi_output import Output
from norch_autograd.graph.node import Edge, Node

LARGEST = 64  # elements of a tensor


class Computed:
    """`edges` are the leaves, then the nodes as made; `numbers` and `names` are theirs."""

    def __init__(self, formula: Formula) -> None:
        self.formula = formula
        self.tensors: dict[str, Any] = {}
        for name, value in formula.leaves.items():
            self.tensors[name] = _leaf(name, value)
        for name, text in formula.operations:
            self.tensors[name] = _shown(name, _result(name, text, self.tensors))
        self.result = _one_number(formula.result, self.tensors[formula.result])
        self.nodes: list[Node] = plan([self.result.node])[0][::-1]
        self.leaves = self._leaves()
        self.edges: list[Edge] = [*self.leaves, *self.nodes]
        self.numbers = {edge: number for number, edge in enumerate(self.edges)}
        self.names = {edge: self._name(edge) for edge in self.edges}

    def _leaves(self) -> list[Tensor]:
        """Return the leaves that the result follows."""
        if any(isinstance(node, Output) for node in self.nodes):
            raise FormulaError("an operation with several results is in it: this cannot draw that")
        ends = {id(edge) for node in self.nodes for edge in node.edges}
        return [self.tensors[k] for k in self.formula.leaves if id(self.tensors[k]) in ends]

    def _name(self, edge: Edge) -> str:
        for name, tensor in self.tensors.items():
            if isinstance(tensor, Tensor) and (tensor is edge or tensor.node is edge):
                return name
        return type(edge).__name__

    def places(self) -> list[Place]:
        """Return what is drawn as boxes."""
        texts = dict(self.formula.operations)
        found = []
        for edge in self.edges:
            name = self.names[edge]
            tensor = self.tensors.get(name)
            seen = (None, None) if tensor is None else (tuple(tensor.shape), tensor.tolist())
            kind, to, made = "leaf", (), 0
            if isinstance(edge, Node):
                kind, made = type(edge).__name__, self._made_by(edge)
                to = tuple(None if end is None else self.numbers[end] for end in edge.edges)
            found.append(Place(name, texts.get(name, ""), kind, *seen, to, made))
        return found

    def _newest(self) -> list[int]:
        """Return the number of the newest node after each operation."""
        made = [self.tensors[one.name] for one in self.formula.operations]
        numbers = [one.node.number if isinstance(one, Tensor) and one.node else -1 for one in made]
        return [max(numbers[:count]) for count in range(1, len(numbers) + 1)]

    def _made_by(self, node: Node) -> int:
        return next(k for k, number in enumerate(self._newest(), 1) if number >= node.number)

    def forward(self) -> list[Frame]:
        """Return a frame for each operation."""
        return [self._forward(count) for count in range(1, len(self.formula.operations) + 1)]

    def _forward(self, count: int) -> Frame:
        name, text = self.formula.operations[count - 1]
        nodes = [one for one in self.nodes if one.number <= self._newest()[count - 1]]
        says, running = f"{name} = {text} is computed.", None
        if nodes and self.names[nodes[-1]] == name:
            running = self.numbers[nodes[-1]]
            owners = dict.fromkeys(self._owner(array) for array in arrays_of(nodes[-1:]))
            words = f"keeps {enumerated([*owners])} for the way back" if owners else "keeps nothing"
            says += f" Its node, {type(nodes[-1]).__name__}, {words}."
        return Frame(says, count, running, (), (), {}, bytes_of(arrays_of(nodes)), 0)

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
    return _shown(name, leaf)


def _shown(name: str, value: Any) -> Any:
    """Return a leaf or a result, if it can be shown: a tensor, a number, a shape, or several."""
    if isinstance(value, tuple | list):
        for one in value:
            _shown(name, one)
    elif isinstance(value, Tensor):
        if not 1 <= value.numel() <= LARGEST:
            raise FormulaError(f"{name} has {value.numel()} elements; 1 to {LARGEST} can be shown")
    elif not isinstance(value, int | float):
        kind = type(value).__name__
        raise FormulaError(f"{name} is no tensor, no number and no shape, but of type {kind}")
    return value


def _result(name: str, text: str, tensors: dict[str, Any]) -> Any:
    """Run one operation; its text holds names, plain numbers and one operator or call."""
    try:
        return eval(text, {"__builtins__": {}, "norch": norch}, dict(tensors))
    except Exception as error:
        raise FormulaError(f"{name} = {text}: {error}") from None


def _one_number(name: str, result: Any) -> Tensor:
    """Return the result of a formula, if a gradient can begin there."""
    if not isinstance(result, Tensor) or result.node is None:
        raise FormulaError(f"{name} follows no leaf: there is nothing to go back to")
    if result.numel() != 1:
        shape = tuple(result.shape)
        raise FormulaError(f"the result has shape {shape}: end with one number, as by .sum()")
    return result


def arrays_of(nodes: list[Node]) -> list[Any]:
    """Return the arrays that nodes keep."""
    items = [item for node in nodes for item in node.kept or () if isinstance(item, tuple)]
    return [array for _, array, _ in items]


def bytes_of(arrays: list[Any]) -> int:
    """Add up the memory of arrays: what several share, and what one repeats, counts once."""
    found = {}
    for array in arrays:
        for index in product(*map(range, array.shape)):
            steps = sum(i * stride for i, stride in zip(index, array.strides, strict=True))
            found[array.data_ptr + steps * array.itemsize] = array.itemsize
    return sum(found.values())
