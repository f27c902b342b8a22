"""Gradients travel in buckets: few large messages, started while backward still runs.

`assign_buckets` packs parameters into buckets, `Bucket` is one flat buffer and its message,
`Reducer` decides when a bucket leaves and when all are back. Used by `DistributedDataParallel`
alone; it knows no modules, only named parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from weakref import ref

from norch_autograd import Tensor, float32, int64, no_grad, tensor, zeros
from norch_autograd.autograd import queue_callback
from norch_ddp.data_parallel.comm_hooks import GradBucket
from norch_ddp.groups.process_group import ProcessGroup
from norch_ddp.transports.work import Future, Together, Work

FIRST_BUCKET_BYTES = 1 << 20
"""The first bucket is no larger, where the cap is: the first message leaves early."""

LARGE_BYTES = 1 << 18
"""From this size on a gradient that has a bucket to itself is sent from where it lies."""

LOOKS = 16
"""MPI moves messages on only while somebody looks, a few packets a look: with one look a gradient,
a network stands idle while backward computes."""

Named = tuple[str, Tensor]
Hook = Callable[[GradBucket], Future]


def assign_buckets(named: list[Named], cap_bytes: int) -> list[list[Named]]:
    """Pack parameters of one dtype together, last first: backward reaches the last layer first."""
    # ex 6.5 begin
    buckets: list[list[Named]] = []
    room = 0
    for name, parameter in reversed(named):
        size = parameter.numel() * parameter.dtype.itemsize
        fits = buckets and size <= room and buckets[-1][0][1].dtype is parameter.dtype
        if not fits:
            room = min(cap_bytes, FIRST_BUCKET_BYTES) if not buckets else cap_bytes
            buckets.append([])
        buckets[-1].append((name, parameter))
        room -= size
    return buckets
    # ex 6.5 end


class Bucket:
    """The gradients of some parameters, side by side in one flat buffer, where they travel from.

    Behind them travels one more number per parameter, 1 where this rank added to its gradient since
    the last mean: the sum says how many ranks did, so a parameter that took no part is noticed
    without a message of its own, but where gradients stay on a GPU: their counts go by the host,
    which reads them without waiting for the GPU. Half types are added as float32: float16 would
    overflow, and bfloat16 cannot count ranks beyond 256.
    """

    def __init__(self, named: list[Named], home: str = "cpu") -> None:
        self.named = named
        self.home = home
        dtype = named[0][1].dtype
        self.allocate(float32 if dtype.itemsize < 4 else dtype, home)
        self.work: Work | None = None
        self.hook: Callable[[], Future] | None = None
        self.hook_means: Future | None = None
        self.ready: set[int] = set()
        self.used: set[int] = set()  # added to since the last mean, under `no_sync` perhaps

    def allocate(self, dtype: Any, home: str) -> None:
        """Make the buffer: `views` of it for the gradients, and the `flags` behind them."""
        sizes = [parameter.numel() for _, parameter in self.named]
        beside = 0 if home == "cpu" else len(sizes)
        self.flat = zeros(sum(sizes) + len(sizes) - beside, dtype=dtype, device=home)
        self.views = []
        start = 0
        for (_, parameter), size in zip(self.named, sizes, strict=True):
            self.views.append(self.flat[start : start + size].reshape(parameter.shape))
            start += size
        self.flags = zeros(beside, dtype=dtype, device="cpu") if beside else self.flat[start:]

    def add(self, slot: int) -> None:
        """Put one gradient, complete in this backward, into its place."""
        if self.work is not None:
            raise RuntimeError(
                f"[DistributedDataParallel] the gradient of {self.named[slot][0]} changed after it "
                "had been sent: one backward must produce each gradient once; use no_sync() for "
                "all backwards but the last"
            )
        self.place(slot)
        self.ready.add(slot)

    def place(self, slot: int) -> None:
        """Bring a gradient of this backward to where it travels from."""
        self.copy_in(slot)

    def copy_in(self, slot: int) -> None:
        """Copy one gradient into the buffer; zeros where there is none."""
        grad = self.named[slot][1].grad
        if grad is None:
            self.views[slot].zero_()
        else:
            self.views[slot].copy_(grad.detach().to(self.flat.device))

    def is_full(self) -> bool:
        """Return whether every gradient is in place."""
        return len(self.ready) == len(self.named)

    def flush(self, group: ProcessGroup) -> None:
        """Send the bucket: gradients of earlier backwards too; where there is none, zeros."""
        for slot, (_, parameter) in enumerate(self.named):
            if parameter.grad is None:
                self.used.discard(slot)
            if parameter.grad is None or slot not in self.ready:
                self.copy_in(slot)
        flags = [float(slot in self.used) for slot in range(len(self.named))]
        self.flags.copy_(tensor(flags, device="cpu"))
        self.send(group)

    def flush_zeros(self, group: ProcessGroup) -> None:
        """Send zeros for all, used by nobody here: this rank has no inputs."""
        self.flat.zero_()
        self.flags.zero_()
        self.send(group)

    def send(self, group: ProcessGroup) -> None:
        """Start the message of what is in place."""
        arrays = [part.array for part in self.messages()]
        requests = [group.transport_for(a.device).all_reduce(a, "sum") for a in arrays]
        self.work = Work(Together(requests), "DistributedDataParallel.backward", group)
        if self.hook is not None:
            self.hook_means = self.hook()

    def messages(self) -> list[Tensor]:
        """Return what travels: the counts alone, where a hook sends the gradients."""
        if self.hook is not None:
            return [self.flags]
        return [self.flat] if self.home == "cpu" else [self.flat, self.flags]

    def poll(self) -> bool:
        """Move the message on and say whether the sums have arrived."""
        return self.work is None or self.work.look()

    def wait(self, ranks: int) -> None:
        """Return when the sums have arrived; a hook's means become sums."""
        if self.work is not None:
            self.work.wait()
        if self.hook_means is not None:
            means, self.hook_means = self.hook_means.wait(), None
            self.flat[: means.numel()].copy_(means).mul_(ranks)

    def unused(self, ranks: int) -> list[tuple[str, int]]:
        """Return (name, on how many ranks) of the parameters that lack a gradient somewhere."""
        counts = [round(count) for count in self.flags.tolist()]
        named = zip(self.named, counts, strict=True)
        return [(name, ranks - count) for (name, _), count in named if count < ranks]

    def write_back(self, ranks: int) -> None:
        """Write the means into the parameters' gradients; one that nobody used is left alone."""
        # ex 6.7 begin
        counts = self.flags.tolist()
        self.flat.div_(ranks)
        for (_, parameter), view, count in zip(self.named, self.views, counts, strict=True):
            if count == 0:
                continue
            if parameter.grad is None:
                parameter.grad = view.to(parameter.dtype).to(parameter.device).clone()
            else:
                parameter.grad.detach().copy_(view.to(parameter.device))
        # ex 6.7 end

    def reset(self) -> None:
        """Be ready for the next backward."""
        self.work = self.hook_means = None
        self.ready.clear()


