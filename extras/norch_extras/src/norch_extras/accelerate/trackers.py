"""Trackers: where the numbers of a run are written.

`JSONLinesTracker` writes one line of JSON for each `log`: a file that any program reads. For a
service, derive from `GeneralTracker`; only rank 0 calls it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from norch_autograd import Tensor
from norch_nn.serialization.files import explain_full_disk


class GeneralTracker:
    """Base of trackers: write `log`, and the others where there is something to do."""

    name = "tracker"

    def start(self, project_name: str, config: dict[str, Any] | None) -> None:
        """Begin a run; `config` holds its settings."""

    def log(self, values: dict[str, Any], step: int | None = None) -> None:
        """Write the values of one step."""
        raise NotImplementedError(f"[{type(self).__name__}] has no log: write log(values, step)")

    def finish(self) -> None:
        """End the run in this tracker."""


class JSONLinesTracker(GeneralTracker):
    """Writes `folder/<project>.jsonl`: the settings first, then one line for each step.

    A run that goes on adds to the file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tracker = JSONLinesTracker(folder)
    ...     tracker.start("digits", {"lr": 0.1})
    ...     tracker.log({"loss": 2.5}, step=1)
    ...     tracker.finish()
    ...     print(Path(folder, "digits.jsonl").read_text().strip())
    {"config": {"lr": 0.1}}
    {"step": 1, "loss": 2.5}
    """

    name = "jsonl"

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._file: Any = None

    def start(self, project_name: str, config: dict[str, Any] | None) -> None:
        """Open the file of a run, and write its settings."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._file = (self.folder / f"{project_name}.jsonl").open("a", encoding="utf-8")
        self._write({"config": config or {}})

    def log(self, values: dict[str, Any], step: int | None = None) -> None:
        """Write one line; tensors of one number are written as numbers."""
        line = {} if step is None else {"step": step}
        plain = {key: v.item() if isinstance(v, Tensor) else v for key, v in values.items()}
        self._write({**line, **plain})

    def finish(self) -> None:
        """Close the file of the run."""
        self._file.close()

    def _write(self, line: dict[str, Any]) -> None:
        """Add one line of JSON to the tracker's file."""
        with explain_full_disk(self._file.name):
            self._file.write(json.dumps(line) + "\n")
            self._file.flush()


def choose(log_with: Any, folder: str | Path | None) -> list[GeneralTracker]:
    """Return the trackers that `log_with` names: "jsonl", a tracker, or a list of them."""
    if log_with is None:
        return []
    several = isinstance(log_with, Iterable) and not isinstance(log_with, str)
    chosen: list[GeneralTracker] = []
    for item in log_with if several else [log_with]:
        if item == JSONLinesTracker.name:
            chosen.append(JSONLinesTracker("runs" if folder is None else folder))
        elif isinstance(item, GeneralTracker):
            chosen.append(item)
        else:
            raise ValueError(
                f"[Accelerator] tracker {item!r} is unknown: use 'jsonl', or an object derived "
                "from GeneralTracker that speaks with your service"
            )
    return chosen
