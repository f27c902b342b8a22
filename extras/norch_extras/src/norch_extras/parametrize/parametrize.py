"""Parametrizations: a parameter that is computed from another one, each time it is asked for.

`register_parametrization(layer, "weight", Symmetric())` keeps the learned tensor aside as
`layer.parametrizations.weight.original` and makes `layer.weight` what Symmetric makes of it. The
layer gets a class of its own, with a property of the parameter's name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from norch_autograd import Tensor, no_grad
from norch_nn.core.convert import take_over
from norch_nn.core.module import Module
from norch_nn.core.parameter import Buffer, Parameter
from norch_nn.modules.container import ModuleDict, ModuleList

Cache = dict[tuple[int, str], Tensor]
caching: list[Cache] = []  # one dict while a `cached()` block is entered


@contextmanager
def cached() -> Iterator[None]:
    """Compute each parametrized tensor once within the block.

    >>> layer = register_parametrization(nn.Linear(2, 2), "weight", nn.Identity())
    >>> with cached():
    ...     layer.weight is layer.weight
    True
    """
    caching.append(caching[-1] if caching else {})
    try:
        yield
    finally:
        caching.pop()


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, in order, and what they start from.

    That is `original`; or, where the last `right_inverse` gives several tensors, `original0`,
    `original1` and so on.
    """

    def __init__(self, modules: Sequence[Module], original: Any, unsafe: bool = False) -> None:
        """Send `original` back through the right_inverse of each, the last first."""
        super().__init__(modules)
        self.unsafe = unsafe
        self.is_parameter = isinstance(original, Parameter)
        wanted = original.requires_grad
        start = self._inverse(original)
        self.is_tensor = isinstance(start, Tensor)
        self.ntensors = 1 if isinstance(start, Tensor) else len(start)
        for name, value in zip(self._names(), _several(start), strict=True):
            self._keep(name, value, original, wanted)

    def _names(self) -> list[str]:
        """The names of the tensors that a parametrization starts from."""
        if self.is_tensor:
            return ["original"]
        return [f"original{i}" for i in range(self.ntensors)]

    def _inverse(self, value: Any) -> Any:
        """Ask the right_inverses what the forwards must start from to give `value`."""
        with no_grad():
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    value = module.right_inverse(value)
        return value

    def _keep(self, name: str, value: Tensor, original: Tensor, wanted: bool) -> None:
        """Register a tensor to start from; the very Parameter where there is only one."""
        if not self.is_parameter:
            self.register_buffer(name, value)
        elif self.is_tensor:
            if value is not original:
                take_over(original, value)
            self.register_parameter(name, original)  # type: ignore[arg-type]
        else:
            self.register_parameter(name, Parameter(value, requires_grad=wanted))

    def right_inverse(self, value: Tensor) -> None:
        """Set the tensors it starts from so that forward gives `value`."""
        parts = _several(self._inverse(value))
        with no_grad():
            for name, part in zip(self._names(), parts, strict=True):
                take_over(getattr(self, name), part)

    def forward(self) -> Tensor:
        """Compute the parametrized tensor."""
        first, *rest = list(self)
        value: Tensor = first(*(getattr(self, name) for name in self._names()))
        for module in rest:
            value = module(value)
        return value


def _several(value: Any) -> list[Tensor]:
    """Return what a right_inverse gives, one tensor or several, as a list."""
    return [value] if isinstance(value, Tensor) else list(value)


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Let `module.<tensor_name>` be `parametrization` of what was there; return the module.

    A second one is applied after the first. A `right_inverse` says what to start from so that the
    present value stays. `unsafe` allows another shape or dtype.

    >>> class Symmetric(Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).mT
    >>> layer = register_parametrization(nn.Linear(2, 2), "weight", Symmetric())
    >>> bool((layer.weight == layer.weight.mT).all()), [n for n, _ in layer.named_parameters()]
    (True, ['bias', 'parametrizations.weight.original'])
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        _append(module, tensor_name, parametrization, unsafe)
        return module
    own = {**module._parameters, **module._buffers}
    if own.get(tensor_name) is None:
        raise ValueError(
            f"[register_parametrization] {type(module).__name__} has no parameter, buffer or "
            f"parametrized tensor {tensor_name!r}"
        )
    original = own[tensor_name]
    made = ParametrizationList([parametrization], original, unsafe)
    if not unsafe:
        _check_kind(made(), original)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        _give_class(module)
        module.add_module("parametrizations", ModuleDict())
    _add_property(module, tensor_name)
    module.get_submodule("parametrizations")[tensor_name] = made
    return module


