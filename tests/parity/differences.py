"""What differs from PyTorch on purpose: each case with its reason. Nothing else may differ."""

import pytest

DIFFERENT = {
    "F.gelu(x) # e12": "PyTorch's float32 kernel gives NaN for gelu(inf); norch gives inf",
    "F.hardswish(x * 4) # e12": "PyTorch gives NaN for hardswish(-inf) = -inf * 0; norch gives 0",
    "(x * 0).norm() # f3": "PyTorch's second derivative at the origin is NaN; norch gives 0",
}


def named(cases):
    """Return the cases as parameters named by their text, without the deliberate differences."""
    texts = {" # ".join(case): case for case in cases}
    return [pytest.param(*case, id=text) for text, case in texts.items() if text not in DIFFERENT]
