"""Sharded checkpoints: every rank writes what it has, and any number of ranks can read it.

A checkpoint is a folder: `rank-3.safetensors` with the pieces that rank 3 wrote, and
`metadata.json`, written last, which says of every tensor where in the whole each piece belongs. A
reader needs only to know which part of a whole it wants: four ranks of ZeRO-3 save, two stages of a
pipeline load, or one process alone. What several ranks have alike is written once. Saving sends
lists of names, never a tensor; loading sends nothing. The names are those of
`torch.distributed.checkpoint`. A folder is one save: give each step its own.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from norch_autograd import Tensor, no_grad
from norch_nn.serialization import load as load_file, save as save_file

from ..objects import all_gather_object
from ..process_group import ProcessGroup, collective_check, current_group
from .named_state import Box, Entry, NamedState

METADATA = "metadata.json"

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
    must keep those of the whole model.

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
        check_plain(state.values)
        folder.mkdir(parents=True, exist_ok=True)
        if group.rank == 0:
            (folder / METADATA).unlink(missing_ok=True)  # half a checkpoint is none
    boxes = [(e.name, e.shape, [box for box, _ in e.pieces()]) for e in state.entries]
    everybody: list[Any] = [None] * group.size
    all_gather_object(everybody, (boxes, state.values), group)
    tensors = shared_out([boxes for boxes, _ in everybody])
    with collective_check("checkpoint.save", group):
        check_whole(tensors)
        save_file(written_by(group.rank, state.entries, tensors), folder / file_of(group.rank))
    with collective_check("checkpoint.save", group):
        if group.rank == 0:
            values = {name: v for _, values in reversed(everybody) for name, v in values.items()}
            (folder / METADATA).write_text(json.dumps({"tensors": tensors, "values": values}))


def load(state_dict: dict[str, Any], *, checkpoint_id: str | Path) -> None:
    """Fill this rank's parts of the tensors in place, and replace values; each rank for itself.

    A name that the checkpoint lacks raises `KeyError` and another shape `ValueError`, before
    anything has changed.
    """
    folder = Path(checkpoint_id)
    path = folder / METADATA
    if not path.is_file():
        raise FileNotFoundError(f"[checkpoint.load] {path} is missing: no whole checkpoint is here")
    metadata = json.loads(path.read_text())
    tensors, values = metadata["tensors"], metadata["values"]
    state = NamedState(state_dict, list(tensors))
    missing = [e.name for e in state.entries if e.name not in tensors]
    missing += [name for name in state.values if name not in values]
    if missing:
        raise KeyError(f"[checkpoint.load] {folder} has no {', '.join(missing)}")
    for entry in state.entries:
        if tuple(tensors[entry.name]["shape"]) != entry.shape:
            raise ValueError(
                f"[checkpoint.load] {entry.name} was saved as {tensors[entry.name]['shape']}, and "
                f"here it is {list(entry.shape)}"
            )
    fill(state.entries, tensors, folder)
    state.finish(values)


def file_of(rank: int) -> str:
    """Return the name of the file that a rank writes."""
    return f"rank-{rank}.safetensors"


def check_plain(values: dict[str, Any]) -> None:
    """Refuse what JSON cannot say."""
    for name, value in values.items():
        try:
            json.dumps(value)
        except TypeError as error:
            raise TypeError(
                f"[checkpoint.save] {name} is a {type(value).__name__}: expected modules, "
                "optimizers, tensors, or plain numbers and texts in lists and dicts"
            ) from error


def shared_out(everybody: list[list[Any]]) -> dict[str, Any]:
    """Return where each block is kept: what several ranks have, the lowest of them writes."""
    tensors: dict[str, Any] = {}
    for rank, names in enumerate(everybody):
        for name, shape, boxes in names:
            pieces = tensors.setdefault(name, {"shape": shape, "pieces": []})["pieces"]
            known = [piece["box"] for piece in pieces]
            for number, box in enumerate(boxes):
                if box not in known:
                    key = f"{name}#{number}"
                    pieces.append({"file": file_of(rank), "key": key, "box": box})
    return tensors


def check_whole(tensors: dict[str, Any]) -> None:
    """Refuse a tensor of which the ranks of the group have only parts."""
    for name, tensor in tensors.items():
        found = sum(math.prod(piece["box"].lengths) for piece in tensor["pieces"])
        if found < math.prod(tensor["shape"]):
            raise ValueError(
                f"[checkpoint.save] the ranks have {found} numbers of {name}, which has "
                f"{math.prod(tensor['shape'])}: save with the group of all that have a part"
            )


def written_by(rank: int, entries: list[Entry], tensors: dict[str, Any]) -> dict[str, Tensor]:
    """Return the pieces of one rank's file; a tied tensor under two names is stored once."""
    mine = {
        piece["key"]
        for tensor in tensors.values()
        for piece in tensor["pieces"]
        if piece["file"] == file_of(rank)
    }
    pieces = {f"{e.name}#{i}": part for e in entries for i, (_, part) in enumerate(e.pieces())}
    return {key: pieces[key] for key in mine}


@no_grad()
def fill(entries: list[Entry], tensors: dict[str, Any], folder: Path) -> None:
    """Copy into each entry what the files have of it, one file after the other."""
    wanted: dict[str, list[tuple[Entry, Piece]]] = {}
    for entry in entries:
        for piece in tensors[entry.name]["pieces"]:
            wanted.setdefault(piece["file"], []).append((entry, piece))
    for file, pairs in sorted(wanted.items()):
        content = None
        for entry, piece in pairs:
            kept = Box(*map(tuple, piece["box"]))
            for box, part in entry.pieces():
                common = box.meet(kept)
                if common is None:
                    continue
                content = load_file(folder / file) if content is None else content
                found = common.within(content[piece["key"]], kept)
                common.within(part, box).copy_(found.to(part.device))
