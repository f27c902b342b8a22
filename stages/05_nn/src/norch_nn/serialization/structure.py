"""Nested dicts and lists as JSON beside named tensors, and back: the structure of a saved file.

Called by save_load.py. Every value in the JSON is wrapped in a one-key dict that says what it is,
so that tuples, int keys and None come back as they were. Tensors that share elements are stored
once, the others as views of what is stored, so that they share them again.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import norch_strides as strides
from norch_autograd import Tensor, from_numpy, uint8
from norch_autograd.tensor.storage import storage_of
from norch_nn.serialization.safetensors import METADATA
from norch_strides import Layout

KEY_BITS = 63  # of an int that is a key: larger ones could be chosen to collide as hashes


class Encoder:
    """One object on its way into a file: `tensors` holds what is stored, by name.

    >>> encoder = Encoder()
    >>> encoder.encode({"w": norch.ones(1), "n": 2}, ""), list(encoder.tensors)
    ({'dict': [['w', {'tensor': 'w'}], ['n', {'value': 2}]]}, ['w'])
    """

    def __init__(self) -> None:
        """Nothing is stored yet."""
        self.tensors: dict[str, Tensor] = {}
        self.nodes: dict[str, dict[str, Any]] = {}  # where the JSON tells of each tensor
        self.names: dict[int, str] = {}  # of each tensor met, by its id

    def encode(self, value: Any, path: str) -> dict[str, Any]:
        """Return `value` as JSON, with every tensor moved to `tensors` under its path."""
        if isinstance(value, Tensor):
            return self._tensor(value, path)
        if value is None or isinstance(value, bool | int | float | str):
            return {"value": value}
        if _is_numpy(value, "ndarray"):
            return {"array": self._tensor(_as_tensor(value, path), path)}
        if _is_numpy(value, "generic"):
            return {"scalar": self._tensor(_as_tensor(value, path), path)}
        if isinstance(value, Mapping):
            pairs = [(_check_key(key, path), item) for key, item in value.items()]
            return {"dict": [[key, self.encode(item, join(path, key))] for key, item in pairs]}
        if isinstance(value, list | tuple):
            kind = "tuple" if isinstance(value, tuple) else "list"
            return {kind: [self.encode(item, join(path, i)) for i, item in enumerate(value)]}
        raise TypeError(
            f"[save] {path or 'the object'} is a {type(value).__name__}: {_hint(value)}"
        )

    def _tensor(self, tensor: Tensor, path: str) -> dict[str, Any]:
        """Return the JSON of a tensor, the same for one that was met before."""
        name = self.names.get(id(tensor))
        if name is None:
            name = self.names[id(tensor)] = self._free_name(path or "tensor")
            self.tensors[name] = tensor
            self.nodes[name] = {"tensor": name}
        return self.nodes[name]

    def _free_name(self, path: str) -> str:
        """Return `path`, numbered where another tensor or safetensors itself has that name."""
        name, number = path, 1
        while name in self.tensors or name == METADATA:
            number += 1
            name = f"{path}#{number}"
        return name

    def share(self) -> None:
        """Store elements that several tensors to be saved show once."""
        storages: dict[Any, list[str]] = {}
        for name, tensor in self.tensors.items():
            storages.setdefault(storage_of(tensor.array), []).append(name)
        for names in storages.values():
            for group in _overlapping(names, self.tensors):
                if len(group) > 1 and _share_elements([self.tensors[name] for name in group]):
                    self._store_once(group)

    def _store_once(self, names: list[str]) -> None:
        """Keep one tensor that holds all elements, and make the others views of it."""
        arrays = {name: self.tensors[name].array for name in names}
        low, high = _range_of(list(arrays.values()))
        whole = Layout((high - low + 1,), (1,), low)
        first = arrays[names[0]]
        for name, array in arrays.items():
            if array.dtype is not first.dtype:
                raise RuntimeError(
                    f"[save] {names[0]} and {name} show the same memory as {first.dtype} and "
                    f"{array.dtype}: clone() one of them first"
                )
        covering = [n for n, a in arrays.items() if a.is_contiguous and a.numel == high - low + 1]
        if covering:
            source = covering[0]
        else:
            source = self._free_name(f"{names[0]}.storage")
            self.tensors[source] = Tensor(first.storage_as(first.dtype).view(whole))
        for name, array in arrays.items():
            if name != source:
                del self.tensors[name]
                node = self.nodes[name]
                node.clear()
                layout = [list(array.shape), list(array.strides), array.offset - low]
                node["view"] = [source, *layout]


def _is_numpy(value: Any, kind: str) -> bool:
    """Whether a `value` to be saved is NumPy's `ndarray` or `generic`; NumPy is not imported."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, getattr(numpy, kind))


