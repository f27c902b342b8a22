"""DistributedDataParallel: one model, repeated in every process, kept equal.

Equal parameters at the start and equal gradients after every backward make equal parameters for
ever: so it broadcasts once and averages each time. The messages are `buckets`' part, the model is
untouched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import partial
from hashlib import blake2b
from typing import Any

from norch_autograd import Tensor, is_grad_enabled
from norch_ddp.collectives.composed import FLAT_BYTES, broadcast_coalesced
from norch_ddp.collectives.message import FlatMessage, check_tensor, flat_messages
from norch_ddp.data_parallel.buckets import Reducer
from norch_ddp.data_parallel.comm_hooks import GradBucket
from norch_ddp.groups.process_group import ProcessGroup, collective_check, current_group
from norch_ddp.groups.statements import disagreement, encode_statement, exchange_statements
from norch_ddp.transports.work import Future, Work
from norch_nn import Module
from norch_nn.core.parameter import ParameterPart

START = "DistributedDataParallel"
JOIN = "DistributedDataParallel.join"
TRAINS = "join: this rank trains"
IS_DONE = "join: this rank has no more inputs"


class DistributedDataParallel(Module):
    """Train `module` with as many processes as the process group has.

    Each rank feeds its own share of the batch; after `backward()` every parameter's gradient is
    the mean over the ranks, so a loss that is a mean over the batch trains as one process on the
    joined batch. The model inside is `.module`; `state_dict` keys start with "module.".
    `device_ids=[local_rank]` and `output_device` may be given as in PyTorch; the module must be on
    that device already. `process_group` is some of the ranks, of `new_group`.
    `static_graph` allows parameters that get no gradient, as `find_unused_parameters` does;
    `gradient_as_bucket_view` changes nothing here. Gradients travel in buckets of
    `bucket_cap_mb`: 1 was fastest over slow networks, where PyTorch's 25 hides next to nothing
    behind backward, and takes as long as 25 in shared memory.
    """

    def __init__(
        self,
        module: Module,
        device_ids: Sequence[Any] | None = None,
        output_device: Any = None,
        *,
        broadcast_buffers: bool = True,
        process_group: ProcessGroup | None = None,
        bucket_cap_mb: float = 1,
        find_unused_parameters: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
    ) -> None:
        super().__init__()
        _check_arguments(module, device_ids, bucket_cap_mb)
        self.module = module
        self.broadcast_buffers = broadcast_buffers
        self._group = current_group(process_group)
        if self._group.rank < 0:
            raise ValueError("[DistributedDataParallel] this rank is not in the process_group")
        trained = self._check_same_model()
        self._trains = {id(parameter) for _, parameter in trained}
        self._copy_from(0)
        self._uneven: UnevenInputs | None = None
        self._reducer = Reducer(
            trained,
            self._group,
            cap_bytes=int(bucket_cap_mb * (1 << 20)),
            allow_unused=find_unused_parameters or static_graph,
        )

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the module; in training, first see that every rank is here, with equal buffers."""
        if not (self.training and self.require_backward_grad_sync and is_grad_enabled()):
            return self.module(*args, **kwargs)
        if self._uneven is not None:
            self._goes_on(self._uneven, trains=True)
        self._begin_step()
        output = self.module(*args, **kwargs)
        for tensor in _tensors_in(output):
            if tensor.requires_grad:  # its graph keeps the reducer, should this wrapper go first
                tensor.register_hook(self._reducer.keep_alive)
        return output

    def _begin_step(self) -> None:
        """See that every rank is here and trains the same, with equal buffers."""
        self._reducer.recover()
        with collective_check("DistributedDataParallel.forward", self._group) as call:
            self._check_trained()
            buffers = self.module.buffers() if self.broadcast_buffers else []
            flat = flat_messages(buffers, self._group, FLAT_BYTES)
            call.detail = "".join(f", buffers of {one.words}" for one in flat)
        self._reducer.rebuild_buckets()
        self._share(flat, 0 if self._uneven is None else max(self._uneven.active))

    @property
    def require_backward_grad_sync(self) -> bool:
        """Whether the next backward averages; `no_sync` switches it off for a while."""
        return self._reducer.enabled

    @require_backward_grad_sync.setter
    def require_backward_grad_sync(self, value: bool) -> None:
        self._reducer.enabled = value

    def register_comm_hook(self, state: Any, hook: Callable[[Any, GradBucket], Future]) -> None:
        """Have `hook(state, bucket)` average each bucket of gradients; see `comm_hooks`."""
        if not callable(hook):
            raise TypeError(f"[register_comm_hook] expected hook(state, bucket), got {hook!r}")
        self._reducer.register_hook(partial(hook, state))

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Add up each rank's own gradients inside; the next backward outside averages the sums."""
        before = self.require_backward_grad_sync
        self.require_backward_grad_sync = False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    @contextmanager
    def join(
        self,
        divide_by_initial_world_size: bool = True,
        enable: bool = True,
        throw_on_early_termination: bool = False,
    ) -> Iterator[None]:
        """Let ranks have different numbers of batches: around the loop over them, on every rank.

        A rank that has no more takes part with zeros until the last is done; then all have the
        model of the last (of several, the highest). Sums of gradients are divided by the number of
        all ranks, or of those that still train if not `divide_by_initial_world_size`. With
        `throw_on_early_termination` all ranks raise RuntimeError as soon as one has no more.
        Inside, each forward that trains needs its backward, and other collectives need all ranks.
        """
        if not enable or self._group.size == 1:
            yield
            return
        self._uneven = UnevenInputs(
            self._group, divide_by_initial_world_size, throw_on_early_termination
        )
        try:
            yield
            while self._goes_on(self._uneven, trains=False):
                self._begin_step()
                self._reducer.backward_with_zeros()
            self._copy_from(max(self._uneven.last))
        finally:
            self._uneven = None
            self._reducer.expect(self._group.size, self._group.size)

    def _goes_on(self, uneven: UnevenInputs, trains: bool) -> bool:
        """State whether this rank trains; expect the others' gradients, if any does."""
        goes_on = uneven.goes_on(trains)
        self._reducer.expect(len(uneven.active), uneven.divide_by)
        return goes_on

    def _check_same_model(self) -> list[tuple[str, Any]]:
        """Compare the model with the other ranks', name by name; return what is trained."""
        tensors = [*self.module.named_parameters(), *self.module.named_buffers()]
        with collective_check(START, self._group) as call:
            call.detail = f" of a module with {len(tensors)} parameters and buffers"
            trained = [(name, p) for name, p in self.module.named_parameters() if p.requires_grad]
            if not trained:
                raise RuntimeError(
                    "[DistributedDataParallel] no parameter of the module requires a gradient: "
                    "there is nothing to average, use the module as it is"
                )
            self._check_whole()
        lines = [describe(name, tensor) for name, tensor in tensors]
        whole = encode_statement(digest(lines))
        if self._group.size > 1 and exchange_statements(self._group, START, whole) is not None:
            for line in lines:  # the first that differs raises
                with collective_check(START, self._group) as call:
                    call.detail = line
        return trained

    def _check_whole(self) -> None:
        """Refuse parameters of which the other ranks have other parts: they have no mean."""
        for name, p in self.module.named_parameters():
            if isinstance(p, ParameterPart) and p.is_cut_among(self._group):
                ranks = list(self._group.ranks)
                raise ValueError(
                    f"[DistributedDataParallel] {name} is cut among ranks {ranks}, and each has "
                    "another part of it: give the group of another side of the mesh; fully_shard "
                    "averages by itself"
                )

    def _copy_from(self, rank: int) -> None:
        """Give the model of one rank of the group to all: at the start, and after `join`."""
        # ex 6.1 begin
        tensors = [*self.module.parameters(), *self.module.buffers()]
        broadcast_coalesced(tensors, self._group.ranks[rank], self._group)
        # ex 6.1 end

    def _check_trained(self) -> None:
        """Refuse parameters that train now and did not when the module was wrapped."""
        parameters = self.module.named_parameters()
        late = [name for name, p in parameters if p.requires_grad and id(p) not in self._trains]
        if late:
            raise RuntimeError(
                f"[DistributedDataParallel] {', '.join(late)} would not be averaged: trained now, "
                "but not when the module was wrapped; wrap it again after parameters are unfrozen, "
                "added or replaced"
            )

    def _share(self, messages: list[FlatMessage], src: int = 0) -> None:
        """Send one rank's buffers, such as running means, to all: few messages of each dtype."""
        works = []
        for message in messages:
            request = message.transport.broadcast(message.pack(), src)
            works.append(Work(request, "broadcast_buffers", self._group, message.write_back))
        for work in works:
            work.wait()


