"""Views and their bases: who shows whose storage.

A view knows its base, so that an edit of the one can become the history of the other (ops/views.py
does that). A base knows those of its views that want no gradient, weakly, so that they can be told
when it becomes part of a graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import ref

from norch_autograd.hooks import hooks_of
from norch_autograd.mode import mode

if TYPE_CHECKING:
    from norch_autograd.node import Node

# Why a view cannot be edited: nothing was recorded of where it comes from, or not of it alone.
UNRECORDED = "it was made under no_grad(); make it, or edit it, on the other side of that"
ONE_OF_MANY = "it is one of several views that one operation returned; clone() it, or select it"
INSIDE = "a Function returned it, whose backward knows nothing of the edit; clone() it first"
FULL = frozenset(64 << k for k in range(40))  # lengths at which views that are gone are forgotten


def relate(view: Any, input: Any, why_not: str | None = None) -> None:
    """Note whose storage a new view of `input` shows."""
    found = input.base
    if found is None:
        base = input
    else:
        base, why_not = found[0], why_not or found[2]
    if why_not is None and not mode.enabled:
        why_not = UNRECORDED
    view.base = (base, base.node, why_not)
    if not view.tracked:  # the base must find it, should it become part of a graph itself
        try:
            views = base.views
        except AttributeError:  # the first one
            views = base.views = []
        views.append(ref(view))
        if len(views) in FULL:
            views[:] = [one for one in views if one() is not None]


def wake(base: Any) -> None:
    """Its views want gradients now, as `base` does."""
    views = getattr(base, "views", None)
    if views:
        for one in views:
            view = one()
            if view is not None:
                view.tracked = True
        views.clear()


def settle(tensor: Any, node: Node | None) -> None:
    """Let `tensor` come from `node` from now on; `retain_grad` means what it is now."""
    old = tensor.node
    wake(tensor)
    tensor.node, tensor.tracked = node, True
    kept = None if old is None or old.hooks is None else old.hooks.retained
    if node is not None and kept is not None and kept() is tensor:
        hooks_of(node).retained, old.hooks.retained = kept, None
