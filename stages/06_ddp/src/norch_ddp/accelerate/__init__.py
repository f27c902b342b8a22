"""Accelerator: a training loop for one process, run in many; re-exported as norch.accelerate."""

from .accelerator import Accelerator
from .trackers import GeneralTracker, JSONLinesTracker

__all__ = ["Accelerator", "GeneralTracker", "JSONLinesTracker"]
