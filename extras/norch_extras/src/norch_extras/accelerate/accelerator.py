"""Accelerator: a training loop for one process that runs in many, and in lower precision.

`prepare` wraps what the loop uses; `backward` does what `loss.backward()` did. The parts are in the
files beside this one: `loader` deals out the data, `accumulation` says when gradients travel.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from norch_autograd import Tensor
from norch_ddp.data_parallel.data_parallel import DistributedDataParallel
from norch_ddp.groups.process_group import collective_check
from norch_extras.accelerate import checkpoint, gathering, trackers
from norch_extras.accelerate.accumulation import AccumulationState
from norch_extras.accelerate.loader import PreparedLoader, skip_first_batches
from norch_extras.accelerate.process_state import Flag, ProcessState
from norch_extras.accelerate.utils import DistributedDataParallelKwargs
from norch_extras.accelerate.wrappers import (
    DTYPES,
    Autocasting,
    PreparedOptimizer,
    PreparedScheduler,
    check_precision,
    make_scaler,
)
from norch_nn import Module
from norch_nn.amp import autocast
from norch_nn.data import DataLoader
from norch_nn.optim import Optimizer
from norch_nn.optim.lr_scheduler import LRScheduler
from norch_nn.serialization import save
from norch_nn.utils import clip_grad_norm_, clip_grad_value_

KINDS = (Module, Optimizer, DataLoader, PreparedLoader, LRScheduler, PreparedScheduler)
"""What `prepare` takes."""


class Accelerator(ProcessState):
    """Makes a loop written for one process train with all the processes that were started.

    `mixed_precision` is "no", "bf16" or "fp16"; `gradient_accumulation_steps` says how many
    backwards `accumulate` adds up; `cpu=True` leaves a GPU alone. `log_with` names trackers, which
    write below `project_dir`. With `split_batches` a loader's batch is that of all processes
    together. `ddp_kwargs`, and `kwargs_handlers` of DistributedDataParallelKwargs, go to
    `DistributedDataParallel`. The names are those of Hugging Face's Accelerate; differences are
    said where they are.

    >>> from norch_autograd import ones
    >>> from norch_nn import Linear
    >>> from norch_nn.optim import SGD
    >>> accelerator = Accelerator(cpu=True)
    >>> model = Linear(2, 1)
    >>> model, optimizer = accelerator.prepare(model, SGD(model.parameters(), lr=0.1))
    >>> accelerator.backward(model(ones(4, 2)).mean())
    >>> optimizer.step(); optimizer.zero_grad()
    """

    def __init__(
        self,
        mixed_precision: str | None = None,
        gradient_accumulation_steps: int = 1,
        cpu: bool = False,
        log_with: Any = None,
        project_dir: str | Path | None = None,
        ddp_kwargs: Mapping[str, Any] | None = None,
        split_batches: bool = False,
        kwargs_handlers: Sequence[DistributedDataParallelKwargs] = (),
    ) -> None:
        super().__init__(cpu)
        steps = gradient_accumulation_steps
        if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
            raise ValueError(
                f"[Accelerator] gradient_accumulation_steps must be 1 or more, not {steps!r}"
            )
        self.mixed_precision = check_precision(mixed_precision)
        self.scaler = make_scaler(self.mixed_precision, self.device.type)
        self.project_dir = project_dir
        self.trackers = trackers.choose(log_with, project_dir)
        self.split_batches = split_batches
        self._ddp_kwargs = dict(ddp_kwargs or {})
        for handler in kwargs_handlers or ():
            if not isinstance(handler, DistributedDataParallelKwargs):
                raise TypeError(
                    "[Accelerator] kwargs_handlers takes DistributedDataParallelKwargs, not "
                    f"{type(handler).__name__}"
                )
            self._ddp_kwargs |= handler.to_kwargs()
        self._accumulation = AccumulationState(steps)
        self._models: list[Module] = []
        self._optimizers: list[PreparedOptimizer] = []
        self._schedulers: list[PreparedScheduler] = []
        self._loaders: list[PreparedLoader] = []
        self._registered: list[Any] = []

    # ---- before the loop -------------------------------------------------------------------------

    def prepare(self, *objects: Any) -> Any:
        """Return models, optimizers, loaders and schedulers made ready, in the order given.

        A schedule may stand before its optimizer. What is prepared already comes back as it is.
        """
        for item in objects:
            if not isinstance(item, KINDS):
                raise TypeError(
                    "[prepare] expected models, optimizers, loaders and schedulers, got "
                    f"{type(item).__name__}"
                )
        ready = [self._prepare_one(item) for item in objects]
        ready = [self._schedule(item) if isinstance(item, LRScheduler) else item for item in ready]
        return ready[0] if len(ready) == 1 else tuple(ready)

    def _prepare_one(self, item: Any) -> Any:
        """Prepare a model, an optimizer or a loader, and remember it."""
        if isinstance(item, Module):
            return item if item in self._models else self._prepare_model(item)
        if isinstance(item, Optimizer) and not isinstance(item, PreparedOptimizer):
            item = PreparedOptimizer(item, self._accumulation, self.scaler)
            self._optimizers.append(item)
        elif isinstance(item, DataLoader):
            item = PreparedLoader(item, self._accumulation, self.device, self.split_batches)
            self._loaders.append(item)
        return item

    def _prepare_model(self, model: Module) -> Module:
        """Move a model, run it in lower precision, repeat it in every process: as far as asked."""
        model = model.to(self.device)
        trained = any(parameter.requires_grad for parameter in model.parameters())
        dtype = DTYPES[self.mixed_precision]
        if dtype is not None:
            model = Autocasting(model, self.device.type, dtype)
        if self.num_processes > 1 and trained:
            model = DistributedDataParallel(model, **self._ddp_kwargs)
        self._models.append(model)
        return model

    def _schedule(self, scheduler: LRScheduler) -> PreparedScheduler:
        """Let a schedule wait for the prepared optimizers, and remember it."""
        prepared = PreparedScheduler(scheduler, self._optimizers, self._accumulation)
        self._schedulers.append(prepared)
        return prepared

    def unwrap_model(self, model: Module) -> Module:
        """Return the user's own model, without what `prepare` wrapped around it."""
        while isinstance(model, DistributedDataParallel | Autocasting):
            model = model.module
        return model

    # ---- one step --------------------------------------------------------------------------------

    @property
    def gradient_accumulation_steps(self) -> int:
        """How many backwards make one step under `accumulate`."""
        return self._accumulation.steps

    @property
    def sync_gradients(self) -> Flag:
        """Whether this backward is followed by a step."""
        return Flag(self._accumulation.sync_gradients)

    @property
    def optimizer_step_was_skipped(self) -> bool:
        """Whether float16 gradients overflowed in the last step of some optimizer."""
        return any(optimizer.step_was_skipped for optimizer in self._optimizers)

    def backward(self, loss: Tensor, **kwargs: Any) -> None:
        """Do `loss.backward()`: a share of it while accumulating, scaled up for float16."""
        if not isinstance(loss, Tensor):
            raise TypeError(f"[backward] expected the loss, a Tensor, got {type(loss).__name__}")
        loss = loss / self._accumulation.steps if self._accumulation.steps > 1 else loss
        loss = loss if self.scaler is None else self.scaler.scale(loss)
        loss.backward(**kwargs)

    @contextmanager
    def accumulate(self, *models: Module) -> Iterator[None]:
        """Run one batch of an accumulation: gradients travel, and optimizers step, in the last.

        The last batch of a loader always is one.

        >>> accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
        >>> for _ in range(3):
        ...     with accelerator.accumulate():
        ...         accelerator.sync_gradients
        False
        True
        False
        """
        with ExitStack() as stack:
            if not self._accumulation.next():
                for model in models:
                    stack.enter_context(self.no_sync(model))
            yield

    @contextmanager
    def no_sync(self, model: Module) -> Iterator[None]:
        """Keep the gradients of `model` in this process."""
        if isinstance(model, DistributedDataParallel):
            with model.no_sync():
                yield
        else:
            yield

    def unscale_gradients(self, optimizer: PreparedOptimizer | None = None) -> None:
        """Divide the gradients by the scaler's factor, before looking at them."""
        for one in self._optimizers if optimizer is None else [optimizer]:
            one.unscale()

    def clip_grad_norm_(
        self, parameters: Tensor | Iterable[Tensor], max_norm: float, norm_type: float = 2.0
    ) -> Tensor:
        """Shorten all gradients to length `max_norm`; return the length before.

        While they are still being added up they are measured only.
        """
        if not self._accumulation.sync_gradients:
            return clip_grad_norm_(parameters, math.inf, norm_type)
        self.unscale_gradients()
        return clip_grad_norm_(parameters, max_norm, norm_type)

    def clip_grad_value_(self, parameters: Tensor | Iterable[Tensor], clip_value: float) -> None:
        """Move every number of the gradients between -clip_value and clip_value."""
        if self._accumulation.sync_gradients:
            self.unscale_gradients()
            clip_grad_value_(parameters, clip_value)

    @contextmanager
    def autocast(self) -> Iterator[None]:
        """Run what is outside the model, such as a loss, in lower precision too."""
        dtype = DTYPES[self.mixed_precision]
        with autocast(self.device.type, dtype, enabled=dtype is not None):
            yield

    # ---- all ranks together ----------------------------------------------------------------------

    gather = staticmethod(gathering.gather)

    def gather_for_metrics(self, input_data: Any) -> Any:
        """Gather, without the samples that were repeated to fill the last step.

        >>> from norch_autograd import tensor
        >>> Accelerator(cpu=True).gather_for_metrics(tensor(0.5))
        tensor([0.5000])
        """
        loader = self._accumulation.loader
        rows = gathering.gather(input_data)
        return rows if loader is None else gathering.drop_repeats(rows, loader.samples)

    pad_across_processes = staticmethod(gathering.pad_across_processes)
    reduce = staticmethod(gathering.reduce)

    # ---- what stays ------------------------------------------------------------------------------

    def register_for_checkpointing(self, *objects: Any) -> None:
        """Save these in checkpoints too: anything with `state_dict` and `load_state_dict`."""
        for item in objects:
            if not (hasattr(item, "state_dict") and hasattr(item, "load_state_dict")):
                raise ValueError(
                    f"[register_for_checkpointing] {type(item).__name__} needs state_dict() and "
                    "load_state_dict()"
                )
        self._registered.extend(objects)

    def save_state(self, output_dir: str | Path) -> Path:
        """Write a checkpoint of the whole run to `output_dir`, whole or not at all."""
        return checkpoint.write(output_dir, self._parts())

    def load_state(self, input_dir: str | Path) -> None:
        """Go on where `save_state` was called; prepare the same objects first."""
        checkpoint.read(input_dir, self._parts())

    def _parts(self) -> checkpoint.Parts:
        """Return what a checkpoint holds: all that was prepared or registered, by kind."""
        return {
            "models": [self.unwrap_model(model) for model in self._models],
            "optimizers": self._optimizers,
            "schedulers": self._schedulers,
            "loaders": self._loaders,
            "scalers": [] if self.scaler is None else [self.scaler],
            "accumulation": [self._accumulation],
            "registered": self._registered,
        }

    def skip_first_batches(self, dataloader: Any, num_batches: int = 0) -> Any:
        """Return the loader without its first batches; see `norch.accelerate`."""
        return skip_first_batches(dataloader, num_batches)

    def save_model(self, model: Module, save_directory: str | Path) -> None:
        """Write the user's own model to `model.safetensors` in the folder; rank 0 writes."""
        path = Path(save_directory) / "model.safetensors"
        with collective_check("save_model"):  # an error of rank 0 is an error everywhere
            if self.is_main_process:
                path.parent.mkdir(parents=True, exist_ok=True)
                save(self.unwrap_model(model).state_dict(), path)

    def free_memory(self, *objects: Any) -> Any:
        """Forget what was prepared; return a None for each object: `a, b = free_memory(a, b)`."""
        kept = (self._models, self._optimizers, self._schedulers, self._loaders, self._registered)
        for each in kept:
            each.clear()
        gc.collect()
        return None if len(objects) == 1 else (None,) * len(objects)

    # ---- trackers --------------------------------------------------------------------------------

    def init_trackers(self, project_name: str, config: dict[str, Any] | None = None) -> None:
        """Begin a run in every tracker, with its settings."""
        if self.is_main_process:
            for tracker in self.trackers:
                tracker.start(project_name, config)

    def log(self, values: dict[str, Any], step: int | None = None) -> None:
        """Write the values of rank 0 to every tracker."""
        if self.is_main_process:
            for tracker in self.trackers:
                tracker.log(values, step)

    def get_tracker(self, name: str) -> trackers.GeneralTracker:
        """Return the tracker of this name."""
        for tracker in self.trackers:
            if tracker.name == name:
                return tracker
        known = [tracker.name for tracker in self.trackers]
        raise ValueError(f"[get_tracker] there is no tracker {name!r}: log_with named {known}")

    def end_training(self) -> None:
        """End the run in every tracker."""
        if self.is_main_process:
            for tracker in self.trackers:
                tracker.finish()
