"""The ring all-reduce: every rank talks to its two neighbours only.

The readable version of `all_reduce`, built on `isend` and `recv` and tested against it. Each rank
sends 2 * (N - 1) / N of the tensor however many ranks there are; one rank that collects and answers
would handle N - 1 whole tensors each way. It never calls a collective.

    rank 0 -> rank 1 -> rank 2 -> rank 3 -> rank 0
"""

from __future__ import annotations

from itertools import pairwise

from norch_autograd import Tensor, no_grad, zeros_like
from norch_ddp.collectives.collectives import isend, recv
from norch_ddp.groups.process_group import get_rank, get_world_size


def ring_all_reduce(tensor: Tensor) -> None:
    """Overwrite every rank's `tensor` with the sum over all ranks; any shape, any strides."""
    with no_grad():
        flat = tensor.detach().reshape(-1).contiguous()
        chunks = split_evenly(flat, get_world_size())
        reduce_scatter_around(chunks)
        all_gather_around(chunks)
        tensor.detach().copy_(flat.reshape(tensor.shape))


def split_evenly(flat: Tensor, parts: int) -> list[Tensor]:
    """Cut a 1-D tensor into the ring's chunks: views whose lengths differ by at most one."""
    cuts = [flat.shape[0] * part // parts for part in range(parts + 1)]
    return [flat[start:stop] for start, stop in pairwise(cuts)]


def reduce_scatter_around(chunks: list[Tensor]) -> None:
    """N - 1 steps: pass a partial sum on, add what arrives; rank r ends with all of chunk r + 1."""
    rank, size = get_rank(), get_world_size()
    # ex 6.3 begin
    for step in range(size - 1):
        incoming = zeros_like(chunks[(rank - step - 1) % size])
        pass_on(chunks[(rank - step) % size], incoming)
        chunks[(rank - step - 1) % size].add_(incoming)
    # ex 6.3 end


def all_gather_around(chunks: list[Tensor]) -> None:
    """N - 1 steps: pass a finished chunk on, keep what arrives."""
    rank, size = get_rank(), get_world_size()
    # ex 6.4 begin
    for step in range(size - 1):
        pass_on(chunks[(rank - step + 1) % size], chunks[(rank - step) % size])
    # ex 6.4 end


def pass_on(outgoing: Tensor, incoming: Tensor) -> None:
    """Do one step of the ring: send to the right neighbour while receiving from the left one."""
    rank, size = get_rank(), get_world_size()
    sent = isend(outgoing, dst=(rank + 1) % size)  # a blocking send all round would wait for itself
    recv(incoming, src=(rank - 1) % size)
    if sent is not None:
        sent.wait()
