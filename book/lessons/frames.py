"""Chapter 4: the form of a recorded walk, and the English in which gradients and names are told.

A recording has places, and what is to be seen of them frame by frame. lessons/walk_record.py fills
it, figures/stepper.py draws it. Nothing here computes.
"""

from typing import Any, NamedTuple


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


class Sent(NamedTuple):
    """A gradient on its way: along which edge of the running node, to which place."""

    slot: int
    to: int
    part: Any


class Frame(NamedTuple):
    """One moment: what has run and sent, all gradients so far, and the bytes that are alive."""

    says: str
    made: int  # operations computed so far
    running: int | None
    sent: tuple[Sent, ...]
    ran: tuple[int, ...]
    total: dict[int, Any]
    saved: int | None  # None: not counted
    gradients: int


class Recording(NamedTuple):
    """A formula, its places (leaves first, then nodes as they were made) and the frames."""

    text: str
    places: list[Place]
    frames: list[Frame]


def spelled(value: Any) -> str:
    """Spell a gradient: a number, or the shape of more.

    >>> spelled(0.30000001), spelled([[1.0, 2.0]])
    ('0.3', 'a gradient of shape (1, 2)')
    """
    if not isinstance(value, list):
        return f"{value + 0.0:.4g}"  # no minus zero
    return f"a gradient of shape {shape_of(value)}"


def shape_of(value: Any) -> tuple[int, ...]:
    """Return the shape of a nested list; of a number none."""
    return (len(value), *shape_of(value[0])) if isinstance(value, list) and value else ()


def enumerated(words: list[str]) -> str:
    """Join words: with commas, and `and` before the last."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def ends(gradients: dict[str, Any]) -> str:
    """Say the gradients of leaves by name."""
    told = {name: shape_of(value) or spelled(value) for name, value in gradients.items()}
    parts = [f"{name} {'of shape ' * isinstance(end, tuple)}{end}" for name, end in told.items()]
    return ", ".join(parts)
