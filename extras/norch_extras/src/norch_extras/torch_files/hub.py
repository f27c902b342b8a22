"""Published weights by their address, where PyTorch would have put them: `torch.hub`'s cache.

Model files of torchvision's kind import `load_state_dict_from_url`. norch downloads no weights: a
file that is there is loaded, and of another one the error says where to put it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

from norch_nn.serialization.save_load import load


def get_dir() -> str:
    """Return the folder of PyTorch's hub: TORCH_HOME/hub, or torch/hub in the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    home = os.environ.get("TORCH_HOME") or os.path.join(cache, "torch")
    return os.path.expanduser(os.path.join(home, "hub"))


def load_state_dict_from_url(
    url: str,
    model_dir: str | None = None,
    map_location: Any = None,
    progress: bool = True,
    check_hash: bool = False,
    file_name: str | None = None,
    weights_only: bool = False,
) -> Any:
    """Load the weights of an address from `model_dir`, by default `get_dir()`/checkpoints.

    `progress`, `check_hash` and `weights_only` change nothing: nothing is downloaded, and what a
    file says is never executed.
    """
    folder = Path(get_dir(), "checkpoints") if model_dir is None else Path(model_dir)
    file = folder / (file_name or os.path.basename(urlparse(url).path))
    if not file.is_file():
        raise FileNotFoundError(
            f"[load_state_dict_from_url] norch downloads no weights: put {url} into {folder} as "
            f"{file.name}, for example with curl -L --create-dirs -o '{file}' '{url}'"
        )
    return load(file, map_location=map_location)
