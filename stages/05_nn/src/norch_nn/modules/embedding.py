"""Embedding: a learned row for each whole number."""

from __future__ import annotations

from typing import Any

from norch_autograd import Tensor, empty, no_grad
from norch_autograd.graph.operands import in_own_name
from norch_nn import functional as F, init
from norch_nn.core.module import Module
from norch_nn.core.parameter import Parameter


class Table(Module):
    """A table of `weight`, a row for each whole number, with its first values and its checks."""

    weight: Parameter
    padding_idx: int | None

    def _make_weight(
        self, rows: int, columns: int, given: Tensor | None, frozen: bool = False, **where: Any
    ) -> None:
        """Make the table and draw its first values, or take over the given one."""
        if given is not None and tuple(given.shape) != (rows, columns):
            raise AssertionError(
                f"[{type(self).__name__}] the weight has shape {tuple(given.shape)}, "
                f"not ({rows}, {columns})"
            )
        table = empty(rows, columns, **where) if given is None else given
        self.weight = Parameter(table, requires_grad=not frozen)
        if given is None:
            self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the table anew; the padding row is 0."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)

    @classmethod
    def _from_table(cls, embeddings: Tensor, *options: Any, **others: Any) -> Any:
        """Make a layer of a table (V, D) that was learned elsewhere."""
        if embeddings.ndim != 2:
            raise AssertionError(
                f"[{cls.__name__}] a table of 2 dimensions is expected, not "
                f"{tuple(embeddings.shape)}"
            )
        made: Any = cls  # its subclasses take the options
        return made(*embeddings.shape, *options, _weight=embeddings, **others)


class Embedding(Table):
    """Look up rows of `weight` (num_embeddings, embedding_dim), which starts in N(0, 1).

    Row `padding_idx` starts at 0 and gets no gradient; `max_norm` shortens longer rows as they are
    looked up; `scale_grad_by_freq` divides a row's gradient by how often it is named.

    >>> tuple(Embedding(10, 3)(norch.tensor([[1, 2], [4, 4]])).shape)
    (2, 2, 3)
    """

    @in_own_name
    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Make the table; `_weight` is taken over instead of drawn."""
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = check_padding(padding_idx, num_embeddings)
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        where = {"device": device, "dtype": dtype}
        self._make_weight(num_embeddings, embedding_dim, _weight, _freeze, **where)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """Take a table (V, D) that was learned elsewhere; frozen, unless told.

        >>> Embedding.from_pretrained(norch.ones(2, 3))(norch.tensor(1)).tolist()
        [1.0, 1.0, 1.0]
        """
        options = (padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
        layer: Embedding = cls._from_table(embeddings, *options, _freeze=freeze)
        return layer

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type,
            self.scale_grad_by_freq, self.sparse,
        )  # fmt: skip

    def extra_repr(self) -> str:
        shown = f"{self.num_embeddings}, {self.embedding_dim}"
        options = {
            "padding_idx": (self.padding_idx, None),
            "max_norm": (self.max_norm, None),
            "norm_type": (self.norm_type, 2.0),
            "scale_grad_by_freq": (self.scale_grad_by_freq, False),
        }
        return shown + "".join(f", {k}={v}" for k, (v, usual) in options.items() if v != usual)


def check_padding(padding_idx: int | None, rows: int) -> int | None:
    """Return an Embedding layer's padding row counted from the start, or raise AssertionError."""
    if padding_idx is None:
        return None
    if not -rows <= padding_idx < rows:
        raise AssertionError(
            f"[Embedding] padding_idx {padding_idx} is out of range for {rows} rows"
        )
    return padding_idx % rows
