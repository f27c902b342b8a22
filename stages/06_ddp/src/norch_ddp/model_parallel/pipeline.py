"""Pipeline: every rank has some of the layers, and a batch passes in small parts, micro-batches.

With n stages and m micro-batches of a bytes of activations at each border, on a middle rank:

    memory of a rank          1/n of the parameters; the activations of the micro-batches that are
                              forward but not back yet: m in GPipe, min(m, n - rank) in 1F1B
    wire of a step, per rank  2 m a: activations on to the next stage, their gradients back
                              (and 80 bytes in the first step, which say the shape)
    time that is idle         (n - 1) / (m + n - 1) of a step, the bubble, in both schedules

Time runs to the right, F2 is the forward of micro-batch 2, n = 2, m = 3:

    GPipe  rank 0  F0 F1 F2 .  .  B0 B1 B2       all forward, then all backward
           rank 1  .  F0 F1 F2 B0 B1 B2
    1F1B   rank 0  F0 F1 .  B0 F2 B1 .  B2       backward as soon as it can: fewer are kept
           rank 1  .  F0 B0 F1 B1 F2 B2

A schedule is a list of such actions, nothing more; one loop carries any of them out, that of
`interleaved.py` with several stages a rank too. Sends are started and not waited for until the end
of the step, so two ranks never wait for each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from norch_autograd import (
    DType,
    Tensor,
    bfloat16,
    cat,
    empty,
    float16,
    float32,
    float64,
    int64,
    is_grad_enabled,
    no_grad,
    tensor,
    uint8,
    zeros,
    zeros_like,
)
from norch_ddp.collectives.collectives import isend, recv
from norch_ddp.groups.process_group import ProcessGroup, collective_check, current_group
from norch_ddp.transports.work import Work
from norch_nn import Module

FORWARD, BACKWARD, HEADER, FAILED = 71, 72, 73, 74
"""What marks the messages: activations, their gradients, once the shape of an activation, and the
error of a stage that could not go on."""
TAGS = 10  # from a chunk's marks to the next one's
ERROR_BYTES = 500
HEADER_LENGTH = 10  # which dtype, how many dims, and up to eight of them
DTYPES = (float32, float64, bfloat16, float16)
Kind = tuple[tuple[int, ...], DType]
Loss = Callable[[Tensor, Tensor], Tensor]
Losses = list[Tensor] | None


class Action(NamedTuple):
    """One forward ("F") or backward ("B") of one micro-batch."""

    kind: str
    micro_batch: int


class ChunkAction(NamedTuple):
    """An action of a rank that has several stages, its chunks, counted from the first."""

    kind: str
    micro_batch: int
    chunk: int = 0


class Messages(ProcessGroup):
    """The ranks of a pipeline: a wait ends at once when one of them says that it has failed."""

    __slots__ = ("error_messages",)

    def __init__(self, group: ProcessGroup) -> None:
        """Take a channel of its own, on which nobody else's messages are; all ranks call it."""
        super().__init__(group.transport.duplicate(), group.seconds, group.ranks, group.backend)
        self.error_messages: list[Any] = []  # what was sent of an error, so that it is kept

    def move_on(self) -> None:
        """Move on what is under way, and look whether a stage has failed."""
        super().move_on()
        if not self.error_messages and self.transport.has_message(FAILED):
            error = zeros(ERROR_BYTES, dtype=uint8, device="cpu")
            self.error_messages.append(error)
            rank = recv(error, None, self, FAILED)
            text = bytes(error.tolist()).rstrip(b"\0").decode(errors="replace")
            raise RuntimeError(
                f"[Schedule.step] rank {rank} failed in the middle of this step: {text}"
            )

    def tell(self, error: Exception) -> None:
        """Tell the other stages of an error of this one, unless it is about another's."""
        if self.error_messages:
            return
        text = f"{type(error).__name__}: {error}".encode()[:ERROR_BYTES].ljust(ERROR_BYTES, b"\0")
        words = tensor(list(text), dtype=uint8, device="cpu")
        others = [rank for rank in self.ranks if self.group_rank(rank) != self.rank]
        self.error_messages = [isend(words, rank, self, FAILED) for rank in others]


