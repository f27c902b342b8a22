"""Sharded checkpoints: every rank writes what it has, and any number of ranks can read it.

A checkpoint is a folder: `rank-3.safetensors` with the pieces that rank 3 wrote, and
`metadata.json`, written last, which says of every tensor where in the whole each piece belongs. A
reader needs only to know which part of a whole it wants: four ranks of ZeRO-3 save, two stages of a
pipeline load, or one process alone. What several ranks have is written once, and must be equal:
that is seen by checksums. Saving brings lists of names to the first rank, which says who writes
what, and never a tensor; loading sends nothing. The names are those of
`torch.distributed.checkpoint`. A folder is one save: give each step its own.
"""

from __future__ import annotations

import json
import math
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from zlib import crc32

from norch_autograd import Tensor, no_grad
from norch_ddp.collectives.objects import gather_object, scatter_object_list
from norch_ddp.groups.process_group import ProcessGroup, collective_check, current_group
from norch_ddp.model_parallel.named_state import Box, Entry, NamedState
from norch_nn.serialization import load as load_file, save as save_file
from norch_nn.serialization.files import elements_of, explain_damage, replacing

METADATA = "metadata.json"

ONE_NAME = (
    "one name is one thing on all ranks. Give what is cut as its module or optimizer, not as their "
    "state_dict; make equal what has drifted apart (broadcast); name each rank's own by its rank"
)
MARKS = ({"tuple"}, {"dict"})
"""What `to_json` marks with."""

Piece = dict[str, Any]
"""{"file": ..., "key": ..., "box": (starts, lengths)}: where a block of a tensor is kept."""


def save(
    state_dict: dict[str, Any],
    *,
    checkpoint_id: str | Path,
    process_group: ProcessGroup | None = None,
) -> None:
    """Write modules, optimizers, schedules and plain values, by name; every rank calls it.

    Parameters are saved under the names that they have in their module, so stages of a pipeline
    must keep those of the whole model. What ranks call alike must be alike, but for the buffers of
    modules: the lowest rank's are written.

    >>> import tempfile
    >>> dist.init_process_group()
    >>> model, folder = nn.Linear(2, 1), tempfile.mkdtemp()
    >>> save({"model": model, "epoch": 3}, checkpoint_id=folder)
    >>> found = {"model": nn.Linear(2, 1), "epoch": 0}
    >>> load(found, checkpoint_id=folder)
    >>> found["epoch"], bool((found["model"].weight == model.weight).all())
    (3, True)
    """
    group, folder = current_group(process_group), Path(checkpoint_id)
    with collective_check("checkpoint.save", group):
        state = NamedState(state_dict)
        values = {name: to_json(name, value) for name, value in state.values.items()}
        folder.mkdir(parents=True, exist_ok=True)
        if group.rank == 0:
            (folder / METADATA).unlink(missing_ok=True)  # half a checkpoint is none
    everybody: list[Any] | None = [None] * group.size if group.rank == 0 else None
    mine = [describe_pieces(entry) for entry in state.entries], values
    gather_object(mine, everybody, group.ranks[0], group)
    metadata, plans = ({}, None) if everybody is None else share_out(everybody)
    plan: list[Any] = [None]
    scatter_object_list(plan, plans, group.ranks[0], group)
    with collective_check("checkpoint.save", group):
        pieces = pieces_of(plan[0], state.entries)
        save_file(pieces, folder / file_of(group.rank))
    with collective_check("checkpoint.save", group):
        if group.rank == 0:
            with replacing(folder / METADATA) as file:
                file.write(json.dumps(metadata).encode())


def load(
    state_dict: dict[str, Any],
    *,
    checkpoint_id: str | Path,
    process_group: ProcessGroup | None = None,
) -> None:
    """Fill this rank's parts of the tensors in place, and replace values; each rank for itself.

    A name that the checkpoint lacks raises `KeyError` and another shape `ValueError`, before
    anything has changed: on all ranks of `process_group`, if there is one, which all must call it.
    """
    folder = Path(checkpoint_id)
    with collective_check("checkpoint.load", process_group) if process_group else nullcontext():
        state, tensors, values = open_checkpoint(state_dict, folder)
    with explain_damage(str(folder), "checkpoint"):
        read_pieces(state.entries, tensors, folder)
    state.finish(values)


def open_checkpoint(
    state_dict: dict[str, Any], folder: Path
) -> tuple[NamedState, dict[str, Any], dict[str, Any]]:
    """Return what is to be read, and what the checkpoint has of tensors and of values."""
    path = folder / METADATA
    if not path.is_file():
        raise FileNotFoundError(f"[checkpoint.load] {path} is missing: no whole checkpoint is here")
    with explain_damage(str(path), "list of a checkpoint's tensors"):
        metadata = json.loads(path.read_text())
        tensors = metadata["tensors"]
        for tensor in tensors.values():
            tensor["shape"] = tuple(tensor["shape"])
            for piece in tensor["pieces"]:
                piece["box"] = Box(*(tuple(map(int, numbers)) for numbers in piece["box"]))
        values = {name: from_json(value) for name, value in metadata["values"].items()}
    state = NamedState(state_dict, list(tensors))
    missing = [e.name for e in state.entries if e.name not in tensors]
    missing += [name for name in state.values if name not in values]
    if missing:
        raise KeyError(f"[checkpoint.load] {folder} has no {', '.join(missing)}")
    for entry in state.entries:
        if tensors[entry.name]["shape"] != entry.shape:
            raise ValueError(
                f"[checkpoint.load] {entry.name} was saved as "
                f"{list(tensors[entry.name]['shape'])} in {folder}, here it is {list(entry.shape)}"
            )
    return state, tensors, values


