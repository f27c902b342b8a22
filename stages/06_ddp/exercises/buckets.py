"""Gradients travel in buckets: few large messages, started while backward still runs.

`deal` packs parameters into buckets, `Bucket` is one flat buffer and its message, `Reducer` decides
when a bucket leaves and when all are back. Used by `DistributedDataParallel` alone; it knows no
modules, only named parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from weakref import ref

from norch_autograd import Tensor, float32, no_grad, tensor, zeros
from norch_autograd.autograd import queue_callback

from .process_group import ProcessGroup
from .work import Work

FIRST_BUCKET_BYTES = 1 << 20
"""The first bucket is small, so that the first message leaves early."""

Named = tuple[str, Tensor]


def deal(named: list[Named], cap_bytes: int) -> list[list[Named]]:
    """Pack parameters of one dtype together, last first: backward reaches the last layer first."""
    # ex 6.5 begin
    raise NotImplementedError("exercise 6.5 is yours to write")
    # ex 6.5 end


class Bucket:
    """The gradients of some parameters, side by side in one flat buffer, where they travel from.

    Behind them travels one more number per parameter, 1 where this rank added to its gradient since
    the last mean: the sum says how many ranks did, so a parameter that took no part is noticed
    without a message of its own. Half types are added as float32: float16 would overflow, and
    bfloat16 cannot count ranks beyond 256.
    """

    def __init__(self, named: list[Named], home: str = "cpu") -> None:
        self.named = named
        sizes = [parameter.numel() for _, parameter in named]
        dtype = named[0][1].dtype
        wide = float32 if dtype.itemsize < 4 else dtype
        self.flat = zeros(sum(sizes) + len(named), dtype=wide, device=home)
        self.views = []
        start = 0
        for (_, parameter), size in zip(named, sizes, strict=True):
            self.views.append(self.flat[start : start + size].reshape(parameter.shape))
            start += size
        self.flags = self.flat[start:]
        self.work: Work | None = None
        self.ready: set[int] = set()
        self.used: set[int] = set()  # added to since the last mean, under `no_sync` perhaps

    def fill(self, slot: int) -> None:
        """Copy one gradient into its place."""
        name, parameter = self.named[slot]
        if self.work is not None:
            raise RuntimeError(
                f"[DistributedDataParallel] the gradient of {name} changed after it had been "
                "sent: one backward must produce each gradient once; use no_sync() for all "
                "backwards but the last"
            )
        self.views[slot].copy_(parameter.grad.detach().to(self.flat.device))
        self.ready.add(slot)

    def is_full(self) -> bool:
        """Return whether every gradient is in place."""
        return len(self.ready) == len(self.named)

    def launch(self, group: ProcessGroup) -> None:
        """Send the bucket: gradients of earlier backwards too; where there is none, zeros."""
        for slot, (view, (_, parameter)) in enumerate(zip(self.views, self.named, strict=True)):
            if parameter.grad is None:
                self.used.discard(slot)
                view.zero_()
            elif slot not in self.ready:
                self.fill(slot)
        flags = [float(slot in self.used) for slot in range(len(self.named))]
        self.flags.copy_(tensor(flags, device=self.flat.device))
        transport = group.transport_for(self.flat.array.device)
        request = transport.all_reduce(self.flat.array, "sum")
        self.work = Work(request, "DistributedDataParallel.backward", group)

    def is_back(self) -> bool:
        """Move the message on and say whether the sums have arrived."""
        return self.work is None or self.work.is_completed()

    def wait(self) -> None:
        """Return when the sums have arrived."""
        if self.work is not None:
            self.work.wait()

    def unused(self, ranks: int) -> list[tuple[str, int]]:
        """Return (name, on how many ranks) of the parameters that lack a gradient somewhere."""
        counts = [round(count) for count in self.flags.tolist()]
        named = zip(self.named, counts, strict=True)
        return [(name, ranks - count) for (name, _), count in named if count < ranks]

    def put_back(self, ranks: int) -> None:
        """Write the means into the parameters' gradients; one that nobody used is left alone."""
        # ex 6.7 begin
        raise NotImplementedError("exercise 6.7 is yours to write")
        # ex 6.7 end

    def reset(self) -> None:
        """Be ready for the next backward."""
        self.work = None
        self.ready.clear()


