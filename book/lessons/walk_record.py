"""Chapter 4: what norch does with a formula, forward and backward, one frame after the other.

`record` lets norch's engine walk back; hooks on every node see the gradients, and what the nodes
keep is counted between them. `record_impatient` tells the wrong walk of lessons/walks.py.
figures/stepper.py draws both. No derivative is computed here.
"""

from typing import Any

import norch_autograd as norch
from lessons import walks
from lessons.computed import Computed, arrays_of, bytes_of
from lessons.formulas import FormulaError, cut
from lessons.frames import Frame, Recording, Sent, ends, enumerated, spelled
from norch_autograd import Tensor
from norch_autograd.graph.node import Edge, Node


def record(text: str) -> Recording:
    """Compute a formula, walk back through it, and tell every step."""
    formula = cut(text)
    with norch.enable_grad():
        made = Computed(formula)
        places = made.places()
        try:
            frames = made.forward() + _Watch(made).frames()
        except Exception as error:
            raise FormulaError(f"norch cannot walk back through it: {error}") from error
    return Recording(text, places, frames)


def record_impatient(text: str) -> Recording:
    """Compute a formula of single numbers and tell the steps of the impatient, wrong walk."""
    formula = cut(text)
    with norch.enable_grad():
        made = Computed(formula)
        places = made.places()
        if any(place.shape for place in places):
            raise FormulaError("the impatient walk is told of single numbers: give it no lists")
        return Recording(text, places, _Impatient(made).frames())


def gradients(recording: Recording) -> str:
    """Say what the leaves have got in the end."""
    last = recording.frames[-1].total
    leaves = [(k, one) for k, one in enumerate(recording.places) if one.kind == "leaf"]
    return f"Gradients: {ends({place.name: last[k] for k, place in leaves})}."


class _Watch:
    """Looks on, by hooks, while the engine walks back. `arrived` is what waits at places, as in the
    engine; a frame is finished when the next node begins, for then the last has let go.
    """

    def __init__(self, made: Computed) -> None:
        self.made, self.numbers, self.names = made, made.numbers, made.names
        self.arrived: dict[Edge, Tensor] = {}
        self.total: dict[int, Any] = {}
        self.ran: list[Node] = []
        self.sent: list[Sent] = []
        self.says = f"Now back. The gradient of {made.formula.result}, the result, is 1."
        self.found: list[Frame] = []

    def frames(self) -> list[Frame]:
        """Let the engine walk, and return what was seen."""
        for node in self.made.nodes:
            node.register_prehook(lambda grads, node=node: self.before(node, *grads))
            node.register_hook(lambda parts, _, node=node: self.after(node, parts))
        self.made.result.backward()
        self.finish()
        leaves = {self.names[leaf]: leaf.grad.tolist() for leaf in self.made.leaves}
        says = f"{self.says} All nodes have run. Gradients: {ends(leaves)}."
        return [*self.found[:-1], self.found[-1]._replace(says=says)]

    def before(self, node: Node, grad: Tensor) -> None:
        """A node begins: the frame before it is complete."""
        self.arrived[node] = grad
        self.total[self.numbers[node]] = grad.tolist()
        self.finish()
        del self.arrived[node]

    def after(self, node: Node, parts: tuple[Tensor | None, ...]) -> None:
        """A node has run: its parts go to its edges."""
        self.ran.append(node)
        self.sent, words = [], []
        for slot, (edge, part) in enumerate(zip(node.edges, parts, strict=True)):
            if edge is not None and part is not None:
                self.sent.append(Sent(slot, self.numbers[edge], part.tolist()))
                words.append(self.take(edge, part))
        grad = spelled(self.total[self.numbers[node]])
        self.says = f"{self.names[node]} runs. It has got {grad} and sends {enumerated(words)}."
        self.says += self.waiting(node)

    def take(self, edge: Edge, part: Tensor) -> str:
        """Add what arrives at a place, and say so."""
        had = self.arrived.get(edge)
        with norch.no_grad():
            self.arrived[edge] = part if had is None else had + part
        now = self.total[self.numbers[edge]] = self.arrived[edge].tolist()
        words = f"{spelled(part.tolist())} to {self.names[edge]}"
        if had is None:
            return words
        if part.ndim:
            return f"{words}, added to what was there"
        return f"{words}, which had {spelled(had.tolist())} and now has {spelled(now)}"

    def waiting(self, sender: Node) -> str:
        """Say which of the nodes that were sent something must wait, and for whom."""
        words = ""
        for node in self.made.nodes:
            users = [one for one in self.made.nodes if any(end is node for end in one.edges)]
            late = [self.names[one] for one in users if one not in self.ran]
            if sender in users and late:
                words += f" {self.names[node]} must wait for {enumerated(late)}."
        return words

    def finish(self) -> None:
        """Note the frame of what ran last; leaves have their `.grad` by now."""
        complete = [leaf for leaf in self.made.leaves if leaf.grad is not None]
        for leaf in complete:
            self.arrived.pop(leaf, None)
            self.total[self.numbers[leaf]] = leaf.grad.tolist()
        alive = [one.array for one in (*self.arrived.values(), *(leaf.grad for leaf in complete))]
        ran = tuple(self.numbers[one] for one in self.ran)
        count = len(self.made.formula.operations)
        kept = bytes_of(arrays_of(self.made.nodes))
        self.found.append(
            Frame(
                self.says,
                count,
                ran[-1] if ran else None,
                tuple(self.sent),
                ran,
                dict(self.total),
                kept,
                bytes_of(alive),
            )
        )