class UnevenInputs:
    """Which ranks still train, where some have fewer batches: for `DistributedDataParallel.join`.

    Before each step that averages, every rank states whether it trains or is done, so nobody waits
    for one that is. `active` are those that train as of the last statement; `last` those before.
    """

    def __init__(self, group: ProcessGroup, divides_by_all: bool, throws: bool) -> None:
        self._group = group
        self._divides_by_all = divides_by_all
        self._throws = throws
        self.active = self.last = list(range(group.size))

    @property
    def divide_by(self) -> int:
        """By how many ranks DDP divides its sums of gradients."""
        return len(self._group.ranks) if self._divides_by_all else len(self.active)

    def goes_on(self, trains: bool) -> bool:
        """State whether this rank trains, and return whether any does; all call it."""
        text = TRAINS if trains else IS_DONE
        answers = exchange_statements(self._group, JOIN, encode_statement(text)) or [text] * len(
            self._group.ranks
        )
        if not set(answers) <= {TRAINS, IS_DONE}:
            raise disagreement(self._group, JOIN, answers)
        self.last = self.active
        self.active = [rank for rank, answer in enumerate(answers) if answer == TRAINS]
        done = [self._group.ranks[r] for r in range(len(answers)) if r not in self.active]
        if self._throws and self.active and done:
            raise RuntimeError(
                f"[{JOIN}] rank {', '.join(map(str, done))} has no more inputs, and "
                "throw_on_early_termination ends all ranks: give every rank as many batches, or "
                "leave it False"
            )
        return bool(self.active)


