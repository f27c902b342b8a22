"""Checkpoints: all that a run needs to go on as if it had never stopped, in one file.

Rank 0 writes `state.safetensors` whole or not at all; every rank reads it. In it are the models,
optimizers, schedules, the scaler, where each loader stands and each rank's random streams.
"""

from __future__ import annotations

import copy
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from norch_autograd import get_rng_state, set_rng_state, tensor
from norch_ddp.collectives.objects import all_gather_object
from norch_ddp.groups.process_group import collective_check, get_rank, get_world_size
from norch_nn.serialization import load, save
from norch_nn.serialization.files import LoadError

FILE = "state.safetensors"

Parts = dict[str, list[Any]]
"""What has a state_dict: {"models": [...], "optimizers": [...], ...}."""


def write(folder: str | Path, parts: Parts) -> Path:
    """Write a checkpoint of `parts` and of all ranks' random streams; return the file."""
    path = Path(folder) / FILE
    streams: list[Any] = [None] * get_world_size()
    all_gather_object(streams, random_state())
    with collective_check("save_state"):  # an error of rank 0 is an error everywhere
        if get_rank() == 0:
            path.parent.mkdir(parents=True, exist_ok=True)
            save({"parts": states(parts), "random": streams}, path)
    return path


def read(folder: str | Path, parts: Parts) -> None:
    """Read a checkpoint into `parts` and the random streams; after an error all is as it was."""
    path = Path(folder) / FILE
    with collective_check("load_state"), naming(path):
        saved = load(path)
        check(saved, parts)
    before, streams = copy.deepcopy(states(parts)), random_state()
    with collective_check("load_state"), naming(path):
        try:
            restore(parts, saved["parts"])
            set_random_state(saved["random"][get_rank()])
        except Exception:
            restore(parts, before)
            set_random_state(streams)
            raise


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Name the file in every error of reading a checkpoint; a bare one of Python's is damage."""
    try:
        yield
    except LoadError:
        raise
    except Exception as error:
        if not str(error).startswith("["):  # no sentence of ours, such as on a model's shapes
            raise LoadError(
                f"[load_state] {path} is not what save_state wrote ({error!r}): it is corrupt"
            ) from error
        error.add_note(f"[load_state] {path} was being read")
        raise


def states(parts: Parts) -> dict[str, list[Any]]:
    """Return the state_dict of each part of a checkpoint."""
    return {name: [part.state_dict() for part in members] for name, members in parts.items()}


def restore(parts: Parts, saved: dict[str, list[Any]]) -> None:
    """Give each part of the run its state_dict of a checkpoint."""
    for name, members in parts.items():
        for part, state in zip(members, saved[name], strict=True):
            part.load_state_dict(state)


def check(saved: Any, parts: Parts) -> None:
    """Refuse a checkpoint of another accelerator, before anything changes."""
    if not isinstance(saved, dict) or set(saved) != {"parts", "random"}:
        raise ValueError("[load_state] the file was not written by save_state")
    if len(saved["random"]) != get_world_size():
        raise ValueError(
            f"[load_state] saved by {len(saved['random'])} processes, loaded by "
            f"{get_world_size()}: start as many, or load the model's part of the file alone"
        )
    for name, members in parts.items():
        count = len(saved["parts"].get(name, []))
        if count != len(members):
            raise ValueError(
                f"[load_state] the file has {count} {name}, prepared are {len(members)}: prepare "
                "the same objects in the same order before load_state"
            )


def random_state() -> dict[str, Any]:
    """Return where the random streams of norch, Python and, where used, NumPy stand.

    Plain numbers and tensors: a checkpoint holds them, and no file is ever executed.
    """
    version, words, gauss = random.getstate()
    state = {"norch": get_rng_state(), "python": (version, tensor(list(words)), gauss)}
    if "numpy" in sys.modules:
        name, keys, *rest = sys.modules["numpy"].random.get_state()
        state["numpy"] = (name, tensor([int(key) for key in keys]), *(float(x) for x in rest))
    return state


def set_random_state(state: dict[str, Any]) -> None:
    """Return the random streams to where they stood.

    >>> state = random_state()
    >>> first = random.random()
    >>> set_random_state(state); random.random() == first
    True
    """
    set_rng_state(tuple(state["norch"]))
    version, words, gauss = state["python"]
    random.setstate((version, tuple(words.tolist()), gauss))
    if "numpy" in state:
        import numpy

        name, keys, place, has_gauss, cached = state["numpy"]
        words = numpy.array(keys.tolist(), dtype=numpy.uint32)
        numpy.random.set_state((name, words, int(place), int(has_gauss), cached))
