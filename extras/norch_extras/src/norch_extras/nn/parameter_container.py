"""ParameterList and ParameterDict: parameters in a row, or by name, that a module finds.

A tensor put in becomes a Parameter. The names in the `state_dict` are "0", "1", ... or the keys.
"""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from norch_autograd import Tensor
from norch_autograd.graph.operands import in_own_name
from norch_nn.core.module import Module, layout_repr
from norch_nn.core.parameter import Parameter
from norch_nn.modules.container import KeyedContainer


class Parameters(Module):
    """What both containers share: named parameters, and how they print."""

    def _put(self, name: str, value: Any) -> None:
        """Register `value`; a plain tensor becomes a Parameter."""
        if isinstance(value, Tensor) and not isinstance(value, Parameter):
            value = Parameter(value)
        self.register_parameter(name, value)

    def __len__(self) -> int:
        return len(self._parameter_names)

    def __repr__(self) -> str:
        """List names, dtypes and shapes."""
        lines = []
        for name, p in self._parameters.items():
            size = "" if p is None else f"{p.dtype} of size {'x'.join(map(str, p.shape))}"
            lines.append(f"({name}): Parameter containing: [{size}]" if size else f"({name}): None")
        kind, rows = type(self).__name__, [f"  {line}" for line in lines]
        if len(rows) == 1:
            return f"{kind}({rows[0]})"  # one row stays on the line, as PyTorch prints it
        return layout_repr(kind, "", rows)


class ParameterList(Parameters):
    """A list of parameters that registers them.

    >>> weights = ParameterList([norch.zeros(2), norch.zeros(3)])
    >>> len(weights), weights[-1].requires_grad, list(weights.state_dict())
    (2, True, ['0', '1'])
    """

    @in_own_name
    def __init__(self, values: Iterable[Any] | None = None) -> None:
        """Register the parameters in the order given."""
        super().__init__()
        if values is not None:
            self.extend(values)

    def _position(self, index: Any) -> str:
        """Turn an index, negative ones too, into a name, or raise IndexError."""
        size, position = len(self), operator.index(index)
        if not -size <= position < size:
            raise IndexError(
                f"[ParameterList] index {position} is out of range for {size} parameters"
            )
        return str(position % size)

    def __getitem__(self, index: int | slice) -> Any:
        """Return a parameter, or a ParameterList for a slice."""
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return self._parameters[self._position(index)]

    def __setitem__(self, index: int, value: Any) -> None:
        self._put(self._position(index), value)

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._parameters.values()))

    def append(self, value: Any) -> Self:
        """Add one parameter at the end."""
        self._put(str(len(self)), value)
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Add several parameters at the end."""
        if isinstance(values, Tensor) or not isinstance(values, Iterable):
            given = type(values).__name__
            raise TypeError(f"[ParameterList] a list of tensors is expected, not a {given}")
        for value in list(values):
            self.append(value)
        return self


class ParameterDict(KeyedContainer, Parameters):
    """A dict of parameters that registers them.

    >>> weights = ParameterDict({"scale": norch.ones(1)})
    >>> weights["shift"] = norch.zeros(1)
    >>> list(weights), list(weights.state_dict())
    (['scale', 'shift'], ['scale', 'shift'])
    """

    _kind = "_parameter_names"

    @in_own_name
    def __init__(self, parameters: Any = None) -> None:
        """Register the parameters under their keys."""
        super().__init__()
        if parameters is not None:
            self.update(parameters)

    def __setitem__(self, key: str, value: Any) -> None:
        self._put(key, value)

    def get(self, key: str, default: Any = None) -> Any:
        """Return the parameter called `key`, or `default`."""
        return self._parameters.get(key, default)

    def popitem(self) -> tuple[str, Any]:
        """Remove the last pair of key and parameter and return it."""
        key = list(self)[-1]
        return key, self.pop(key)

    def setdefault(self, key: str, default: Any = None) -> Any:
        """Return the parameter called `key`; put `default` there if it is new."""
        if key not in self:
            self[key] = default
        return self[key]

    def copy(self) -> Self:
        """Return a new ParameterDict with the same parameters."""
        return type(self)(OrderedDict(self.items()))

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> Self:
        """Return a new ParameterDict with one value under all `keys`."""
        return type(self)(OrderedDict.fromkeys(keys, default))

    def __reversed__(self) -> Iterator[str]:
        """Go through the keys, the last first."""
        return reversed(list(self))

    def __or__(self, other: Self) -> Self:
        """Return a new ParameterDict with the parameters of both; those of `other` win."""
        both = self.copy()
        both.update(other)
        return both

    def __ior__(self, other: Self) -> Self:
        """Add the parameters of `other`."""
        self.update(other)
        return self

    def update(self, parameters: Any) -> None:
        """Add the parameters of a dict, or of pairs of key and parameter.

        As in PyTorch a plain dict is taken in the order of its sorted keys.
        """
        if isinstance(parameters, OrderedDict | ParameterDict):
            pairs = list(parameters.items())
        elif isinstance(parameters, Mapping):
            pairs = sorted(parameters.items())
        else:
            pairs = list(parameters)
        for key, value in pairs:
            self[key] = value
