"""DeviceMesh: ranks in rows and columns, so that each kind of parallelism has groups of its own.

Eight ranks as (2, 2, 2) with the names ("dp", "pp", "tp"): rank = 4 dp + 2 pp + tp. `mesh["tp"]` is
this rank's line along that side, ranks 0 1, 2 3, 4 5 or 6 7: neighbours, because tensor parallelism
speaks the most. Made by `init_device_mesh`, as in PyTorch; it moves no data.
"""

from __future__ import annotations

import math
from itertools import product

from norch_ddp.groups.process_group import (
    ProcessGroup,
    collective_check,
    current_group,
    get_rank,
    init_process_group,
    is_initialized,
)
from norch_ddp.groups.subgroup import split_ranks

DEVICES = ("cpu", "cuda", "cuda-sim")


class DeviceMesh:
    """The groups of this rank along the sides of a grid of ranks."""

    def __init__(
        self,
        device_type: str,
        groups: list[ProcessGroup],
        mesh_dim_names: tuple[str, ...] | None = None,
    ) -> None:
        self.device_type = device_type
        self.mesh_dim_names = mesh_dim_names
        self._groups = groups

    @property
    def ndim(self) -> int:
        """How many sides the grid has."""
        return len(self._groups)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many ranks stand along each side."""
        return tuple(group.size for group in self._groups)

    def size(self, mesh_dim: int | str | None = None) -> int:
        """Return how many ranks stand along one side, or in the whole grid."""
        return math.prod(self.shape) if mesh_dim is None else self.get_group(mesh_dim).size

    def get_coordinate(self) -> list[int]:
        """Return the place of this rank along each side."""
        return [group.rank for group in self._groups]

    def get_local_rank(self, mesh_dim: int | str | None = None) -> int:
        """Return the place of this rank along one side."""
        return self.get_group(mesh_dim).rank

    def get_group(self, mesh_dim: int | str | None = None) -> ProcessGroup:
        """Return the group of this rank along one side; it may be left out if there is only one."""
        if mesh_dim is None:
            if self.ndim > 1:
                raise RuntimeError(
                    f"[DeviceMesh] a mesh of {self.ndim} sides has a group for each: name one of "
                    f"{self.mesh_dim_names or tuple(range(self.ndim))}"
                )
            mesh_dim = 0
        return self._groups[self._side(mesh_dim)]

    def get_rank(self) -> int:
        """Return the number of this process among all."""
        return get_rank()

    def get_all_groups(self) -> list[ProcessGroup]:
        """Return the groups of this rank, side by side."""
        return list(self._groups)

    def __getitem__(self, names: str | tuple[str, ...]) -> DeviceMesh:
        """Return the part of the mesh along the named sides, on which this rank is."""
        names = (names,) if isinstance(names, str) else names
        groups = [self._groups[self._side(name)] for name in names]
        return DeviceMesh(self.device_type, groups, names)

    def _side(self, mesh_dim: int | str) -> int:
        """Return the number of the mesh's side with this name or number."""
        sides = self.mesh_dim_names or ()
        if mesh_dim in sides:
            return sides.index(str(mesh_dim))
        if isinstance(mesh_dim, int) and -self.ndim <= mesh_dim < self.ndim:
            return mesh_dim
        raise KeyError(
            f"[DeviceMesh] the mesh has no side {mesh_dim!r}: its {self.ndim} sides are called "
            f"{sides or 'by number'}"
        )

    def __repr__(self) -> str:
        """Print the sides and their lengths."""
        names = self.mesh_dim_names or tuple(map(str, range(self.ndim)))
        sides = ", ".join(f"{name}={size}" for name, size in zip(names, self.shape, strict=True))
        return f"DeviceMesh({self.device_type!r}, {sides})"


def init_device_mesh(
    device_type: str, mesh_shape: tuple[int, ...], *, mesh_dim_names: tuple[str, ...] | None = None
) -> DeviceMesh:
    """Set all ranks up in a grid, in order: the last side's ranks are neighbours.

    Every rank calls it, and their number must be the product of `mesh_shape`. Where there is no
    process group yet, it is made, as the launcher says.

    >>> mesh = init_device_mesh("cpu", (1, 1), mesh_dim_names=("dp", "tp"))
    >>> mesh, mesh["tp"].get_group().size
    (DeviceMesh('cpu', dp=1, tp=1), 1)
    """
    shape = tuple(mesh_shape)
    if not is_initialized():
        init_process_group()
    with collective_check("init_device_mesh") as call:
        _check_mesh(device_type, shape, mesh_dim_names, current_group().size)
        call.detail = f"({shape}, {mesh_dim_names})"
    groups = []
    for side in range(len(shape)):
        lines = split_ranks("init_device_mesh", lines_along(shape, side))
        groups += [group for group in lines if isinstance(group, ProcessGroup)]
    return DeviceMesh(device_type, groups, mesh_dim_names and tuple(mesh_dim_names))


def lines_along(shape: tuple[int, ...], side: int) -> list[list[int]]:
    """Return the ranks of every line along one side of a grid.

    >>> lines_along((2, 3), 0)
    [[0, 3], [1, 4], [2, 5]]
    >>> lines_along((2, 3), 1)
    [[0, 1, 2], [3, 4, 5]]
    """
    stride = math.prod(shape[side + 1 :])
    starts = product(*(range(1 if i == side else length) for i, length in enumerate(shape)))
    strides = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
    firsts = [sum(i * s for i, s in zip(start, strides, strict=True)) for start in starts]
    return [[first + stride * step for step in range(shape[side])] for first in firsts]


def _check_mesh(
    device_type: str, shape: tuple[int, ...], names: tuple[str, ...] | None, ranks: int
) -> None:
    """Refuse a mesh that does not give every rank one place, or every side a name."""
    if device_type not in DEVICES:
        raise ValueError(f"[init_device_mesh] device {device_type!r} is none of {DEVICES}")
    if not shape or math.prod(shape) != ranks or min(shape) < 1:
        raise ValueError(
            f"[init_device_mesh] a mesh {shape} has {math.prod(shape)} places, and there are "
            f"{ranks} ranks: every rank needs one place"
        )
    if names is not None and (len(set(names)) != len(names) or len(names) != len(shape)):
        raise ValueError(
            f"[init_device_mesh] {len(shape)} sides need as many different names, not {names}"
        )
