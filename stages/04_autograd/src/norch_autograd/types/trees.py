"""Trees: dicts, lists and tuples in each other, such as `{"x": a, "y": (b, c)}`, with leaves.

A tree is taken apart into its leaves and a `TreeSpec`, and put together again. The Accelerator
moves and casts batches with it; `norch.utils._pytree` re-exports it, because public models import
PyTorch's file of that name. Every mapping is a node; None is a leaf, as there.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple


class TreeSpec(NamedTuple):
    """What a tree is without its leaves: a node of Nones, and the specs below; None for a leaf."""

    node: Any
    children: tuple[TreeSpec, ...] = ()

    @property
    def num_leaves(self) -> int:
        """How many leaves a tree of this spec has."""
        return 1 if self.node is None else sum(child.num_leaves for child in self.children)


LEAF = TreeSpec(None)


def _children(tree: Any) -> Iterable[Any] | None:
    """The children of a dict, list or tuple in a tree; None for a leaf."""
    if isinstance(tree, Mapping):
        return tree.values()
    return tree if isinstance(tree, list | tuple | deque) else None


def _rebuild(node: Any, children: list[Any]) -> Any:
    """A dict, list or tuple like `node` with other children."""
    if isinstance(node, Mapping):
        pairs = zip(node, children, strict=True)
        kind: Any = type(node)
        return kind(node.default_factory, pairs) if isinstance(node, defaultdict) else kind(pairs)
    if isinstance(node, tuple) and hasattr(node, "_fields"):  # a named tuple
        return type(node)(*children)
    if isinstance(node, deque):
        return deque(children, node.maxlen)
    return type(node)(children)


def tree_flatten(
    tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> tuple[list[Any], TreeSpec]:
    """Return the leaves of a tree, from left to right, and the rest of it.

    >>> leaves, spec = tree_flatten({"a": 1, "b": (2, [3, None])})
    >>> leaves, tree_unflatten([4, 5, 6, 7], spec)
    ([1, 2, 3, None], {'a': 4, 'b': (5, [6, 7])})
    """
    children = None if is_leaf is not None and is_leaf(tree) else _children(tree)
    if children is None:
        return [tree], LEAF
    parts = [tree_flatten(child, is_leaf) for child in children]
    leaves = [leaf for part, _ in parts for leaf in part]
    emptied = _rebuild(tree, [None] * len(parts))
    return leaves, TreeSpec(emptied, tuple(spec for _, spec in parts))


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> Any:
    """Return the tree of other leaves."""
    given = list(leaves)
    if len(given) != treespec.num_leaves:
        raise ValueError(
            f"[tree_unflatten] {treespec.num_leaves} leaves belong to this tree, got {len(given)}"
        )
    return _fill(iter(given), treespec)


def _fill(leaves: Any, spec: TreeSpec) -> Any:
    """The tree of a spec, with the next leaves in it."""
    if spec.node is None:
        return next(leaves)
    return _rebuild(spec.node, [_fill(leaves, child) for child in spec.children])


def tree_leaves(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> list[Any]:
    """Return the leaves of a tree.

    >>> tree_leaves([1, {"a": (2, 3)}])
    [1, 2, 3]
    """
    return tree_flatten(tree, is_leaf)[0]


def tree_map(
    func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None
) -> Any:
    """Return the tree of func(leaf, and the leaves of `rests` at its place).

    >>> tree_map(lambda x, y: x + y, {"a": 1, "b": [2]}, {"a": 10, "b": [20]})
    {'a': 11, 'b': [22]}
    """
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [_leaves_at(spec, rest) for rest in rests]
    return tree_unflatten(map(func, leaves, *others), spec)


def _leaves_at(spec: TreeSpec, tree: Any) -> list[Any]:
    """What lies in another tree where `spec` has leaves; ValueError if it is not built alike."""
    if spec.node is None:
        return [tree]
    parts = _children(tree)
    if isinstance(spec.node, Mapping) and isinstance(tree, Mapping):
        parts = [tree[key] for key in spec.node if key in tree]
    same = type(tree) is type(spec.node) and len(tree) == len(spec.children)
    if parts is None or not same or len(list(parts)) != len(tree):
        raise ValueError(
            f"[tree_map] trees must be built alike, and {type(spec.node).__name__} of "
            f"{len(spec.children)} stands beside {type(tree).__name__}"
        )
    pairs = zip(spec.children, parts, strict=True)
    return [leaf for child, part in pairs for leaf in _leaves_at(child, part)]


def tree_map_only(kind: type | tuple[type, ...], func: Callable[[Any], Any], tree: Any) -> Any:
    """Return the tree with `func` applied to the leaves of a kind; all others stay as they are.

    >>> tree_map_only(norch.Tensor, lambda t: t.shape, {"a": norch.ones(2), "b": [3, "text"]})
    {'a': norch.Size([2]), 'b': [3, 'text']}
    """
    return tree_map(lambda leaf: func(leaf) if isinstance(leaf, kind) else leaf, tree)
