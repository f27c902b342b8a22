"""Views and in-place edits: what it means to change a part.

A view (x[0], x.T, ...) shares its base's storage. Editing the view therefore edits the base:
`rebase` gives the base a history in which the part comes from the edit, and every view of it that
is used later is looked at anew (`refresh_view`). The arithmetic of both is `through`: elements laid
out one way, read another way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import norch_strides as strides
from norch_autograd.bases import settle
from norch_autograd.graph import Gradients, Node, array_of, edge_of, unary
from norch_autograd.mode import mode

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor
    from norch_strides import Layout


class Through(Node):
    """The way back is the same road: laid out as it was read, read as it was laid out."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        written, read = self.context
        return (through(grad, read, written),)


def through(input: Tensor, written: Layout, read: Layout) -> Tensor:
    """Write `input` into empty storage (zeros) with layout `written`, read it with layout `read`.

    >>> import norch_autograd as norch
    >>> from norch_strides import Layout
    >>> through(norch.tensor([5., 6.]), Layout((2,), (2,), 0), Layout((4,), (1,), 0))
    tensor([5., 0., 6., 0.])
    """
    x = array_of(input)
    room = 1 + max(_last(written), _last(read))
    buffer = x.ops.zeros((room,), x.dtype)
    x.ops.copy_(buffer.view(written), x)
    return unary(Through, buffer.view(read), input, (), (written, read))


def _last(layout: Layout) -> int:
    """The highest position a layout touches."""
    found = strides.bounds(layout)
    return found[1] if found else -1


def both_from_zero(base: Layout, view: Layout) -> tuple[Layout, Layout]:
    """The two layouts of one storage, moved together so that the first of their places is 0."""
    starts = [found[0] for found in map(strides.bounds, (base, view)) if found]
    start = min(starts, default=0)
    return base.shifted(-start), view.shifted(-start)


class CopySlices(Node):
    """The base after an edit of one of its views: blame inside the part goes to the edit, the rest
    to the base.
    """

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        base, view = self.context
        dpart = through(grad, base, view) if self.needs(1) else None
        if not self.needs(0):
            return None, dpart
        inside = through(grad.new_ones(view.shape), view, base)
        return grad.masked_fill(inside != 0, 0), dpart

    def name(self) -> str:
        return "CopySlices"


class AsStrided(Through):
    """A view looked at anew after its base was edited."""

    __slots__ = ()


def rebase(view: Tensor, node: Node | None) -> None:
    """Write into the history that `view` was edited in place and now comes from `node`."""
    if view.base is None:
        settle(view, node)
        return
    base = view.base[0]
    layouts = both_from_zero(base.array.layout, view.array.layout)
    settle(base, CopySlices((edge_of(base), node), (), layouts))
    refresh_view(view)


def refresh_view(view: Tensor) -> None:
    """Let `view` come from its base as the base is now."""
    base, _, why_not = view.base  # type: ignore[misc]
    if why_not is not None and mode.enabled:
        raise RuntimeError(f"[view] the base of a view was edited since, and {why_not}")
    edge = edge_of(base)
    if base.node is not None:  # it may have left the graph, which is no matter of its views
        layouts = both_from_zero(base.array.layout, view.array.layout)
        settle(view, AsStrided((edge,), (), layouts))
    view.base = (base, base.node, why_not)
