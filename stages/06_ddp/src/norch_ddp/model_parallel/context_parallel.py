"""Context parallelism: every rank has some of the positions, and attention goes round a ring.

Everything in a transformer treats positions alike, but attention, where each looks at all. Rank r
keeps its queries; keys and values of b bytes together travel from rank to rank, and after N - 1
hops every query has met every key. No rank ever has all of them, nor a row of the scores:

    memory of a rank          activations of T / N positions; two chunks of keys and values
    wire of an attention      forward (N - 1) b: keys and values
                              backward (N - 1) b + N b: behind them go the gradients found for
                              them so far, which make one hop more, home
    timeline                  the next chunk is under way while a rank works on the one it has

Softmax over parts: `meet` keeps the largest score m so far, the sum l of exp(s - m), and the sum o
of exp(s - m) v; at the end the output is o / l. Backward needs no second softmax: with
L = m + log l, the probabilities of any chunk are exp(s - L) at once.

With `is_causal` rank r needs chunks 0 to r alone, so the last rank works the most; real systems
deal out both ends of the text to each rank to mend that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from norch_autograd import (
    Tensor,
    bool_,
    empty_like,
    exp,
    full_like,
    maximum,
    ones,
    stack,
    zeros,
    zeros_like,
)
from norch_autograd.autograd import Function
from norch_autograd.autograd.function import once_differentiable
from norch_ddp.collectives.collectives import irecv, isend
from norch_ddp.groups.process_group import ProcessGroup, current_group
from norch_ddp.transports.work import Work

AROUND, BEHIND = 81, 82
"""What marks the messages: keys and values, and behind them their gradients."""


def ring_attention(
    q: Tensor, k: Tensor, v: Tensor, is_causal: bool = False, group: ProcessGroup | None = None
) -> Tensor:
    """softmax(q k' / sqrt(D)) v over the positions of all ranks; rank r has chunk r of each.

    q, k, v and the result (B, H, T / N, D), of one shape on every rank. As
    `F.scaled_dot_product_attention` on the whole.

    >>> dist.init_process_group()
    >>> x = norch.ones(1, 1, 2, 4)
    >>> ring_attention(x, x, x, is_causal=True).shape
    norch.Size([1, 1, 2, 4])
    """
    if not q.shape == k.shape == v.shape or q.ndim != 4:
        raise ValueError(
            f"[ring_attention] q, k and v must have one shape (B, H, T / N, D), not "
            f"{tuple(q.shape)}, {tuple(k.shape)} and {tuple(v.shape)}"
        )
    attended: Tensor = RingAttention.apply(q, k, v, is_causal, current_group(group))
    return attended


class RingAttention(Function):
    """p = exp(s - L), ds = p (do v' - sum(do o)): dq = sum ds k, dk = ds' q, dv = p' do."""

    @staticmethod
    def forward(
        ctx: Any, q: Tensor, k: Tensor, v: Tensor, is_causal: bool, group: ProcessGroup
    ) -> Tensor:
        """Meet every chunk once, with a running softmax."""
        ctx.is_causal, ctx.group = is_causal, group
        highest = full_like(q[..., :1], -math.inf)  # (B, H, t, 1)
        total, out = zeros_like(highest), zeros_like(q)
        for chunk, (key, value) in around(k, v, group):
            s = scores(q, key, chunk, ctx)
            if s is None:
                continue
            highest, total, out = meet(highest, total, out, s, value)
        out = out / total
        ctx.save_for_backward(q, k, v, out, highest + total.log())
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        """Meet every chunk again; the gradients found for it go round behind it."""
        q, k, v, out, logsumexp = ctx.saved_tensors
        scale = 1.0 / math.sqrt(q.shape[-1])
        correction = (grad * out).sum(-1, keepdim=True)
        dq, found = zeros_like(q), zeros(2, *k.shape, dtype=k.dtype, device=k.device)
        for chunk, (key, value) in around(k, v, ctx.group):
            s = scores(q, key, chunk, ctx)
            if s is not None:
                p = exp(s - logsumexp)
                ds = p * (grad @ value.mT - correction) * scale
                dq += ds @ key
                found[0] += ds.mT @ q
                found[1] += p.mT @ grad
            found = arrived(start_hop(found, ctx.group, BEHIND))
        return dq, found[0], found[1], None, None


def meet(
    highest: Tensor, total: Tensor, out: Tensor, s: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Return (m, l, o) with one more chunk in them, of scores (B, H, t, u), values (B, H, u, D)."""
    raised = maximum(highest, s.amax(-1, keepdim=True))
    p, shrink = exp(s - raised), exp(highest - raised)
    total = total * shrink + p.sum(-1, keepdim=True)
    out = out * shrink + p @ value
    return raised, total, out


def scores(q: Tensor, key: Tensor, chunk: int, ctx: Any) -> Tensor | None:
    """Return a chunk's scores q k' / sqrt(D), -inf for future keys; None if all of it is future."""
    rank = ctx.group.rank
    if ctx.is_causal and chunk > rank:
        return None
    s: Tensor = q @ key.mT / math.sqrt(q.shape[-1])
    if ctx.is_causal and chunk == rank:
        future = ones(s.shape[-2:], dtype=bool_, device=s.device).triu(1)
        s = s.masked_fill(future, -math.inf)
    return s


def around(k: Tensor, v: Tensor, group: ProcessGroup) -> Iterator[tuple[int, Tensor]]:
    """Yield (r, chunk r of k and v) for every rank r, this one's first: N - 1 hops."""
    chunk = stack([k.detach(), v.detach()])
    # ex 6.12 begin
    for step in range(group.size):
        is_last = step == group.size - 1
        hop = None if is_last else start_hop(chunk, group, AROUND)
        yield (group.rank - step) % group.size, chunk
        if hop is not None:
            chunk = arrived(hop)
    # ex 6.12 end


class Hop(NamedTuple):
    """Ring attention's chunk on its way to the next rank, and the one from the rank before."""

    works: list[Work]
    incoming: Tensor


def start_hop(outgoing: Tensor, group: ProcessGroup, tag: int) -> Hop:
    """Start to pass a chunk on round the ring of attention; a rank alone has it at once."""
    if group.size == 1:
        return Hop([], outgoing)
    after, before = (group.ranks[(group.rank + step) % group.size] for step in (1, -1))
    incoming = empty_like(outgoing)
    works = [isend(outgoing, after, group, tag), irecv(incoming, before, group, tag)]
    return Hop([work for work in works if work is not None], incoming)


def arrived(hop: Hop) -> Tensor:
    """Return ring attention's chunk that came, when this rank's own has gone too."""
    for work in hop.works:
        work.wait()
    return hop.incoming