def describe(name: str, tensor: Tensor) -> str:
    """Return what the ranks must agree on of a tensor of the wrapped module."""
    return f" {name} {check_tensor(tensor)}{', trained' if tensor.requires_grad else ''}"


def digest(lines: list[str]) -> str:
    """Return a short text for these lines of a wrapped module, which others do not share."""
    return blake2b("\n".join(lines).encode(), digest_size=16).hexdigest()


def _tensors_in(output: Any) -> Iterator[Tensor]:
    """Yield the tensors of a wrapped module's output, in lists, tuples, dicts and dataclasses."""
    if isinstance(output, Tensor):
        yield output
        return
    parts: Iterable[Any] = output if isinstance(output, (tuple, list)) else ()
    if isinstance(output, dict):
        parts = output.values()
    elif is_dataclass(output) and not isinstance(output, type):
        parts = [getattr(output, field.name) for field in fields(output)]
    for part in parts:
        yield from _tensors_in(part)


def _check_arguments(module: Any, device_ids: Sequence[Any] | None, bucket_cap_mb: float) -> None:
    """Refuse what DDP cannot wrap: no Module, several devices, buckets without room."""
    if not isinstance(module, Module):
        given = type(module).__name__
        raise TypeError(f"[DistributedDataParallel] expected a Module, got {given}")
    if device_ids is not None and len(device_ids) != 1:
        raise ValueError(
            f"[DistributedDataParallel] device_ids {list(device_ids)} must name one device: each "
            "process trains one module on the device that the module is on"
        )
    if not bucket_cap_mb > 0:
        raise ValueError(f"[DistributedDataParallel] bucket_cap_mb {bucket_cap_mb} must be > 0")
