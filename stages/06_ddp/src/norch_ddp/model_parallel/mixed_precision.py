"""Mixed precision of `fully_shard`: in which types parameters and gradients travel and compute.

The rows that a rank keeps, and the optimizer's state, stay as they are, in float32. Of P bytes in
float32, half types bring P / 2 to each all_gather and, unless `reduce_dtype` says otherwise, to the
reduce_scatter: with NCCL, for MPI has no half types and carries them as float32. Autocast chooses
by operation, this policy by module.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple

from norch_autograd import Tensor
from norch_autograd.types.trees import tree_map
from norch_cpu_ops import DType


class MixedPrecisionPolicy(NamedTuple):
    """What `fully_shard(mp_policy=...)` casts; None: nothing.

    Parameters, and the floating inputs of forward, to `param_dtype`; gradients, before they are
    averaged, to `reduce_dtype`, else they travel as backward made them; outputs to `output_dtype`.

    >>> half = MixedPrecisionPolicy(param_dtype=norch.bfloat16, reduce_dtype=norch.float32)
    >>> half.cast_inputs({"x": norch.ones(2)})
    {'x': tensor([1., 1.], dtype=norch.bfloat16)}
    """

    param_dtype: DType | None = None
    reduce_dtype: DType | None = None
    output_dtype: DType | None = None
    cast_forward_inputs: bool = True

    def cast_inputs(self, inputs: Any) -> Any:
        """Return what forward is given in the type of the parameters."""
        return cast_floats(inputs, self.param_dtype) if self.cast_forward_inputs else inputs

    def cast_output(self, output: Any) -> Any:
        """Return what forward returns in the type that the module's caller wants."""
        return cast_floats(output, self.output_dtype)


def cast_floats(tree: Any, dtype: DType | None) -> Any:
    """Return a tree whose floating tensors have another type, if there is one; dataclasses count.

    >>> cast_floats({"x": norch.ones(1), "i": norch.arange(2)}, norch.float64)
    {'x': tensor([1.], dtype=norch.float64), 'i': tensor([0, 1])}
    """

    def cast(leaf: Any) -> Any:
        if is_dataclass(leaf) and not isinstance(leaf, type):
            names = [field.name for field in fields(leaf) if field.init]
            return replace(leaf, **{n: cast_floats(getattr(leaf, n), dtype) for n in names})
        return leaf.to(dtype) if isinstance(leaf, Tensor) and leaf.is_floating_point() else leaf

    return tree if dtype is None else tree_map(cast, tree)