class Reducer:
    """Averages gradients over the ranks, bucket by bucket, during backward.

    Every parameter tells it when its gradient is complete. Buckets leave in one fixed order on all
    ranks, whatever the order of the gradients; the end of backward waits for all of them.
    """

    def __init__(
        self,
        named: list[Named],
        group: ProcessGroup,
        cap_bytes: int,
        allow_unused: bool,
    ) -> None:
        homes = by_home(named, group)
        self._group = group.duplicate()  # never meets the user's own messages
        self._allow_unused = allow_unused
        self.enabled = True
        self._buckets = [
            Bucket(part, home) for home, mine in homes.items() for part in deal(mine, cap_bytes)
        ]
        self._launched = 0
        self._running = False
        for i, bucket in enumerate(self._buckets):
            for slot, (_, parameter) in enumerate(bucket.named):
                parameter.register_post_accumulate_grad_hook(announcing(ref(self), i, slot))

    def watch(self, grad: Tensor) -> None:
        """A hook that changes nothing: whoever holds it, such as a graph, holds the reducer."""

    def arrived(self, i: int, slot: int) -> None:
        """One gradient is complete: send every bucket whose turn has come."""
        self._buckets[i].used.add(slot)
        if not self.enabled:
            return
        if not self._running:
            self._running = True
            queue_callback(self._finish)
        # ex 6.6 begin
        raise NotImplementedError("exercise 6.6 is yours to write")
        # ex 6.6 end
        for other in self._buckets[: self._launched]:
            other.is_back()  # MPI moves messages on only while somebody asks

    def _launch_next(self) -> None:
        self._buckets[self._launched].launch(self._group)
        self._launched += 1

    def _finish(self) -> None:
        """End of backward: send the rest, wait for all, check, and only then write gradients."""
        ranks = self._group.size
        with no_grad():
            try:
                while self._launched < len(self._buckets):
                    self._launch_next()
                for bucket in self._buckets:
                    bucket.wait()
                self._check_unused()
                for bucket in self._buckets:
                    bucket.put_back(ranks)
                    bucket.used.clear()
            finally:
                self._reset()

    def _check_unused(self) -> None:
        ranks = self._group.size
        missing = [item for bucket in self._buckets for item in bucket.unused(ranks)]
        if missing and not self._allow_unused:
            listed = ", ".join(f"{name} (on {count} of {ranks} ranks)" for name, count in missing)
            raise RuntimeError(
                f"[DistributedDataParallel] backward gave no gradient for {listed}: pass "
                "find_unused_parameters=True if that is meant, or freeze them with "
                "requires_grad_(False) before they are wrapped"
            )

    def recover(self) -> None:
        """Forget a backward that ended in an error; called before the next forward."""
        if self._running:
            for bucket in self._buckets[: self._launched]:
                bucket.wait()
            self._reset()

    def _reset(self) -> None:
        for bucket in self._buckets:
            bucket.reset()
        self._launched = 0
        self._running = False


def by_home(named: list[Named], group: ProcessGroup) -> dict[str, list[Named]]:
    """Return the parameters by where their gradients travel from: the host, or their GPU."""
    homes: dict[str, list[Named]] = {}
    for name, parameter in named:
        device = parameter.array.device
        home = group.transport_for(device).home(device)
        homes.setdefault(home, []).append((name, parameter))
    return homes


def announcing(reducer: ref[Reducer], i: int, slot: int) -> Callable[[Tensor], None]:
    """Return one parameter's hook. It holds the reducer weakly: a model outlives its wrapper."""

    def hook(parameter: Tensor) -> None:
        owner = reducer()
        if owner is not None:
            owner.arrived(i, slot)

    return hook
