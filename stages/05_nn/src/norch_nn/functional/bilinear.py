"""bilinear: the product of two inputs and a weight, with a bias added."""

from __future__ import annotations

from norch_autograd import Tensor


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return y with yₖ = input1ᵀ Wₖ input2 + biasₖ: (..., in1), (..., in2), (out, in1, in2).

    >>> bilinear(norch.ones(5, 2), norch.ones(5, 3), norch.ones(4, 2, 3))[0].tolist()
    [6.0, 6.0, 6.0, 6.0]
    """
    out, in1, in2 = weight.shape
    lead = tuple(input1.shape[:-1])
    if lead != tuple(input2.shape[:-1]) or (input1.shape[-1], input2.shape[-1]) != (in1, in2):
        raise RuntimeError(
            f"[bilinear] inputs {tuple(input1.shape)} and {tuple(input2.shape)} do not fit weight "
            f"{tuple(weight.shape)}: (..., {in1}) and (..., {in2}) with equal ... are expected"
        )
    for what, x in (("input2", input2), ("weight", weight)):
        if x.dtype is not input1.dtype:
            raise RuntimeError(
                f"[bilinear] {what} is {x.dtype} and input1 {input1.dtype}: cast one of them"
            )
    by_input1 = weight.transpose(0, 1).reshape(in1, out * in2)
    half = (input1 @ by_input1).reshape(*lead, out, in2)
    output = (half * input2.unsqueeze(-2)).sum(-1)
    return output if bias is None else output + bias
