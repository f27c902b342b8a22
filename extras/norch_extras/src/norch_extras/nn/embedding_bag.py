"""EmbeddingBag: the rows of a table that a bag of whole numbers names, added up or averaged."""

from __future__ import annotations

from typing import Any

from norch_autograd import (
    Tensor,
    arange,
    embedding as lookup,
    searchsorted,
)
from norch_autograd.graph.operands import in_own_name
from norch_nn.functional.embedding import padding_row, refuse_sparse, shorten_rows
from norch_nn.modules.embedding import Table, check_padding


@in_own_name
def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Return one row a bag: the sum, mean or max of the rows of `weight` (V, D) in it: (B, D).

    `input` (B, N) is B bags of N names; `input` (N,) is cut into bags that begin at `offsets`
    (B,), whose last entry is the end of the last bag if `include_last_offset`. `per_sample_weights`
    (like `input`, for mode "sum") multiply the rows; names equal to `padding_idx` do not count; an
    empty bag gives zeros.

    >>> table = norch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> embedding_bag(norch.tensor([0, 1, 2]), table, norch.tensor([0, 2]), mode="sum").tolist()
    [[4.0, 6.0], [5.0, 6.0]]
    """
    refuse_sparse(sparse, "embedding_bag")
    _check_bags(input, weight, offsets, mode, per_sample_weights)
    padding = padding_row(padding_idx, weight.shape[0], "embedding_bag")
    names, bags, count = _number_bags(input, offsets, include_last_offset)
    if max_norm is not None:
        shorten_rows(weight, names, max_norm, norm_type)
    factors = None if per_sample_weights is None else per_sample_weights.reshape(-1)
    if padding >= 0:
        kept = (names != padding).nonzero().reshape(-1)
        names, bags = names[kept], bags[kept]
        factors = None if factors is None else factors[kept]
    rows = lookup(weight, names, -1, scale_grad_by_freq)
    if factors is not None:
        rows = rows * factors.unsqueeze(1)
    return _reduce_bags(rows, bags, count, mode)


def _check_bags(
    input: Tensor, weight: Tensor, offsets: Tensor | None, mode: str, factors: Tensor | None
) -> None:
    """Raise ValueError for arguments that do not go together, as PyTorch does."""
    if mode not in ("sum", "mean", "max"):
        raise ValueError(f"[embedding_bag] mode is {mode!r}: expected 'sum', 'mean' or 'max'")
    if weight.ndim != 2:
        raise ValueError(f"[embedding_bag] weight has {weight.ndim} dimensions: expected 2")
    if input.ndim not in (1, 2):
        raise ValueError(f"[embedding_bag] input has {input.ndim} dimensions: expected 1 or 2")
    if (offsets is None) == (input.ndim == 1):
        given = "no offsets" if offsets is None else "offsets"
        raise ValueError(
            f"[embedding_bag] input of {input.ndim} dimensions with {given}: offsets belong to "
            "an input of one dimension"
        )
    if offsets is not None and offsets.ndim != 1:
        raise ValueError(f"[embedding_bag] offsets {tuple(offsets.shape)}: expected one dimension")
    if factors is not None and mode != "sum":
        raise NotImplementedError(
            f"[embedding_bag] per_sample_weights are for mode 'sum', not {mode!r}"
        )
    if factors is not None and factors.shape != input.shape:
        raise ValueError(
            f"[embedding_bag] per_sample_weights {tuple(factors.shape)} must have the shape of "
            f"input {tuple(input.shape)}"
        )


def _number_bags(
    input: Tensor, offsets: Tensor | None, include_last_offset: bool
) -> tuple[Tensor, Tensor, int]:
    """Return the names as one line, the bag of each of them, and the number of bags."""
    names, device = input.reshape(-1), input.device
    if offsets is None:
        count, size = input.shape
        return names, arange(count * size, device=device) // max(size, 1), count
    starts = offsets.long()
    steps = starts[1:] - starts[:-1]
    if starts.numel() and (
        int(starts[0]) != 0 or int(starts.max()) > names.numel() or bool((steps < 0).any())
    ):
        raise RuntimeError(
            f"[embedding_bag] offsets {starts.tolist()} must begin with 0, never go back and lie "
            f"within {names.numel()} names"
        )
    if include_last_offset:
        starts = starts[:-1]
    bags = searchsorted(starts, arange(names.numel(), device=device), right=True) - 1
    return names, bags, starts.numel()


def _reduce_bags(rows: Tensor, bags: Tensor, count: int, mode: str) -> Tensor:
    """Return the sum, mean or max of the rows of each bag; zeros for an empty one."""
    none = rows.new_zeros((count, rows.shape[1]))
    if mode == "max":
        places = bags.unsqueeze(1).expand(rows.shape)
        return none.scatter_reduce(0, places, rows, "amax", include_self=False)
    total = none.index_add(0, bags, rows)
    if mode == "sum":
        return total
    sizes = rows.new_zeros((count,)).index_add(0, bags, rows.new_ones((bags.numel(),)))
    return total / sizes.clamp(min=1).unsqueeze(1)


class EmbeddingBag(Table):
    """The sum, mean or max of rows of `weight` (num_embeddings, embedding_dim), bag by bag.

    The options are those of `functional.embedding_bag`.

    >>> bags = EmbeddingBag(10, 3, mode="sum")
    >>> tuple(bags(norch.tensor([1, 2, 4, 4]), norch.tensor([0, 3])).shape)
    (2, 3)
    """

    @in_own_name
    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Make the table; `_weight` is taken over instead of drawn."""
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset
        self.padding_idx = check_padding(padding_idx, num_embeddings)
        self._make_weight(num_embeddings, embedding_dim, _weight, device=device, dtype=dtype)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> EmbeddingBag:
        """Take a table (V, D) that was learned elsewhere; frozen, unless told.

        >>> bags = EmbeddingBag.from_pretrained(norch.ones(2, 3), mode="sum")
        >>> bags(norch.tensor([[0, 1]])).tolist()
        [[2.0, 2.0, 2.0]]
        """
        options = (max_norm, norm_type, scale_grad_by_freq, mode, sparse)
        more = {"include_last_offset": include_last_offset, "padding_idx": padding_idx}
        bags: EmbeddingBag = cls._from_table(embeddings, *options, **more)
        bags.weight.requires_grad = not freeze
        return bags

    def forward(
        self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None
    ) -> Tensor:
        options = (self.max_norm, self.norm_type, self.scale_grad_by_freq, self.mode, self.sparse)
        last = (per_sample_weights, self.include_last_offset, self.padding_idx)
        return embedding_bag(input, self.weight, offsets, *options, *last)

    def extra_repr(self) -> str:
        shown = f"{self.num_embeddings}, {self.embedding_dim}"
        options = {
            "max_norm": (self.max_norm, None),
            "norm_type": (self.norm_type, 2.0),
            "scale_grad_by_freq": (self.scale_grad_by_freq, False),
        }
        shown += "".join(f", {k}={v}" for k, (v, usual) in options.items() if v != usual)
        shown += f", mode={self.mode!r}"
        return shown if self.padding_idx is None else f"{shown}, padding_idx={self.padding_idx}"
