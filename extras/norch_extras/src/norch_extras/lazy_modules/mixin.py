"""Lazy layers: they take the size of their input from the first batch.

Until then their parameters are `UninitializedParameter`s; then the layer becomes the ordinary one,
its class included. Give the parameters to an optimizer before or after, they stay the same objects.
"""

from __future__ import annotations

from typing import Any

from norch_autograd import Tensor, empty
from norch_nn.core.convert import take_over
from norch_nn.core.module import Module
from norch_nn.core.parameter import Parameter


class UninitializedParameter(Parameter):
    """A Parameter whose shape is not known yet; `materialize(shape)` gives it one.

    >>> weight = UninitializedParameter()
    >>> weight.materialize((2, 3)); type(weight).__name__, tuple(weight.shape)
    ('Parameter', (2, 3))
    """

    __slots__ = ()

    def __init__(self, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> None:
        """Remember device and dtype, in a tensor of no elements."""
        super().__init__(empty(0, device=device, dtype=dtype), requires_grad)

    def __deepcopy__(self, memo: dict[int, Any]) -> UninitializedParameter:
        """Copy what is known: whether it learns, its device and its dtype."""
        copy = type(self)(self.requires_grad, self.device, self.dtype)
        memo[id(self)] = copy
        return copy

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Become a Parameter of `shape`, its values uninitialized."""
        device = self.device if device is None else device
        dtype = self.dtype if dtype is None else dtype
        take_over(self, empty(*shape, device=device, dtype=dtype))
        self.__class__ = Parameter  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "<UninitializedParameter>"


def is_lazy(param: Any) -> bool:
    """Whether a parameter has no shape yet.

    >>> is_lazy(UninitializedParameter())
    True
    """
    return isinstance(param, UninitializedParameter)


def _measure_file(module: Any, state_dict: dict[str, Any], prefix: str, *_: Any) -> None:
    """Let a lazy layer take its size from a state_dict: a hook, called before it is loaded."""
    if isinstance(module, Lazy) and not getattr(module, module.unknown):
        size = module._size_in({k: state_dict.get(prefix + k) for k in ("weight", "running_mean")})
        if size:
            module._grow(size)


class Lazy(Module):
    """What lazy layers share: the first call measures the input, then the class is exchanged."""

    unknown = ""  # the attribute that holds the size of the input
    grown: type[Module] = Module  # the class it becomes

    def _wait(self, *names: str, device: Any, dtype: Any) -> None:
        """Put parameters without a shape in place of `names`."""
        self.register_load_state_dict_pre_hook(_measure_file)
        for name in names:
            self.register_parameter(name, UninitializedParameter(device=device, dtype=dtype))

    def has_uninitialized_params(self) -> bool:
        """Whether the first batch has not come yet."""
        return any(is_lazy(p) for p in self.parameters(recurse=False))

    def reset_parameters(self) -> None:
        """Draw the initial values anew, once there are any."""
        if getattr(self, self.unknown) and not self.has_uninitialized_params():
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self, input: Tensor) -> None:
        """Measure the input and make the parameters, unless a state_dict has told the size."""
        if not getattr(self, self.unknown):
            self._grow(self._size_of(input))

    def _grow(self, size: int) -> None:
        """Make the parameters for an input of this size."""
        setattr(self, self.unknown, size)
        for name, shape in self._shapes().items():
            parameter = getattr(self, name)
            if is_lazy(parameter):
                parameter.materialize(shape)
        self.reset_parameters()

    def _size_of(self, input: Tensor) -> int:
        """Return the size that was not known: the number of channels."""
        name = type(self).__name__
        if input.ndim < 2:
            raise RuntimeError(f"[{name}] channels are expected, not shape {tuple(input.shape)}")
        return int(input.shape[1])

    def _size_in(self, saved: dict[str, Any]) -> int:
        """Return the size that the tensors of a state_dict tell; 0 if none does."""
        weight = saved["weight"]
        return 0 if weight is None or weight.ndim < 2 else self._size_by(tuple(weight.shape))

    def _size_by(self, weight: tuple[int, ...]) -> int:
        """Return the size for which a weight has this shape."""
        raise NotImplementedError(f"[{type(self).__name__}] has no _size_by: return an int")

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shapes of the parameters, now that the size is known."""
        raise NotImplementedError(f"[{type(self).__name__}] has no _shapes: return a dict")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Measure the first input, become an ordinary layer, and run it."""
        first = args[0] if args else kwargs["input"]
        self.initialize_parameters(first)
        self.__class__ = self.grown  # type: ignore[assignment]
        return self(*args, **kwargs)