class LargeGradient(Bucket):
    """A bucket of one large gradient, which travels from where it lies; its flag goes beside it.

    In shared memory the copies into a buffer and back take as long as the message. A gradient that
    an earlier backward made, or whose storage another array views, is copied all the same: should
    this backward fail, it must be what it was. Who holds `.grad` itself sees its mean come.
    """

    def allocate(self, dtype: Any, home: str) -> None:
        """Make the flag; the buffer is found when the gradient is there."""
        self.flags = zeros(1, dtype=dtype, device="cpu")
        self.flat, self.views = self.flags, []

    def place(self, slot: int) -> None:
        """Let the gradient be the buffer, or copy it."""
        grad: Any = self.named[slot][1].grad
        here = grad.array.device == self.home and grad.dtype is self.flags.dtype
        if here and grad.array.owns_storage and grad.array.version == 0:
            self.flat, self.views = grad.detach().reshape(-1), [grad.detach()]
        else:
            self.copy_in(slot)

    def copy_in(self, slot: int) -> None:
        """Make a buffer, and copy the gradient into it."""
        self.make_buffer()
        super().copy_in(slot)

    def flush_zeros(self, group: ProcessGroup) -> None:
        """Send zeros: they need a buffer."""
        self.make_buffer()
        self.flags.zero_()
        self.send(group)

    def make_buffer(self) -> None:
        """Make a buffer of zeros for a copy of the gradient."""
        parameter = self.named[0][1]
        self.flat = zeros(parameter.numel(), dtype=self.flags.dtype, device=self.home)
        self.views = [self.flat.reshape(parameter.shape)]

    def messages(self) -> list[Tensor]:
        """Return what travels."""
        return [self.flat, self.flags]

    def reset(self) -> None:
        """Be ready for the next backward, and hold no gradient of this one."""
        super().reset()
        self.flat, self.views = self.flags, []