def _append(module: Module, name: str, parametrization: Module, unsafe: bool) -> None:
    """Apply one more parametrization after those that a tensor has."""
    chain = module.get_submodule("parametrizations")[name]
    with no_grad():
        before = getattr(module, name)
        if not unsafe:
            _check_kind(parametrization(before), before)
        if hasattr(parametrization, "right_inverse"):
            chain.right_inverse(parametrization.right_inverse(before))
    chain.append(parametrization)


def _check_kind(now: Any, before: Tensor) -> None:
    """Raise ValueError for a parametrization that changes shape or dtype."""
    if not isinstance(now, Tensor):
        given = type(now).__name__
        raise ValueError(f"[register_parametrization] forward must give a Tensor, not a {given}")
    for what, new, old in (("dtype", now.dtype, before.dtype), ("shape", now.shape, before.shape)):
        if new != old:
            raise ValueError(
                f"[register_parametrization] forward changes the {what} from {old} to {new}: "
                "pass unsafe=True if that is meant"
            )


class Parametrized:
    """Marks the classes made here; `base` is the class before."""

    base: type[Module]
    computed: tuple[str, ...] = ()  # the names that are properties

    def __setattr__(self, name: str, value: Any) -> None:
        """Assign to a parametrized tensor through its property."""
        if name in type(self).computed:
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)


def _give_class(module: Module) -> None:
    """Give a module to parametrize a class of its own, derived from the one it has."""
    base = type(module)
    made = type(f"Parametrized{base.__name__}", (Parametrized, base), {"base": base})
    object.__setattr__(module, "__class__", made)


def _add_property(module: Any, name: str) -> None:
    """Compute `name` when it is read, and send what is assigned through the right_inverse."""

    def read(self: Any) -> Tensor:
        if not caching:
            value: Tensor = self.parametrizations[name]()
            return value
        key = (id(self), name)
        if key not in caching[-1]:
            caching[-1][key] = self.parametrizations[name]()
        return caching[-1][key]

    def write(self: Any, value: Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    kind = type(module)
    kind.computed = (*kind.computed, name)
    type.__setattr__(kind, name, property(read, write))


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether a module, or one tensor of it, is parametrized.

    >>> is_parametrized(nn.Linear(1, 1))
    False
    """
    found = module._modules.get("parametrizations")
    if not isinstance(found, ModuleDict):
        return False
    return len(found) > 0 if tensor_name is None else tensor_name in found


def remove_parametrizations(
    module: Module, tensor_name: str, leave_parametrized: bool = True
) -> Module:
    """Make an ordinary parameter again: of the value now, or (False) of what it started from.

    >>> layer = register_parametrization(nn.Linear(1, 1), "weight", nn.Identity())
    >>> [n for n, _ in remove_parametrizations(layer, "weight").named_parameters()]
    ['bias', 'weight']
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(
            f"[remove_parametrizations] {tensor_name!r} of {type(module).__name__} has none"
        )
    chains = module.get_submodule("parametrizations")
    chain = chains[tensor_name]
    original: Any = chain.original if chain.is_tensor else None
    if original is None and not leave_parametrized:
        raise ValueError(
            "[remove_parametrizations] it started from several tensors: leave_parametrized=True"
        )
    value = getattr(module, tensor_name).detach() if leave_parametrized else original
    if original is None:
        original = Parameter(value) if chain.is_parameter else Buffer(value)
    elif leave_parametrized:
        take_over(original, value)
    kind: Any = type(module)
    delattr(kind, tensor_name)
    kind.computed = tuple(name for name in kind.computed if name != tensor_name)
    del chains[tensor_name]
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        object.__setattr__(module, "__class__", kind.base)
    if chain.is_parameter:
        module.register_parameter(tensor_name, original)
    else:
        module.register_buffer(tensor_name, original)
    return module


def type_before_parametrizations(module: Module) -> type[Module]:
    """Return the class a module had before it was parametrized.

    >>> type_before_parametrizations(nn.Linear(1, 1)).__name__
    'Linear'
    """
    return type(module).base if isinstance(module, Parametrized) else type(module)
