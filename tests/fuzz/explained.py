"""What differs from PyTorch on purpose, or by PyTorch's own limits: every kind with its reason.

A finding that a rule fits is counted under its reason and not printed. docs/reliability.md shows
the same reasons with their counts; a long run names the rules that fitted nothing.
"""

import re
from typing import NamedTuple

from differences import DIFFERENT

INDEXED = "sort|argsort|topk|kthvalue|median|nanmedian|mode|msort|cummax|cummin|aminmax"
LAYOUT = r"\b(view|view_as|as_strided\w*|stride|is_contiguous|storage_offset|contiguous|unfold)\b"


class Rule(NamedTuple):
    """Findings of these kinds, whose call, words and inputs match patterns, have this reason."""

    kinds: str
    call: str
    seen: str
    reason: str
    inputs: str = ""  # searched in the dtypes and layouts of the inputs: "float32 flipped"


BESIDE = [
    Rule(
        "accepted class",
        "",
        r"not implemented for|[Nn]ot supported|not yet supported|unsupported|nly supports"
        r"|[Nn]ot support|only implemented|is not currently|[Ee]xpected .*(Long|int64)",
        "PyTorch has no kernel for this dtype; norch has one, or refuses in its own class of error",
    ),
    Rule(
        "accepted",
        "",
        r"not differentiable with respect|erivative for",
        "a derivative that PyTorch does not have",
    ),
    Rule(
        "accepted",
        "",
        r"TypeError.*(must be|invalid combination|unexpected keyword|takes \d)",
        "norch takes what behaves like the argument; PyTorch's parser asks for its exact type",
    ),
    Rule(
        "accepted",
        "",
        r"[Nn]on-empty|non-batch dim|optional 0 dim batch|zero batch|positive "
        r"length|at least one element|non-zero size|to have non-zero|non empty",
        "norch answers for inputs without elements",
    ),
    Rule(
        "accepted",
        "",
        r"Boolean value of Tensor with more",
        "norch does not look at a flag that it does not need",
    ),
    Rule("accepted", "numpy", r"numpy", "an operator of norch takes an array beside a tensor"),
    Rule(
        "accepted",
        "",
        r"view size is not compatible|single memory location|internal overlap"
        r"|memory overlap",
        "PyTorch's way would need a copy or write twice; norch's does not",
    ),
    Rule(
        "refused",
        "",
        r"whole numbers must fit 64 bits",
        "a number above 64 bits is refused; PyTorch rounds it where the tensor is floating",
    ),
    Rule(
        "value",
        rf"\b({INDEXED})\b",
        r"int64|\[",
        "which of several equal elements is named is not promised",
    ),
    Rule("refused value gradient words", "", r"complex|j[,)\]]", "no complex numbers"),
    Rule(
        "value refused accepted edit",
        LAYOUT,
        "",
        "norch has negative strides; PyTorch was given a copy instead",
        "flipped",
    ),
    Rule(
        "value gradient",
        "NAdam",
        r"e?\d",
        "PyTorch keeps NAdam's product of momenta in single precision",
        "float64",
    ),
]
ALONE = [
    Rule("value refused accepted edit", LAYOUT, "", "the question is about the layout itself"),
    Rule(
        "gradient",
        "",
        r"nan|inf",
        "the composite reference divides or multiplies where the fused gradient does not",
    ),
]
BOTH = [
    Rule(
        "refused edit",
        "",
        r"share one place in memory",
        "writing into elements that share memory is refused; PyTorch lets some operations through",
    ),
]


def explain(call, finding, beside):
    """Return the reason why a finding is none, or nothing; `beside` PyTorch, or norch alone."""
    if known(call):
        return "listed in tests/parity/differences.py"
    for rule in (BESIDE if beside else ALONE) + BOTH:
        if fits(rule, call, finding):
            return rule.reason
    return ""


def known(call):
    """Whether the parity suite lists this call as different on purpose."""
    return any(call.text == text.partition(" # ")[0] for text in DIFFERENT)


def fits(rule, call, finding):
    """Whether a rule is about this finding."""
    inputs = " ".join(f"{recipe.dtype} {recipe.layout}" for recipe in call.recipes)
    return (
        finding.kind in rule.kinds.split()
        and re.search(rule.inputs, inputs) is not None
        and re.search(rule.call, call.text) is not None
        and re.search(rule.seen, f"{finding.detail} {finding.seen}") is not None
    )
