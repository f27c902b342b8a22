"""Trees of tensors: what a loader yields and a model returns, such as `{"x": a, "y": (b, c)}`.

`map_tensors` is used to move, cast, gather and cut whole batches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from norch_autograd import Tensor


def map_tensors(function: Callable[[Tensor], Any], tree: Any) -> Any:
    """Return the tree with `function` applied to each tensor; all else stays as it is.

    >>> from norch_autograd import ones
    >>> map_tensors(lambda t: t.shape, {"a": ones(2), "b": [ones(1, 3), "text"]})
    {'a': norch.Size([2]), 'b': [norch.Size([1, 3]), 'text']}
    """
    if isinstance(tree, Tensor):
        return function(tree)
    if isinstance(tree, Mapping):
        return type(tree)((key, map_tensors(function, item)) for key, item in tree.items())
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):  # a named tuple
        return type(tree)(*(map_tensors(function, item) for item in tree))
    if isinstance(tree, list | tuple):
        return type(tree)(map_tensors(function, item) for item in tree)
    return tree