def file_of(rank: int) -> str:
    """Return the name of the checkpoint's file that a rank writes."""
    return f"rank-{rank}.safetensors"


def to_json(name: str, value: Any) -> Any:
    """Return a checkpoint's value as JSON, so that `from_json` finds tuples and numbered keys.

    >>> to_json("rate", {"betas": (0.9, 0.99), "steps": [1, 2]})
    {'betas': {'tuple': [0.9, 0.99]}, 'steps': [1, 2]}
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        parts = [to_json(name, part) for part in value]
        return parts if isinstance(value, list) else {"tuple": parts}
    if isinstance(value, dict):
        pairs = [(to_json(name, key), to_json(name, part)) for key, part in value.items()]
        if all(isinstance(key, str) for key in value) and set(value) not in MARKS:
            return dict(pairs)
        return {"dict": pairs}
    raise TypeError(
        f"[checkpoint.save] {name} is a {type(value).__name__}: expected modules, "
        "optimizers, tensors, or plain numbers and texts in lists, tuples and dicts"
    )


def from_json(value: Any) -> Any:
    """Return the checkpoint's value of which `to_json` has made this.

    >>> from_json({"dict": [[1, "one"]]})
    {1: 'one'}
    """
    if isinstance(value, list):
        return [from_json(part) for part in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"tuple"}:
        return tuple(from_json(value["tuple"]))
    if value.keys() == {"dict"}:
        return {from_json(key): from_json(part) for key, part in value["dict"]}
    return {key: from_json(part) for key, part in value.items()}


def describe_pieces(entry: Entry) -> tuple[str, tuple[int, ...], list[tuple[Box, int]]]:
    """Return what others must know of a saved tensor: its blocks, checksums unless a buffer."""
    pieces = [
        (box, 0 if entry.is_buffer else crc32(elements_of(part), crc32(str(part.dtype).encode())))
        for box, part in entry.pieces()
    ]
    return entry.name, entry.shape, pieces


def share_out(everybody: list[Any]) -> tuple[dict[str, Any], list[Any]]:
    """Return the checkpoint's metadata, and for each rank which pieces it writes, or an error."""
    try:
        tensors = assign_pieces([entries for entries, _ in everybody])
        values = merge_values([values for _, values in everybody])
        check_whole(tensors)
    except ValueError as error:
        return {}, [error] * len(everybody)
    plans: dict[str, list[str]] = {file_of(rank): [] for rank in range(len(everybody))}
    for tensor in tensors.values():
        for piece in tensor["pieces"]:
            plans[piece["file"]].append(piece["key"])
    return {"tensors": tensors, "values": values}, list(plans.values())


def assign_pieces(everybody: list[list[Any]]) -> dict[str, Any]:
    """Return where each block is kept: what several ranks have, the lowest of them writes."""
    tensors: dict[str, Any] = {}
    first_owners: dict[tuple[str, Box], tuple[int, int]] = {}
    for rank, names in enumerate(everybody):
        for name, shape, pieces in names:
            found = tensors.setdefault(name, {"shape": shape, "pieces": []})
            if found["shape"] != shape:
                raise ValueError(
                    f"[checkpoint.save] {name} is {shape} on rank {rank} and {found['shape']} on "
                    f"another: {ONE_NAME}"
                )
            for number, (box, checksum) in enumerate(pieces):
                first, its = first_owners.setdefault((name, box), (rank, checksum))
                if its != checksum:
                    raise ValueError(
                        f"[checkpoint.save] {name} is not the same on ranks {first} and {rank}: "
                        f"{ONE_NAME}"
                    )
                if first == rank:
                    key = f"{name}#{number}"
                    found["pieces"].append({"file": file_of(rank), "key": key, "box": box})
    return tensors


def merge_values(everybody: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the plain values that all ranks give a checkpoint."""
    values: dict[str, Any] = {}
    for rank, its in enumerate(everybody):
        for name, value in its.items():
            if repr(values.setdefault(name, value)) != repr(value):
                raise ValueError(
                    f"[checkpoint.save] {name} is {values[name]!r}, and on rank {rank} {value!r}: "
                    f"{ONE_NAME}"
                )
    return values


def check_whole(tensors: dict[str, Any]) -> None:
    """Refuse to save a tensor of which the ranks of the group have only parts."""
    for name, tensor in tensors.items():
        found = sum(math.prod(piece["box"].lengths) for piece in tensor["pieces"])
        if found < math.prod(tensor["shape"]):
            raise ValueError(
                f"[checkpoint.save] the ranks have {found} numbers of {name}, which has "
                f"{math.prod(tensor['shape'])}: save with the group of all that have a part"
            )


def pieces_of(plan: list[str] | ValueError, entries: list[Entry]) -> dict[str, Tensor]:
    """Return the pieces of a rank's file; a tied tensor under two names is stored once."""
    if isinstance(plan, ValueError):
        raise plan
    pieces = {f"{e.name}#{i}": part for e in entries for i, (_, part) in enumerate(e.pieces())}
    return {key: pieces[key] for key in plan}


@no_grad()
def read_pieces(entries: list[Entry], tensors: dict[str, Any], folder: Path) -> None:
    """Copy into each entry what the checkpoint's files have of it, one after the other."""
    by_file: dict[str, list[tuple[Entry, Piece]]] = {}
    for entry in entries:
        for piece in tensors[entry.name]["pieces"]:
            by_file.setdefault(piece["file"], []).append((entry, piece))
    for file, pairs in sorted(by_file.items()):
        content = None
        for entry, piece in pairs:
            for box, part in entry.pieces():
                common = box.meet(piece["box"])
                if common is None:
                    continue
                content = load_file(folder / file) if content is None else content
                found = common.within(content[piece["key"]], piece["box"])
                common.within(part, box).copy_(found.to(part.device))