class PipelineStage:
    """Layers of one rank: `submodule` maps the activations before it to those after it.

    Stage i is on rank i of `group`, and where there are more stages than ranks, round and round:
    on rank i modulo their number. All micro-batches must have one shape, which may differ from
    border to border. `device`, if given, is where the layers go and the activations arrive.
    """

    messages: Messages  # since the first step

    def __init__(
        self,
        submodule: Module,
        stage_index: int,
        num_stages: int,
        device: Any = None,
        *,
        group: ProcessGroup | None = None,
    ) -> None:
        self.group = current_group(group)
        rank, size = self.group.rank, self.group.size
        if num_stages % size or not 0 <= stage_index < num_stages or stage_index % size != rank:
            raise ValueError(
                f"[PipelineStage] stage {stage_index} of {num_stages} is on rank {rank} of {size}: "
                "stage r of N belongs on rank r of N, or stages r, r + N, ... of a multiple of N"
            )
        self.submodule = submodule if device is None else submodule.to(device)
        self.device = device
        self.index, self.num_stages = stage_index, num_stages
        self.is_first = stage_index == 0
        self.is_last = stage_index == num_stages - 1
        self.kept: dict[int, tuple[Tensor, Tensor]] = {}
        self.is_under_way = False  # and stays so after a step that failed in the middle
        self._arriving: Kind | None = None  # of the activations, known after the first one
        self._leaving: Kind | None = None
        self._sends: list[Work] = []

    def start(self, messages: Messages) -> None:
        """Begin a step, on a channel of all stages: it is under way until `wait` has returned."""
        self.messages, self.is_under_way = messages, True
        self.kept.clear()

    def forward(self, i: int, x: Tensor | None, loss_fn: Loss, target: Any) -> Tensor:
        """Run micro-batch i and send the result on; the last stage keeps its loss instead."""
        if x is None:
            x = self._receive_activation()
        y: Tensor = self.submodule(x)
        self.kept[i] = (x, y if target is None else loss_fn(y, target))
        if not self.is_last:
            self._send_activation(y.detach())
        return y

    def backward(self, i: int, scale: float) -> None:
        """Send micro-batch i's gradient back; the last stage begins with `scale` times its loss."""
        x, result = self.kept.pop(i)
        if self.is_last:
            (result * scale).backward()
        else:
            grad = empty(*result.shape, dtype=result.dtype, device=self.device)
            recv(grad, self._neighbour(1), self.messages, self._tag(BACKWARD))
            if result.requires_grad:  # not where all of the first stage is frozen
                result.backward(grad)
        if not self.is_first:
            self._send(zeros_like(x) if x.grad is None else x.grad, -1, BACKWARD)

    def wait(self) -> None:
        """Return when all that this stage has sent has arrived."""
        for work in self._sends:
            work.wait()
        self._sends.clear()
        self.is_under_way = False

    def _receive_activation(self) -> Tensor:
        """Receive an activation from the stage before; its shape comes once, in a header."""
        if self._arriving is None:
            header = zeros(HEADER_LENGTH, dtype=int64, device=self.device)
            recv(header, self._neighbour(-1), self.messages, self._tag(HEADER))
            kind, ndim, *shape = header.tolist()
            self._arriving = (*shape[:ndim],), DTYPES[kind]
        x = empty(*self._arriving[0], dtype=self._arriving[1], device=self.device)
        recv(x, self._neighbour(-1), self.messages, self._tag(FORWARD))
        return x.requires_grad_(is_grad_enabled())

    def _send_activation(self, y: Tensor) -> None:
        """Send an activation to the next stage; its shape goes first, once."""
        leaving = (tuple(y.shape), y.dtype)
        if self._leaving is None:
            self._leaving = leaving
            header = [DTYPES.index(y.dtype), y.ndim, *y.shape]
            padding = [0] * (HEADER_LENGTH - len(header))
            self._send(tensor(header + padding, dtype=int64, device=self.device), 1, HEADER)
        if leaving != self._leaving:
            raise ValueError(
                f"[PipelineStage] an activation of {leaving[0]} after those of {self._leaving[0]}: "
                "all batches must have one shape; drop_last=True drops the loader's last"
            )
        self._send(y, 1, FORWARD)

    def _send(self, x: Tensor, step: int, tag: int) -> None:
        """Start to send to the stage `step` further on in the pipeline."""
        work = isend(x, self._neighbour(step), self.messages, self._tag(tag, step))
        if work is not None:
            self._sends.append(work)

    def _neighbour(self, step: int) -> int:
        """Return the rank of the stage `step` further on in the pipeline."""
        return self.group.ranks[(self.index + step) % self.group.size]

    def _tag(self, kind: int, step: int = 0) -> int:
        """Return what marks a message for the stage `step` further on: a rank may have several."""
        return kind + TAGS * ((self.index + step) // self.group.size)


class Schedule:
    """Runs one batch through the stages; subclasses say in which order, by `actions`."""

    def __init__(
        self,
        stage: PipelineStage | Sequence[PipelineStage],
        n_microbatches: int,
        loss_fn: Loss,
        *,
        scale_grads: bool = True,
    ) -> None:
        """Cut batches in `n_microbatches`; gradients are means over them if `scale_grads`."""
        if n_microbatches < 1:
            raise ValueError(f"[{type(self).__name__}] n_microbatches {n_microbatches} must be > 0")
        self.stages = [stage] if isinstance(stage, PipelineStage) else list(stage)
        self.stage = self.stages[0]
        self.n_microbatches = n_microbatches
        self.loss_fn = loss_fn
        self.scale = 1.0 / n_microbatches if scale_grads else 1.0
        self._messages: Messages | None = None  # made at the first step, by all ranks
        self.most_kept = 0  # micro-batches that are forward but not back, in the last step
        group, count = self.stage.group, self.stage.num_stages
        found = [stage.index for stage in self.stages]
        if found != list(range(group.rank, count, group.size)):
            raise ValueError(
                f"[{type(self).__name__}] {found} are not all stages of rank {group.rank} of "
                f"{group.size}, in order, of {count}: ScheduleInterleaved1F1B takes several"
            )

    @staticmethod
    def actions(rank: int, stages: int, micro_batches: int) -> list[Action]:
        """Return what a rank does, in order."""
        raise NotImplementedError

    def order(self) -> list[ChunkAction]:
        """Return what this rank does in a step, in order."""
        group = self.stage.group
        actions = self.actions(group.rank, group.size, self.n_microbatches)
        return [ChunkAction(kind, i) for kind, i in actions]

    def step(
        self, *args: Tensor, target: Tensor | None = None, losses: Losses = None
    ) -> Tensor | None:
        """Do forward and backward of one batch, and return the last stage's output; all call it.

        The first stage alone is given the batch, the last one alone the `target` and a list
        `losses`, to which each micro-batch's is added. A batch that one stage refuses is refused
        by all; after an error later on, such as one of `loss_fn`, the other stages are told of it,
        and no further step is taken.
        """
        return self._batch("step", args, target, losses)

    @no_grad()
    def eval(
        self, *args: Tensor, target: Tensor | None = None, losses: Losses = None
    ) -> Tensor | None:
        """Do forward alone, without a record; return the last stage's output; all call it.

        As `step`, but there need not be a `target`. Dropout and batch normalization are told by
        another switch, the modules' own: `stage.submodule.eval()`.
        """
        return self._batch("eval", args, target, losses)

    def _batch(
        self, name: str, args: Sequence[Tensor], target: Tensor | None, losses: Losses
    ) -> Tensor | None:
        """Check what this rank is given, and run it; an error ends the batch on every rank."""
        with collective_check(f"Schedule.{name}", self.stage.group) as call:
            self._check_last_step()
            inputs = self._parts("the batch", args[0] if args else None, self.stages[0].is_first)
            needs_target = self.stages[-1].is_last and (name == "step" or target is not None)
            targets = self._parts("target", target, needs_target)
            call.detail = f" of {type(self).__name__}, {self.n_microbatches} micro-batches"
        if self._messages is None:
            self._messages = Messages(self.stage.group)  # all ranks are here
        for stage in self.stages:
            stage.start(self._messages)
        try:
            outputs = self._run(name == "step", inputs, targets, losses)
        except Exception as error:
            self._messages.tell(error)
            raise
        return cat(outputs) if outputs else None

    def _run(
        self, trains: bool, inputs: Sequence[Any], targets: Sequence[Any], losses: Losses
    ) -> list[Tensor]:
        """Carry the schedule's actions out, and return the outputs of the last stage."""
        outputs, self.most_kept = [], 0
        for kind, i, chunk in self.order():
            stage = self.stages[chunk]
            if kind == "B":
                if trains:
                    stage.backward(i, self.scale)
                continue
            x = inputs[i] if stage.is_first else None
            target = targets[i] if stage.is_last else None
            y = stage.forward(i, x, self.loss_fn, target)
            self.most_kept = max(self.most_kept, sum(len(stage.kept) for stage in self.stages))
            if stage.is_last:
                outputs.append(y.detach())
            if losses is not None and target is not None:
                losses.append(stage.kept[i][1].detach())
            if not trains:
                stage.kept.clear()
        for stage in self.stages:
            stage.wait()
        return outputs

    def _check_last_step(self) -> None:
        """Refuse a step of the pipeline after one that failed in the middle."""
        if any(stage.is_under_way for stage in self.stages):
            raise RuntimeError(
                f"[{type(self).__name__}] the step before failed in the middle, and its messages "
                "are still on their way: start the ranks anew, from a checkpoint"
            )

    def _parts(self, what: str, whole: Tensor | None, is_mine: bool) -> Sequence[Any]:
        """Return the micro-batches of what only one stage is given."""
        name, count = type(self).__name__, self.n_microbatches
        if (whole is not None) != is_mine:
            raise ValueError(
                f"[{name}] {what} belongs to one stage: the first takes the batch, the last the "
                f"target; this is stage {self.stage.index} of {self.stage.num_stages}"
            )
        if whole is None:
            return [None] * count
        if whole.shape[0] % count:
            raise ValueError(
                f"[{name}] {what} of {whole.shape[0]} rows is not {count} equal micro-batches"
            )
        return whole.chunk(count)


class ScheduleGPipe(Schedule):
    """All micro-batches forward, then all backward."""

    @staticmethod
    def actions(rank: int, stages: int, micro_batches: int) -> list[Action]:
        """Return what a rank does, in order.

        >>> " ".join(kind + str(i) for kind, i in ScheduleGPipe.actions(0, 2, 3))
        'F0 F1 F2 B0 B1 B2'
        """
        every = range(micro_batches)
        return [Action("F", i) for i in every] + [Action("B", i) for i in every]


class Schedule1F1B(Schedule):
    """Backward as soon as it can, so that few micro-batches are kept, in no more time."""

    @staticmethod
    def actions(rank: int, stages: int, micro_batches: int) -> list[Action]:
        """Return what a rank does, in order.

        >>> " ".join(kind + str(i) for kind, i in Schedule1F1B.actions(0, 2, 3))
        'F0 F1 B0 F2 B1 B2'
        """
        # ex 6.10 begin
        ahead = min(stages - rank - 1, micro_batches)
        order = [Action("F", i) for i in range(ahead)]
        for i in range(micro_batches - ahead):
            order += [Action("F", ahead + i), Action("B", i)]
        return order + [Action("B", i) for i in range(micro_batches - ahead, micro_batches)]
        # ex 6.10 end