def _as_tensor(value: Any, path: str) -> Tensor:
    """Return a NumPy array or scalar that is to be saved as a tensor."""
    import numpy

    try:
        return from_numpy(numpy.asarray(value).copy())
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"[save] {path or 'the object'} is a NumPy {type(value).__name__} of {value.dtype}, "
            "which no tensor can hold: convert it first"
        ) from error


def _hint(value: Any) -> str:
    """Say what to do with an object that cannot be saved."""
    if hasattr(value, "state_dict"):
        return "save its state_dict(), for example norch.save(model.state_dict(), file)"
    return (
        "only tensors, numbers, strings, bools, None, dicts, lists, tuples and NumPy's arrays are "
        "saved"
    )


def _check_key(key: Any, path: str) -> Any:
    """Return a dict key, which may be a str or an int; both come back as they were."""
    if isinstance(key, str):
        return key
    if isinstance(key, int) and not isinstance(key, bool) and key.bit_length() <= KEY_BITS:
        return key
    given = "large int" if type(key) is int else type(key).__name__
    raise TypeError(f"[save] a key of {path or 'the dict'} is a {given}: use str or int")


def join(path: str, key: Any) -> str:
    """Return a tensor's name in the file: the keys on its path, joined by dots."""
    return f"{path}.{key}" if path else str(key)


def _range_of(arrays: list[Any]) -> tuple[int, int]:
    """Return the first and the last place that arrays to be saved show of their storage."""
    ranges = [strides.bounds(array.layout) for array in arrays]
    found = [pair for pair in ranges if pair is not None]
    return min(low for low, _ in found), max(high for _, high in found)


def _overlapping(names: list[str], tensors: Mapping[str, Tensor]) -> list[list[str]]:
    """Return the names of tensors to be saved, in groups whose bytes in their storage overlap."""
    shown = [name for name in names if tensors[name].numel()]
    ranges = {name: _range_in_bytes(tensors[name].array) for name in shown}
    groups: list[list[str]] = []
    end = -1
    for name in sorted(shown, key=lambda name: ranges[name][0]):
        if ranges[name][0] > end:
            groups.append([])
        groups[-1].append(name)
        end = max(end, ranges[name][1])
    return groups


def _range_in_bytes(array: Any) -> tuple[int, int]:
    """Return the first and the last byte that an array to be saved shows of its storage."""
    low, high = _range_of([array])
    return low * array.itemsize, (high + 1) * array.itemsize - 1


def _share_elements(tensors: list[Tensor]) -> bool:
    """Whether tensors to be saved have elements in common: q, k = x.split(4, dim=1) have not."""
    arrays = [tensor.array for tensor in tensors]
    if len({array.dtype for array in arrays}) > 1:
        return True
    layouts = {array.layout for array in arrays}
    if len(layouts) < len(arrays) or any(map(strides.overlaps, layouts)):  # tied, or expanded
        return True
    low, high = _range_of(arrays)
    ops = arrays[0].ops
    seen = ops.zeros((high - low + 1,), uint8)
    for array in arrays:
        places = seen.view(Layout(array.shape, array.strides, array.offset - low))
        if ops.any(places).item():
            return True
        ops.fill_(places, 1)
    return False


def decode(node: Any, tensors: Mapping[str, Tensor]) -> Any:
    """Turn what `encode` made back into the object; ValueError or KeyError if it did not."""
    ((kind, content),) = node.items()
    if kind == "value":
        return content
    if kind == "tensor":
        return tensors[content]
    if kind == "view":
        source, shape, steps, offset = content
        return Tensor(tensors[source].array.view(Layout(tuple(shape), tuple(steps), offset)))
    if kind == "dict":
        return {_known_key(key): decode(item, tensors) for key, item in content}
    if kind == "list":
        return [decode(item, tensors) for item in content]
    if kind == "tuple":
        return tuple(decode(item, tensors) for item in content)
    if kind == "array":
        return _as_numpy(decode(content, tensors))
    if kind == "scalar":
        return _as_numpy(decode(content, tensors))[()]
    raise ValueError(f"unknown kind {kind!r} in the header")


def _as_numpy(tensor: Tensor) -> Any:
    """Return a NumPy array of a loaded tensor; int64, not "long long", which is the same."""
    found = tensor.cpu().numpy()
    return found.view(found.dtype.str)


def _known_key(key: Any) -> Any:
    """Return a dict key of a loaded file."""
    if type(key) is int and key.bit_length() > KEY_BITS:
        raise ValueError("a key of more than 63 bits")
    return key
