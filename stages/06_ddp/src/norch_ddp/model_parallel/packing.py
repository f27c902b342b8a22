"""What the graph keeps of parameters that are whole for a moment: their numbers, not their values.

A unit (unit.py) gathers parameters for a forward; operations would keep them until backward. Packed
as "parameter i of this unit", they can be let go in between: the first that backward asks for lets
the unit gather again. Nothing here sends.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from norch_autograd import Tensor, as_strided
from norch_autograd.autograd import saved_tensors_hooks
from norch_autograd.types.modes import mode
from norch_ddp.model_parallel.sharding import ShardedParameter


class Gathering(Protocol):
    """What is asked of a unit of parameters."""

    shards: list[ShardedParameter]

    def whole_for_backward(self) -> list[Tensor]:
        """Return the whole parameters, gathered if they are not there."""

    def drop(self) -> None:
        """Forget them."""


class View(NamedTuple):
    """What is kept in place of a whole parameter or a view of it."""

    number: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int


def as_it_is(kept: Any) -> Any:
    """Return what is kept, where there are no hooks outside."""
    return kept


class Packing:
    """Keeps "parameter i of the unit" for whole parameters, and views of them, in one forward.

    What else is kept goes through the hooks outside: those of a `checkpoint` around the unit.
    """

    def __init__(self, unit: Gathering, wholes: tuple[Tensor, ...]) -> None:
        self._unit = unit
        self._outer = mode.packers[-1] if mode.packers else (as_it_is, as_it_is)
        self._numbers = {whole.untyped_storage().data_ptr(): i for i, whole in enumerate(wholes)}
        self._versions = self._versions_now()
        self._packs = self._unpacks = 0

    def hooks(self) -> saved_tensors_hooks:
        """Return the context in which operations keep parameters so."""
        return saved_tensors_hooks(self.pack, self.unpack)

    def pack(self, tensor: Tensor) -> Any:
        """Return a `View` of a parameter; leave other tensors to the hooks outside, if any."""
        number = self._numbers.get(tensor.untyped_storage().data_ptr())
        if number is None:
            return self._outer[0](tensor)
        self._packs += 1
        return View(number, tuple(tensor.shape), tensor.stride(), tensor.storage_offset())

    def unpack(self, handle: Any) -> Tensor:
        """Return what `pack` was given."""
        if not isinstance(handle, View):
            kept: Tensor = self._outer[1](handle)
            return kept
        self.check_versions()
        whole = self._unit.whole_for_backward()[handle.number]
        found = as_strided(whole, handle.shape, handle.strides, handle.offset)
        self._unpacks += 1
        if self._unpacks % self._packs == 0:  # the last: also where no gradient is to be scattered
            self._unit.drop()
        return found

    def check_versions(self) -> None:
        """Refuse a backward after a change of the parameters."""
        if self._versions_now() != self._versions:
            raise RuntimeError(
                "[fully_shard] parameters were changed between forward and backward, which needs "
                "their old values: call backward before optimizer.step()"
            )

    def _versions_now(self) -> list[int]:
        """Return the versions of the unit's shards: another one after each change in place."""
        return [parameter._version for parameter in self._unit.shards]
