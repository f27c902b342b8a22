"""summary: what every module of a model gives out, and how many parameters it has.

It runs the model once, on zeros, in evaluation mode and without gradients, and leaves no trace.
The page book/library/nn_utils.md names it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from norch_autograd import Tensor, no_grad, zeros
from norch_nn.core.module import Module


class Row(NamedTuple):
    """One module: its path, its class, the shape of its output, the numbers it holds itself."""

    path: str
    kind: str
    output: str
    parameters: int


class Summary(NamedTuple):
    """The rows in the order of the tree, and the sums; prints as a table."""

    rows: tuple[Row, ...]
    total: int
    trainable: int

    def __repr__(self) -> str:
        names = [
            f"{'  ' * (row.path.count('.') + 1)}{row.path}: {row.kind}" if row.path else row.kind
            for row in self.rows
        ]
        lines = [("Module", "Output shape", "Parameters")]
        lines += [
            (name, row.output, f"{row.parameters:,}" if row.parameters else "-")
            for name, row in zip(names, self.rows, strict=True)
        ]
        widths = [max(len(line[i]) for line in lines) for i in range(3)]
        table = [
            f"{a:<{widths[0]}}  {b:<{widths[1]}}  {c:>{widths[2]}}".rstrip() for a, b, c in lines
        ]
        rule = "-" * (sum(widths) + 4)
        sums = f"Parameters: {self.total:,}, of which learned: {self.trainable:,}"
        return "\n".join([table[0], rule, *table[1:], rule, sums])


def _shape_of(output: Any) -> str:
    """Return a module's output shape for the table: of a tensor, or of those in a tree."""
    if isinstance(output, Tensor):
        return str(tuple(output.shape))
    if isinstance(output, dict):
        output = tuple(output.values())
    if isinstance(output, tuple | list):
        return ", ".join(_shape_of(item) for item in output)
    return type(output).__name__


def _inputs_of(
    model: Module, input_size: Sequence[Any], dtypes: Sequence[Any] | None
) -> list[Tensor]:
    """Return the summary's inputs: zeros of the sizes asked for, on the model's device."""
    sizes = [input_size] if all(isinstance(n, int) for n in input_size) else list(input_size)
    kinds = [None] * len(sizes) if dtypes is None else list(dtypes)
    if len(kinds) != len(sizes):
        raise ValueError(f"[summary] {len(kinds)} dtypes were given for {len(sizes)} inputs")
    some = next(model.parameters(), None)
    device = None if some is None else some.device
    pairs = zip(sizes, kinds, strict=True)
    return [zeros(tuple(size), dtype=kind, device=device) for size, kind in pairs]


def summary(
    model: Module, input_size: Sequence[Any], dtypes: Sequence[Any] | None = None
) -> Summary:
    """Describe `model` for an input of `input_size`, the batch dimension included.

    Several inputs are given as a list of sizes; `dtypes` names their dtypes where not float32.

    >>> summary(nn.Sequential(nn.Linear(4, 3), nn.ReLU()), (1, 4))
    Module       Output shape  Parameters
    -------------------------------------
    Sequential   (1, 3)                 -
      0: Linear  (1, 3)                15
      1: ReLU    (1, 3)                 -
    -------------------------------------
    Parameters: 15, of which learned: 15
    """
    inputs = _inputs_of(model, input_size, dtypes)
    modes = [(module, module.training) for module in model.modules()]
    outputs: dict[str, str] = {}
    handles = [
        module.register_forward_hook(recorder(outputs, path))
        for path, module in model.named_modules()
    ]
    try:
        model.eval()
        with no_grad():
            model(*inputs)
    finally:
        for handle in handles:
            handle.remove()
        for module, training in modes:
            module.training = training
    parameters = list(model.parameters())
    return Summary(
        tuple(rows(model, outputs)),
        sum(p.numel() for p in parameters),
        sum(p.numel() for p in parameters if p.requires_grad),
    )


def recorder(outputs: dict[str, str], path: str) -> Any:
    """Return a hook that notes the shape of what the module at `path` gives out."""

    def note(module: Module, args: Any, output: Any) -> None:
        outputs[path] = _shape_of(output)

    return note


def rows(model: Module, outputs: dict[str, str]) -> list[Row]:
    """Return the table's row for each module, in order; what was not called has no shape."""
    return [
        Row(
            path,
            type(module).__name__,
            outputs.get(path, "not called"),
            sum(p.numel() for p in module.parameters(recurse=False)),
        )
        for path, module in model.named_modules()
    ]
