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

With `is_causal` a query looks at what stands before it, so whoever has the end of the text works
the most, and in each round the others wait for it. In zigzag order every rank has a piece of both
ends, r and 2 N - 1 - r of 2 N pieces, and they work alike, half as long as the last one did. With
N = 4; a piece i meets i + 1 pieces:

    piece       0  1  2  3  4  5  6  7      pieces met by ranks 0, 1, 2, 3
    in order    0  0  1  1  2  2  3  3      3  7  11  15
    zigzag      0  1  2  3  3  2  1  0      9  9   9   9

Grouped queries: where H heads of queries share G of keys and values, it is these G that travel, and
b is G / H as large. Queries are (B, G, H / G, t, D) here, and keys (B, G, 1, t, D) fit all of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from norch_autograd import (
    Tensor,
    bool_,
    cat,
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
    q: Tensor,
    k: Tensor,
    v: Tensor,
    is_causal: bool = False,
    group: ProcessGroup | None = None,
    *,
    enable_gqa: bool = False,
    zigzag: bool = False,
) -> Tensor:
    """softmax(q k' / sqrt(D)) v over the positions of all ranks; rank r has chunk r of each.

    q, k, v and the result (B, H, T / N, D), of one shape on every rank; with `enable_gqa` k and v
    may have fewer heads. With `zigzag` a rank's chunk is what `zigzag_part` gives it. As
    `F.scaled_dot_product_attention` on the whole.

    >>> dist.init_process_group()
    >>> x = norch.ones(1, 1, 2, 4)
    >>> ring_attention(x, x, x, is_causal=True).shape
    norch.Size([1, 1, 2, 4])
    """
    check_shapes(q, k, v, enable_gqa)
    if zigzag and q.shape[2] % 2:
        raise ValueError(
            f"[ring_attention] zigzag order gives each rank two pieces of equal length: "
            f"{q.shape[2]} positions on a rank must be even"
        )
    grouped = q.unflatten(1, (k.shape[1], -1))  # (B, G, H / G, t, D)
    order = Order(is_causal, zigzag)
    attended: Tensor = RingAttention.apply(grouped, k, v, order, current_group(group))
    return attended.flatten(1, 2)


def check_shapes(q: Tensor, k: Tensor, v: Tensor, enable_gqa: bool) -> None:
    """Refuse queries, keys and values that do not fit together."""
    others = [(x.shape[:1], x.shape[2:]) for x in (q, k)]  # all but the heads
    fits = q.ndim == 4 and k.shape == v.shape and others[0] == others[1]
    heads = q.shape[1] % k.shape[1] if enable_gqa and fits else q.shape != k.shape
    if heads or not fits:
        raise ValueError(
            f"[ring_attention] q, k and v must have one shape (B, H, T / N, D), not "
            f"{tuple(q.shape)}, {tuple(k.shape)} and {tuple(v.shape)}; with enable_gqa=True k and "
            "v may have fewer heads, which divide those of q"
        )


def zigzag_part(x: Tensor, dim: int = 1, group: ProcessGroup | None = None) -> Tensor:
    """Return the pieces r and 2 N - 1 - r of this rank's, of 2 N along `dim`, one behind the other.

    What has positions is dealt out so: letters and targets (B, T), and the numbers of the
    positions.

    >>> dist.init_process_group()
    >>> zigzag_part(norch.arange(4), 0)
    tensor([0, 1, 2, 3])
    """
    group = current_group(group)
    pieces = 2 * group.size
    if x.shape[dim] % pieces:
        raise ValueError(
            f"[zigzag_part] {x.shape[dim]} positions are not {pieces} equal pieces, two for each "
            f"of {group.size} ranks"
        )
    parts = x.chunk(pieces, dim)
    return cat([parts[group.rank], parts[pieces - 1 - group.rank]], dim)


class Order(NamedTuple):
    """Which queries look at which keys."""

    is_causal: bool
    zigzag: bool

    def seen(self, rank: int, chunk: int, length: int) -> tuple[slice, slice] | None:
        """Return which queries of a rank look at which keys of another's chunk; None if none do.

        >>> Order(is_causal=True, zigzag=True).seen(1, 0, 8)
        (slice(0, 8, None), slice(0, 4, None))
        """
        every, half = slice(0, length), length // 2
        if not self.is_causal or chunk == rank:  # of its own, a triangle
            return every, every
        if self.zigzag:
            return (every, slice(0, half)) if chunk < rank else (slice(half, length), every)
        return (every, every) if chunk < rank else None


class RingAttention(Function):
    """p = exp(s - L), ds = p (do v' - sum(do o)): dq = sum ds k, dk = ds' q, dv = p' do."""

    @staticmethod
    def forward(
        ctx: Any, q: Tensor, k: Tensor, v: Tensor, order: Order, group: ProcessGroup
    ) -> Tensor:
        """Meet every chunk once, with a running softmax."""
        ctx.order, ctx.group = order, group
        highest = full_like(q[..., :1], -math.inf)  # (B, G, H / G, t, 1)
        total, out = zeros_like(highest), zeros_like(q)
        for chunk, (key, value) in around(k, v, group):
            seen = order.seen(group.rank, chunk, q.shape[-2])
            if seen is None:
                continue
            rows, keys = seen
            s = scores(q[..., rows, :], key[:, :, None, keys], order.is_causal, chunk, group)
            m, sums, mixed = (x[..., rows, :] for x in (highest, total, out))
            met = meet(m, sums, mixed, s, value[:, :, None, keys])
            for x, more in zip((m, sums, mixed), met, strict=True):
                x.copy_(more)
        out = out / total
        ctx.save_for_backward(q, k, v, out, highest + total.log())
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        """Meet every chunk again; the gradients found for it go round behind it."""
        q, k, v, out, logsumexp = ctx.saved_tensors
        order, group, scale = ctx.order, ctx.group, 1.0 / math.sqrt(q.shape[-1])
        correction = (grad * out).sum(-1, keepdim=True)
        dq, found = zeros_like(q), zeros(2, *k.shape, dtype=k.dtype, device=k.device)
        for chunk, (key, value) in around(k, v, group):
            seen = order.seen(group.rank, chunk, q.shape[-2])
            if seen is not None:
                rows, keys = seen
                key, value = key[:, :, None, keys], value[:, :, None, keys]
                query, asked, level, less = (
                    x[..., rows, :] for x in (q, grad, logsumexp, correction)
                )
                p = exp(scores(query, key, order.is_causal, chunk, group) - level)
                ds = p * (asked @ value.mT - less) * scale
                dq[..., rows, :] += ds @ key
                found[0, :, :, keys] += (ds.mT @ query).sum(2)
                found[1, :, :, keys] += (p.mT @ asked).sum(2)
            found = arrived(start_hop(found, group, BEHIND))
        return dq, found[0], found[1], None, None


def meet(
    highest: Tensor, total: Tensor, out: Tensor, s: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Return (m, l, o) with one more chunk in them, of scores (..., t, u), values (..., u, D)."""
    raised = maximum(highest, s.amax(-1, keepdim=True))
    p, shrink = exp(s - raised), exp(highest - raised)
    total = total * shrink + p.sum(-1, keepdim=True)
    out = out * shrink + p @ value
    return raised, total, out


def scores(q: Tensor, key: Tensor, is_causal: bool, chunk: int, group: ProcessGroup) -> Tensor:
    """Return scores q k' / sqrt(D) with the keys of a chunk; -inf for future ones of the own."""
    s: Tensor = q @ key.mT / math.sqrt(q.shape[-1])
    if is_causal and chunk == group.rank:
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
