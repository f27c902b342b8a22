"""save and load: which kind of file it is, and on which device its tensors go.

`save` writes safetensors files only. `load` reads these and torch.save's files; neither ever runs
code from a file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from norch_autograd import Tensor
from norch_nn.serialization import safetensors
from norch_nn.serialization.files import LoadError, read_all, replacing, write_all
from norch_nn.serialization.structure import Encoder, decode

STRUCTURE = "norch.structure"


def save(obj: Any, f: Any, pickle_module: Any = None, pickle_protocol: int = 2) -> None:
    """Write `obj` to a path or an open file: tensors and plain values in dicts, lists and tuples.

    Tensors that share elements share them again when they are loaded. The last two arguments are
    PyTorch's for its pickles; these files never are.

    Raises TypeError for any other object and OSError where the file cannot be written; an older
    file of that name is then untouched.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save({"w": norch.ones(2), "epoch": 3}, folder + "/a.safetensors")
    ...     load(folder + "/a.safetensors")
    {'w': tensor([1., 1.]), 'epoch': 3}
    """
    if pickle_module is not None:
        raise ValueError("[save] safetensors files hold no pickles: leave pickle_module out")
    _check_file(f, "write", "save")
    data = _content_of(obj)
    if hasattr(f, "write"):
        write_all(f, data)
        return
    with replacing(f) as file:
        file.write(data)


def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
) -> Any:
    """Read what `save` wrote, or any other safetensors file as a dict of tensors.

    Raises FileNotFoundError, or RuntimeError that names the file when its content is not whole.
    `map_location` is the device the tensors go to: a device, or a dict or a function that gives
    one. The other arguments say how PyTorch reads pickles; these files are never pickles.
    """
    if pickle_module is not None:
        raise ValueError("[load] safetensors files hold no pickles: leave pickle_module out")
    _check_file(f, "read", "load")
    if hasattr(f, "read"):
        return _object_in(read_all(f), "the file object", map_location)
    with open(f, "rb") as file:
        return _object_in(file.read(), os.fsdecode(f), map_location)


def _check_file(f: Any, method: str, op: str) -> None:
    """Refuse what is neither a path nor an open file."""
    if not hasattr(f, method) and not isinstance(f, str | bytes | os.PathLike):
        raise TypeError(f"[{op}] expected a path or an open file, got {type(f).__name__}")


def _content_of(obj: Any) -> bytes:
    """Return `obj` as the content of a file."""
    import json  # here and below: slow to import

    encoder = Encoder()
    try:
        structure = encoder.encode(obj, "")
        encoder.share()
        text = json.dumps(structure)
    except RecursionError:
        raise RecursionError(
            "[save] the object is nested too deeply, or it contains itself: save its parts"
        ) from None
    return safetensors.to_file_content(encoder.tensors, {STRUCTURE: text})


def _object_in(data: bytes, name: str, map_location: Any) -> Any:
    """Decode the content of a file."""
    import json

    try:
        tensors, metadata = safetensors.from_file_content(data)
        tensors = {key: placed(tensor, "cpu", map_location) for key, tensor in tensors.items()}
        if STRUCTURE not in metadata:
            return tensors
        return decode(json.loads(metadata[STRUCTURE]), tensors)
    except LoadError as error:
        raise LoadError(f"[load] {name}: {error}") from None
    except RecursionError:
        raise LoadError(f"[load] {name} is nested too deeply to be read") from None
    except (ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:
        raise LoadError(
            f"[load] {name} is not a whole safetensors file ({error}): "
            "it is corrupt, or of another kind"
        ) from error


def placed(tensor: Tensor, location: str, map_location: Any) -> Tensor:
    """Return a tensor that was saved on `location` on the device that is meant."""
    if isinstance(map_location, Mapping):
        place = map_location.get(location, location)
    elif callable(map_location):
        place = map_location(tensor, location)
        if isinstance(place, Tensor):
            return place
        place = location
    else:
        place = location if map_location is None else map_location
    return tensor.to(place)
