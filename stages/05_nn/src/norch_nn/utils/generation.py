"""What a model that writes needs besides itself: a draw among its scores, and a cache.

`sample_token` chooses the next token; `KVCache` holds the keys and values of one layer, so that
each new token costs one position. examples/gpt2.py and chapter 7 write with them. Nothing here
learns.
"""

from __future__ import annotations

from norch_autograd import Generator, Tensor, empty, multinomial, no_grad
from norch_nn.functional.activation import softmax


@no_grad()
def sample_token(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    *,
    generator: Generator | None = None,
) -> Tensor:
    """Draw a token for each row of scores: logits (N, tokens) give (N, 1), whole numbers.

    A low temperature favours the likely tokens; with `top_k` only as many, the best, can be drawn.

    >>> sample_token(norch.tensor([[1.0, 3.0, 2.0]]), temperature=0.5, top_k=1)
    tensor([[1]])
    """
    if not temperature > 0:
        raise ValueError(f"[sample_token] temperature must be above 0, not {temperature}")
    if top_k is not None and top_k < 1:
        raise ValueError(f"[sample_token] top_k must be 1 or more, or None for all, not {top_k}")
    tokens = logits.shape[-1]
    # ex 5.16 begin
    best, which = logits.topk(min(top_k or tokens, tokens))
    shares = softmax(best / temperature, dim=-1)
    return which.gather(-1, multinomial(shares, 1, generator=generator))
    # ex 5.16 end


class KVCache:
    """The keys and values (N, heads, steps, width) that one layer has seen, up to `length` steps.

    >>> cache = KVCache(8)
    >>> k, v = cache.extend(norch.ones(1, 2, 3, 4), norch.ones(1, 2, 3, 4))
    >>> k, v = cache.extend(norch.ones(1, 2, 1, 4), norch.ones(1, 2, 1, 4))
    >>> cache.past, tuple(k.shape)
    (4, (1, 2, 4, 4))
    """

    def __init__(self, length: int) -> None:
        """Start with no past; memory is taken when the first keys show of which shape they are."""
        self.length, self.past = length, 0
        self.k: Tensor | None = None
        self.v: Tensor | None = None

    @no_grad()
    def extend(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Append keys and values along the steps; return those of the whole past, as views."""
        self._check(k, v)
        if self.past + k.shape[-2] > self.length:
            raise ValueError(
                f"[KVCache] {self.past} of {self.length} steps are taken, {k.shape[-2]} more do "
                "not fit: make a longer cache, or begin anew with the latest part"
            )
        if self.k is None or self.v is None:
            self.k, self.v = (
                empty(*x.shape[:-2], self.length, x.shape[-1], dtype=x.dtype, device=x.device)
                for x in (k, v)
            )
        # ex 5.15 begin
        now = self.past + k.shape[-2]
        self.k[..., self.past : now, :] = k
        self.v[..., self.past : now, :] = v
        self.past = now
        return self.k[..., :now, :], self.v[..., :now, :]
        # ex 5.15 end

    def _check(self, k: Tensor, v: Tensor) -> None:
        """All but the width and, from call to call, the steps is the same: none is broadcast."""
        pairs = [] if self.k is None or self.v is None else [(k, self.k), (v, self.v)]
        fits = (
            k.ndim > 1
            and k.shape[:-1] == v.shape[:-1]
            and all(
                (*new.shape[:-2], new.shape[-1]) == (*held.shape[:-2], held.shape[-1])
                for new, held in pairs
            )
        )
        if not fits:
            held = " and ".join(str(tuple(x.shape)) for _, x in pairs)
            after = f", and, but for the steps, as the cache: {held}" if held else ""
            raise ValueError(
                f"[KVCache] keys {tuple(k.shape)} and values {tuple(v.shape)} do not fit: expected "
                f"(..., steps, width) alike but for the width{after}"
            )
