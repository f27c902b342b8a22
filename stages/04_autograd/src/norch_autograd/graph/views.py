"""Views: who shows whose storage, and what an edit of the one means for the other.

A view knows its base, so that an edit of the one can become the history of the other. A base knows
those of its views that want no gradient, weakly, so that they can be told when it becomes part of a
graph. A view whose base was edited since gets a new node when it is next used (`refresh_view`).
"""

from __future__ import annotations

from typing import Any
from weakref import ref

import norch_strides as strides
from norch_autograd.graph.hooks import hooks_of
from norch_autograd.graph.node import Edge, Gradients, Node, attach_node
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.types.core import in_core
from norch_autograd.types.modes import mode
from norch_strides import Layout

# Why a view cannot be edited: nothing was recorded of where it comes from, or not of it alone.
UNRECORDED = "it was made under no_grad(); make it, or edit it, on the other side of that"
ONE_OF_MANY = "it is one of several views that one operation returned; clone() it, or select it"
INSIDE = "a Function returned it, whose backward knows nothing of the edit; clone() it first"


@in_core
def edge_of(tensor: Tensor | None) -> Edge | None:
    """Where the gradient of `tensor` goes: to its node, or to itself if it is a leaf."""
    if tensor is None or not tensor._requires_grad:
        return None
    if tensor.base is not None and tensor.base[0].node is not tensor.base[1]:
        refresh_view(tensor)  # the base was edited in place since
    return tensor.node or tensor


@in_core
def track_view(view: Tensor, input: Tensor, why_not: str | None = None) -> None:
    """Note whose storage a new view of `input` shows."""
    found = input.base
    if found is None:
        base = input
    else:
        base, why_not = found[0], why_not or found[2]
    if why_not is None and not mode.enabled:
        why_not = UNRECORDED
    view.base = (base, base.node, why_not)
    if not view._requires_grad:  # the base must find it, should it become part of a graph itself
        _remember([view], base)


def track_views(views: list[Tensor], input: Tensor) -> None:
    """`track_view` of all views that one operation returned."""
    if not views:
        return
    track_view(views[0], input, ONE_OF_MANY)
    entry: Any = views[0].base
    for view in views:
        view.base = entry
    if not views[0]._requires_grad:
        _remember(views[1:], entry[0])


def _remember(views: list[Tensor], base: Any) -> None:
    """Let a base know views of it, weakly. At 64, 128, 256, ... those that are gone are dropped.

    Only if they are half or more: else the list would soon be back at this length, and be walked
    at every few views.
    """
    try:
        known = base.views
    except AttributeError:  # the first one
        known = base.views = []
    before = len(known)
    known.extend(map(ref, views))
    if len(known).bit_length() > max(before.bit_length(), 6):
        alive = [view for view in known if view() is not None]
        if 2 * len(alive) <= len(known):
            known[:] = alive


def _let_views_require_grad(base: Any) -> None:
    """Let the views of `base` want gradients, as `base` does now."""
    views = getattr(base, "views", None)
    if views:
        for one in views:
            view = one()
            if view is not None:
                view._requires_grad = True
        views.clear()


def require_grad(tensor: Tensor) -> Tensor:
    """Let a leaf of the graph and its views want gradients; RuntimeError if its dtype has none."""
    if not tensor.array.dtype.is_floating_point:
        raise RuntimeError(
            "[requires_grad] only tensors of floating point dtype can require gradients, "
            f"not {tensor.array.dtype}"
        )
    if not tensor._requires_grad:
        _let_views_require_grad(tensor)
    tensor._requires_grad = True
    return tensor


def set_history(tensor: Tensor, node: Node | None) -> None:
    """Let `tensor` come from `node` from now on; `retain_grad` means what it is now."""
    old = tensor.node
    _let_views_require_grad(tensor)
    tensor.node, tensor._requires_grad = node, True
    kept = None if old is None or old.hooks is None else old.hooks.retained
    if node is not None and kept is not None and kept() is tensor:
        hooks_of(node).retained, old.hooks.retained = kept, None


def refresh_view(view: Tensor) -> None:
    """Let `view` come from its base as the base is now."""
    base, _, why_not = view.base  # type: ignore[misc]
    if why_not is not None and mode.enabled:
        raise RuntimeError(f"[view] the base of a view was edited since, and {why_not}")
    edge = edge_of(base)
    if base.node is not None:  # it may have left the graph, which is no matter of its views
        layouts = both_from_zero(base.array.layout, view.array.layout)
        set_history(view, RefreshedView((edge,), (), layouts))
    view.base = (base, base.node, why_not)


def both_from_zero(base: Layout, view: Layout) -> tuple[Layout, Layout]:
    """The layouts of a base and its view, moved together so that the first place is 0."""
    starts = [found[0] for found in map(strides.bounds, (base, view)) if found]
    start = min(starts, default=0) if len(starts) == 2 else min(base.offset, view.offset, *starts)
    return base.shifted(-start), view.shifted(-start)


def relayout(input: Tensor, written: Layout, read: Layout) -> Tensor:
    """For a view's gradient: `input` written into zeros laid out as `written`, read as `read`.

    >>> from norch_strides import Layout
    >>> relayout(norch.tensor([5., 6.]), Layout((2,), (2,), 0), Layout((4,), (1,), 0))
    tensor([5., 0., 6., 0.])
    """
    x = array_of(input)
    buffer = x.ops.zeros((1 + max(_last(written), _last(read)),), x.dtype)
    x.ops.copy_(buffer.view(written), x)
    out = buffer.view(read)
    edge = edge_of(input) if mode.enabled else None
    return plain(out) if edge is None else attach_node(Through, out, (edge,), (), (written, read))


def _last(layout: Layout) -> int:
    """For `relayout`: the highest place in storage that a layout writes or reads."""
    found = strides.bounds(layout)
    return found[1] if found else -1


class Through(Node):
    """The way back: laid out as it was read, read as it was laid out."""

    def backward(self, grad: Tensor) -> Gradients:
        """The gradient of what was written."""
        written, read = self.context
        return (relayout(grad, read, written),)


class RefreshedView(Through):
    """The node of a view whose base was edited in place since."""

    public_name = "AsStridedBackward0"