class Reducer:
    """Averages gradients over the ranks, bucket by bucket, during backward.

    Every parameter tells it when its gradient is complete. Buckets leave in one fixed order on all
    ranks, whatever the order of the gradients; the end of backward waits for all of them. The first
    order is a guess, from the last parameter names; the next is that in which gradients came.
    """

    def __init__(
        self, named: list[Named], group: ProcessGroup, cap_bytes: int, allow_unused: bool
    ) -> None:
        homes = group_by_home(named, group)
        self._group = group.duplicate()  # never meets the user's own messages
        self._named = named
        self._cap_bytes = cap_bytes
        self._allow_unused = allow_unused
        self.enabled = True
        self._active = self._divide_by = group.size
        self._make_buckets(homes)
        self._flushed = 0
        self._running = False
        self._order: list[int] = []  # parameters, by id, as their gradients come
        self._first_order: list[int] = []  # the same, of the first backward that averaged
        self._is_final = group.size == 1  # whether the buckets stay
        for _, parameter in named:
            parameter.register_post_accumulate_grad_hook(ready_hook(ref(self)))

    def _make_buckets(self, homes: dict[str, list[Named]]) -> None:
        """Assign the parameters to buckets, and remember each one's bucket and slot."""
        cap = self._cap_bytes
        parts = [(part, home) for home in homes for part in assign_buckets(homes[home], cap)]
        self._buckets = [make_bucket(*pair) for pair in parts]
        self._places = {
            id(parameter): (i, slot)
            for i, (part, _) in enumerate(parts)
            for slot, (_, parameter) in enumerate(part)
        }

    def rebuild_buckets(self) -> None:
        """Assign buckets anew as rank 0's gradients came; all ranks call it, between two steps.

        A gradient that comes late holds up its bucket, and all behind it. Done once; not where a
        communication hook has the buckets already, and may have noted something of each.
        """
        if self._is_final or self._has_hook():
            return
        numbers = {id(parameter): number for number, (_, parameter) in enumerate(self._named)}
        ready = [numbers.pop(one) for one in dict.fromkeys(self._first_order)]
        late = reversed(numbers.values())  # without a gradient
        message = tensor([len(ready), *ready, *late], dtype=int64, device="cpu")
        request = self._group.transport.broadcast(message.array, 0)
        Work(request, "DistributedDataParallel.forward", self._group).wait()
        ready_count, *order = message.tolist()
        if not ready_count:
            return
        self._is_final = True
        used = [id(bucket.named[slot][1]) for bucket in self._buckets for slot in bucket.used]
        named = [self._named[number] for number in reversed(order)]
        self._make_buckets(group_by_home(named, self._group))
        for i, slot in map(self._places.__getitem__, used):
            self._buckets[i].used.add(slot)

    def register_hook(self, hook: Hook) -> None:
        """Have `hook` average the gradients, from flat buffers all; once."""
        if self._has_hook():
            raise ValueError("[register_comm_hook] a hook may be registered once")
        self._buckets = [Bucket(one.named, one.home) for one in self._buckets]
        for number, bucket in enumerate(self._buckets):
            gradients = bucket.flat[: sum(view.numel() for view in bucket.views)]
            parameters = [parameter for _, parameter in bucket.named]
            is_last = number + 1 == len(self._buckets)
            grad_bucket = GradBucket(number, is_last, gradients, bucket.views, parameters)
            bucket.hook = partial(hook, grad_bucket)

    def expect(self, active: int, divide_by: int) -> None:
        """Expect gradients of so many ranks in the next backward, and divide their sums by so many.

        A hook's means are over all ranks, whoever had inputs, as in PyTorch.
        """
        self._active = active
        self._divide_by = self._group.size if self._has_hook() else divide_by

    def _has_hook(self) -> bool:
        """Return whether a communication hook averages the gradients."""
        return any(bucket.hook is not None for bucket in self._buckets)

    def backward_with_zeros(self) -> None:
        """Take part in a backward of the other ranks with zeros; no gradient here changes."""
        with no_grad():
            for bucket in self._buckets:
                bucket.flush_zeros(self._group)
            for bucket in self._buckets:
                bucket.wait(self._group.size)
            try:
                self._check_unused()
            finally:
                self._reset()

    def keep_alive(self, grad: Tensor) -> None:
        """A hook that changes nothing: whoever holds it, such as a graph, holds the reducer."""

    def grad_ready(self, parameter: Tensor) -> None:
        """Remember a complete gradient's turn among the others, and put it into its bucket."""
        if self.enabled:
            self._order.append(id(parameter))
        self.mark_ready(*self._places[id(parameter)])

    def mark_ready(self, i: int, slot: int) -> None:
        """One gradient is complete: send every bucket whose turn has come."""
        self._buckets[i].used.add(slot)
        if not self.enabled:
            return
        if not self._running:
            self._running = True
            queue_callback(self._finish)
        # ex 6.6 begin
        with no_grad():
            self._buckets[i].add(slot)
            while self._flushed < len(self._buckets) and self._buckets[self._flushed].is_full():
                self._flush_next()
        # ex 6.6 end
        under_way = self._buckets[: self._flushed]
        for _ in range(LOOKS):
            under_way = [bucket for bucket in under_way if not bucket.poll()]

    def _flush_next(self) -> None:
        """Send the next bucket of gradients."""
        self._buckets[self._flushed].flush(self._group)
        self._flushed += 1

    def _finish(self) -> None:
        """End of backward: send the rest, wait for all, check, and only then write gradients.

        An error before all are back leaves the buckets to `recover`: sums may still arrive there.
        """
        ranks = self._group.size
        with no_grad():
            while self._flushed < len(self._buckets):
                self._flush_next()
            for bucket in self._buckets:
                bucket.wait(ranks)
            try:
                self._check_unused()
                for bucket in self._buckets:
                    bucket.write_back(self._divide_by)
                    bucket.used.clear()
                self._first_order = self._first_order or self._order
            finally:
                self._reset()

    def _check_unused(self) -> None:
        """Refuse a backward that gave some parameter no gradient, unless that is allowed."""
        ranks = self._active
        missing = [item for bucket in self._buckets for item in bucket.unused(ranks)]
        if missing and not self._allow_unused:
            names = ", ".join(f"{name} (on {count} of {ranks} ranks)" for name, count in missing)
            raise RuntimeError(
                f"[DistributedDataParallel] backward gave no gradient for {names}: pass "
                "find_unused_parameters=True if that is meant, or freeze them with "
                "requires_grad_(False) before they are wrapped"
            )

    def recover(self) -> None:
        """Forget a backward that ended in an error; called before the next forward."""
        if self._running:
            with no_grad():
                for bucket in self._buckets:  # one whose hook failed counts as not flushed
                    bucket.wait(self._group.size)
            self._reset()

    def _reset(self) -> None:
        """Be ready for the next backward."""
        for bucket in self._buckets:
            bucket.reset()
        self._flushed = 0
        self._running = False
        self._order = []


def make_bucket(named: list[Named], home: str) -> Bucket:
    """Return the bucket for these parameters; one large gradient that MPI can add is not copied."""
    parameter = named[0][1]
    large = parameter.numel() * parameter.dtype.itemsize >= LARGE_BYTES
    alone = len(named) == 1 and home == "cpu" and parameter.dtype.itemsize >= 4
    return LargeGradient(named, home) if large and alone else Bucket(named, home)


def group_by_home(named: list[Named], group: ProcessGroup) -> dict[str, list[Named]]:
    """Return the parameters by where their gradients travel from: the host, or their GPU."""
    homes: dict[str, list[Named]] = {}
    for name, parameter in named:
        device = parameter.array.device
        home = group.transport_for(device).home(device)
        homes.setdefault(home, []).append((name, parameter))
    return homes


def ready_hook(reducer: ref[Reducer]) -> Callable[[Tensor], None]:
    """Return a parameter's hook. It holds the reducer weakly: a model outlives its wrapper."""

    def hook(parameter: Tensor) -> None:
        owner = reducer()
        if owner is not None:
            owner.grad_ready(parameter)

    return hook
