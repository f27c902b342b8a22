"""Communication hooks: how DDP's gradients travel, chosen by `register_comm_hook`.

A hook gets one bucket of this rank's gradients and returns a Future of their mean over the ranks.
`buckets` calls it when a bucket leaves and waits for it at the end of backward. The hooks here are
PyTorch's: gradients as they are, and in half the bytes. PowerSGD is one of the extras.
"""

from __future__ import annotations

from typing import Any

from norch_autograd import Tensor, bfloat16, cat, float16, float32, uint8, zeros, zeros_like
from norch_ddp.collectives.collectives import ReduceOp, all_reduce
from norch_ddp.collectives.composed import all_gather_into_tensor, all_to_all_single
from norch_ddp.groups.process_group import ProcessGroup, current_group, get_world_size
from norch_ddp.transports.work import Future


class GradBucket:
    """One bucket of gradients, as a hook sees it."""

    def __init__(
        self,
        number: int,
        is_last: bool,
        flat: Tensor,
        views: list[Tensor],
        parameters: list[Tensor],
    ) -> None:
        self._number = number
        self._is_last = is_last
        self._flat = flat
        self._views = views
        self._parameters = parameters

    def index(self) -> int:
        """Return the bucket's number, from 0, the same on all ranks."""
        return self._number

    def is_last(self) -> bool:
        """Return whether this is the last one of a backward."""
        return self._is_last

    def buffer(self) -> Tensor:
        """Return all its gradients in a row."""
        return self._flat

    def gradients(self) -> list[Tensor]:
        """Return each gradient, a view of the buffer in the parameter's shape."""
        return self._views

    def parameters(self) -> list[Tensor]:
        """Return the parameters, in the order of `gradients`."""
        return self._parameters

    def set_buffer(self, tensor: Tensor) -> None:
        """Overwrite all gradients with those that `tensor` has in a row."""
        self._flat.copy_(tensor)


def mean_of(tensor: Tensor, group: ProcessGroup | None) -> Future:
    """Start to average `tensor` over the ranks in place, for a hook; return a Future of it."""
    work: Any = all_reduce(tensor, ReduceOp.MEAN, group, async_op=True)
    mean: Future = work.get_future().then(lambda future: tensor)
    return mean


def allreduce_hook(process_group: ProcessGroup | None, bucket: GradBucket) -> Future:
    """Average the gradients as they are: what DDP does without a hook."""
    return mean_of(bucket.buffer(), process_group)


def bf16_compress_hook(process_group: ProcessGroup | None, bucket: GradBucket) -> Future:
    """Round the gradients to bfloat16 before they travel: half the bytes."""
    return _mean_in_dtype(process_group, bucket, bfloat16)


def fp16_compress_hook(process_group: ProcessGroup | None, bucket: GradBucket) -> Future:
    """Round the gradients to float16 before they travel: half the bytes."""
    return _mean_in_dtype(process_group, bucket, float16)


def _mean_in_dtype(group: ProcessGroup | None, bucket: GradBucket, dtype: Any) -> Future:
    """Start to average a bucket's gradients in a half type; return a Future of the means."""
    flat = bucket.buffer()
    transport = current_group(group).transport_for(flat.array.device)
    if transport.travels_as(dtype) is dtype:  # NCCL adds half types, MPI does not
        return mean_of(flat.to(dtype), group).then(lambda future: future.value().to(flat.dtype))
    return mean_of_halves(flat, dtype, group)


def mean_of_halves(flat: Tensor, dtype: Any, group: ProcessGroup | None) -> Future:
    """Start to average (n,) numbers that travel in two bytes each; return a Future of the means.

    Rank r gets part r of everybody's, adds up in float32, and sends the means round: an all_reduce
    of halves by its two parts, whose sums are as good as those of float32.
    """
    size = get_world_size(group)
    missing = -len(flat) % size
    outgoing = halves_to_bytes(cat([flat, zeros(missing, dtype=flat.dtype)]), dtype)
    incoming = zeros_like(outgoing)
    parts: Any = all_to_all_single(incoming, outgoing, group=group, async_op=True)

    def finish(_: Future) -> Tensor:
        mean = halves_from_bytes(incoming, dtype).reshape(size, -1).mean(0)
        all_gather_into_tensor(outgoing, halves_to_bytes(mean, dtype), group)
        return halves_from_bytes(outgoing, dtype)[: len(flat)].to(flat.dtype)

    means: Future = parts.get_future().then(finish)
    return means


def halves_to_bytes(numbers: Tensor, dtype: Any) -> Tensor:
    """Return (n,) gradients, rounded to a half type, as the (2 n,) bytes that travel.

    >>> one = norch.tensor([1.0])
    >>> halves_to_bytes(one, norch.bfloat16), halves_to_bytes(one, norch.float16)
    (tensor([128,  63], dtype=norch.uint8), tensor([ 0, 60], dtype=norch.uint8))
    """
    if dtype is float16:
        return numbers.to(dtype).view(uint8)
    floats = numbers.to(dtype).float().view(uint8).reshape(-1, 4)
    return floats[:, 2:].reshape(-1)  # bfloat16 is the upper half of a float32


def halves_from_bytes(data: Tensor, dtype: Any) -> Tensor:
    """Return the (n,) gradients of (2 n,) bytes that have travelled, as float32.

    >>> data = halves_to_bytes(norch.tensor([1.5, -2.0]), norch.bfloat16)
    >>> halves_from_bytes(data, norch.bfloat16)
    tensor([ 1.5000, -2.0000])
    """
    if dtype is float16:
        halves = zeros(len(data) // 2, dtype=dtype)
        halves.view(uint8).copy_(data)
        return halves.float()
    floats = zeros(len(data) // 2, 4, dtype=uint8)
    floats[:, 2:] = data.reshape(-1, 2)
    return floats.reshape(-1).view(float32)
