"""Some of the ranks, as groups of their own: `new_group`, `new_subgroups`.

Its collectives move data between its members alone, beside those of other groups. Ranks keep the
numbers they have among all processes: `src=3` is the same process in every group.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from norch_ddp.groups.process_group import ProcessGroup, collective_check, current_group, groups
from norch_ddp.transports.backend import check_backend
from norch_ddp.transports.work import in_seconds

if TYPE_CHECKING:
    from datetime import timedelta


class NonMember:
    """What `new_group` returns to a rank that is not in the group: its rank there is -1."""

    rank = -1
    size = -1
    backend = None
    ranks: tuple[int, ...] = ()

    def __repr__(self) -> str:
        return "GroupMember.NON_GROUP_MEMBER"


class GroupMember:
    """Everybody's group, and the group of those who are not in it, by PyTorch's names."""

    WORLD = None
    NON_GROUP_MEMBER = NonMember()


group = GroupMember
"""PyTorch's other name: `group.WORLD`."""


def new_group(
    ranks: Sequence[int] | None = None,
    timeout: timedelta | float | None = None,
    backend: str | None = None,
) -> ProcessGroup | NonMember:
    """Make a group of `ranks` (None: of all); every rank must call it, members or not.

    `timeout` is in seconds; without one it is everybody's. The group is the last argument of the
    collectives: `all_reduce(tensor, group=group)`.
    """
    members = current_group().ranks if ranks is None else ranks
    return split_ranks("new_group", [members], timeout, backend)[0]


def split_ranks(
    op: str,
    parts: Sequence[Sequence[int]],
    timeout: timedelta | float | None = None,
    backend: str | None = None,
) -> list[ProcessGroup | NonMember]:
    """Make a group of each of `parts`, which share no rank, by one message; all ranks call it."""
    world = current_group()
    with collective_check(op) as call:
        parts = [_check_ranks(op, world, ranks) for ranks in parts]
        backend = check_backend(op, backend)
        seconds = world.seconds if timeout is None else in_seconds(op, timeout)
        call.detail = f"({', '.join(str(list(ranks)) for ranks in parts)})"
    mine = [i for i, ranks in enumerate(parts) if world.rank in ranks]
    transport = world.transport.split(mine[0] if mine else None, parts, seconds)
    found: list[ProcessGroup | NonMember] = [GroupMember.NON_GROUP_MEMBER for _ in parts]
    if transport is not None:
        group = ProcessGroup(transport, seconds, parts[mine[0]], backend or world.backend)
        groups.append(group)
        found[mine[0]] = group
    return found


Groups = tuple[ProcessGroup | NonMember, list[ProcessGroup | NonMember]]


def new_subgroups(
    group_size: int | None = None,
    group: ProcessGroup | None = None,
    timeout: timedelta | float | None = None,
    backend: str | None = None,
) -> Groups:
    """Cut the ranks into groups of `group_size` neighbours; return this rank's, and all of them.

    Without a size, the ranks of one machine.
    """
    ranks = current_group(group).ranks
    size = int(os.environ.get("LOCAL_WORLD_SIZE", len(ranks))) if group_size is None else group_size
    if size < 1 or len(ranks) % size:
        raise ValueError(
            f"[new_subgroups] {len(ranks)} ranks cannot be cut into groups of {size}: "
            "group_size must divide their number"
        )
    parts = [list(ranks[start : start + size]) for start in range(0, len(ranks), size)]
    return new_subgroups_by_enumeration(parts, timeout, backend)


def new_subgroups_by_enumeration(
    ranks_per_subgroup_list: Sequence[Sequence[int]],
    timeout: timedelta | float | None = None,
    backend: str | None = None,
) -> Groups:
    """Make a group of each list of ranks; return this rank's, and all of them."""
    flat = [rank for ranks in ranks_per_subgroup_list for rank in ranks]
    if len(set(flat)) < len(flat):
        raise ValueError(f"[new_subgroups] a rank may be in one group, not in two: {flat}")
    subgroups = split_ranks("new_subgroups", ranks_per_subgroup_list, timeout, backend)
    mine = [group for group in subgroups if not isinstance(group, NonMember)]
    return mine[0] if mine else GroupMember.NON_GROUP_MEMBER, subgroups


def _check_ranks(op: str, world: ProcessGroup, ranks: Sequence[int]) -> tuple[int, ...]:
    """Return a new group's ranks in order; each must exist, once."""
    members = tuple(sorted(ranks))
    if not members or len(set(members)) < len(members) or not set(members) <= set(world.ranks):
        raise ValueError(
            f"[{op}] ranks {list(ranks)} must be some of 0 to {world.size - 1}, each once"
        )
    return members


def member_of(op: str, group: ProcessGroup | NonMember | None) -> ProcessGroup | None:
    """Return `group`, or everybody's; None, and a warning, where this rank is not in it.

    PyTorch warns too, and `op` does nothing then.
    """
    if group is None and groups:
        return groups[0]
    if not isinstance(group, NonMember):
        return current_group(group)
    rank = current_group().rank
    warnings.warn(
        f"[{op}] rank {rank} is not in this group, so the call does nothing here: "
        "ask first, if get_rank(group) >= 0",
        stacklevel=3,
    )
    return None


def get_process_group_ranks(group: ProcessGroup | None = None) -> list[int]:
    """Return the members of a group, by their numbers among all processes."""
    return list(current_group(group).ranks)


def get_group_rank(group: ProcessGroup, global_rank: int) -> int:
    """Return the number in `group` of the process that is `global_rank` among all."""
    if global_rank not in current_group(group).ranks:
        raise ValueError(
            f"[get_group_rank] rank {global_rank} is not in the group, which has {group.ranks}"
        )
    return group.group_rank(global_rank)


def get_global_rank(group: ProcessGroup, group_rank: int) -> int:
    """Return the number among all processes of the process that is `group_rank` in `group`."""
    ranks = current_group(group).ranks
    if not 0 <= group_rank < len(ranks):
        raise ValueError(
            f"[get_global_rank] rank {group_rank} is not in the group: ranks in it are 0 to "
            f"{len(ranks) - 1}"
        )
    return ranks[group_rank]