class _Impatient:
    """Looks on while the impatient walk goes: a node with two users runs more than once."""

    def __init__(self, made: Computed) -> None:
        self.made, self.numbers, self.names = made, made.numbers, made.names
        self.total: dict[int, Any] = {}
        self.ran: list[int] = []
        self.found: list[Frame] = []

    def frames(self) -> list[Frame]:
        """Walk, and return what was seen; the last frame compares with the right walk."""
        self.note(f"The gradient of {self.made.formula.result}, the result, is 1.")
        walks.impatient(self.made.result, self.seen)
        right = walks.newest_first(self.made.result, lambda node, grad: None)
        leaves = self.made.leaves
        ours = ends({self.names[one]: self.total[self.numbers[one]] for one in leaves})
        truth = ends({self.names[one]: right[one].tolist() for one in leaves})
        verdict = "right here" if ours == truth else f"wrong: right is {truth}"
        says = f"{self.found[-1].says} Gradients: {ours}. That is {verdict}."
        return [*self.found[:-1], self.found[-1]._replace(says=says)]

    def seen(self, node: Node, grad: Tensor) -> None:
        """A node runs, with all that has arrived so far."""
        at, parts = self.numbers[node], walks.shares(node, grad, last_first=False)
        slots = [slot for slot, edge in enumerate(node.edges) if edge is not None]
        sent = [
            Sent(slot, self.numbers[edge], part.tolist())
            for slot, (edge, part) in zip(slots, parts, strict=True)
        ]
        again = "again, on its whole total" if at in self.ran else "at once, on"
        words = [f"{spelled(one.part)} to {self.names[self.made.edges[one.to]]}" for one in sent]
        self.total[at] = grad.tolist()
        self.ran.append(at)
        for one in sent:
            if one.to < len(self.made.leaves):  # a leaf only adds up
                self.total[one.to] = self.total.get(one.to, 0.0) + one.part
        says = f"{self.names[node]} runs {again} {spelled(grad.tolist())}."
        self.note(f"{says} It sends {enumerated(words)}.", at, sent)

    def note(self, says: str, at: int | None = None, sent: list[Sent] | None = None) -> None:
        """Note a frame."""
        count = len(self.made.formula.operations)
        ran, total = tuple(self.ran), dict(self.total)
        self.found.append(Frame(says, count, at, tuple(sent or ()), ran, total, None, 0))
