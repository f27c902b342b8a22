"""Nested objects <-> JSON plus a flat dict of tensors.

Called by `serialization`. Every value is wrapped in a one-key dict that says what it is, so that
tuples, int keys and None come back as they were.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from norch_autograd import Tensor

RESERVED = "__metadata__"  # safetensors keeps this name for itself


def encode(value: Any, path: str, tensors: dict[str, Tensor]) -> Any:
    """Return `value` as JSON, with every tensor moved to `tensors` under its path.

    >>> tensors = {}
    >>> encode({"w": norch.ones(1), "n": 2}, "", tensors), list(tensors)
    ({'dict': [['w', {'tensor': 'w'}], ['n', {'value': 2}]]}, ['w'])
    """
    if isinstance(value, Tensor):
        name = free_name(path or "tensor", tensors)
        tensors[name] = value
        return {"tensor": name}
    if value is None or isinstance(value, bool | int | float | str):
        return {"value": value}
    if isinstance(value, Mapping):
        pairs = ((checked_key(key, path), join(path, key), item) for key, item in value.items())
        return {"dict": [[key, encode(item, below, tensors)] for key, below, item in pairs]}
    if isinstance(value, list | tuple):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [encode(item, join(path, i), tensors) for i, item in enumerate(value)]}
    raise TypeError(
        f"[save] {path or 'the object'} is a {type(value).__name__}: only tensors, numbers, "
        "strings, bools, None, dicts, lists and tuples are saved (call .state_dict() on a model)"
    )


def checked_key(key: Any, path: str) -> Any:
    """Return a dict key, which may be a str or an int; both come back as they were."""
    if isinstance(key, str) or (isinstance(key, int) and not isinstance(key, bool)):
        return key
    given = type(key).__name__
    raise TypeError(f"[save] a key of {path or 'the dict'} is a {given}: use str or int")


def join(path: str, key: Any) -> str:
    """Return a tensor's name in the file: the keys on its path, joined by dots."""
    return f"{path}.{key}" if path else str(key)


def free_name(path: str, taken: Mapping[str, Tensor]) -> str:
    """Return `path`, numbered where another tensor or safetensors itself has that name."""
    name, number = path, 1
    while name in taken or name == RESERVED:
        number += 1
        name = f"{path}#{number}"
    return name


def decode(node: Any, tensors: Mapping[str, Tensor]) -> Any:
    """Turn what `encode` made back into the object; ValueError or KeyError if it did not."""
    ((kind, content),) = node.items()
    if kind == "tensor":
        return tensors[content]
    if kind == "value":
        return content
    if kind == "dict":
        return {key: decode(item, tensors) for key, item in content}
    if kind == "list":
        return [decode(item, tensors) for item in content]
    if kind == "tuple":
        return tuple(decode(item, tensors) for item in content)
    raise ValueError(f"unknown kind {kind!r} in the header")
