"""What differs from PyTorch on purpose, or by PyTorch's own limits: every kind with its reason.

A finding that a rule fits is counted under its reason and not printed. docs/reliability.md shows
the same reasons with their counts; a long run names the rules that fitted nothing.
"""

import re
from typing import NamedTuple

from differences import DIFFERENT

INDEXED = "sort|argsort|topk|kthvalue|median|nanmedian|mode|msort|cummax|cummin|aminmax"
LAYOUT = r"\b(view|view_as|as_strided\w*|stride|is_contiguous|storage_offset|contiguous|detach_)\b"


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
        r"not implemented for|nsupported|ot support|nly supports|only implemented|is not currently",
        "PyTorch has no kernel for this dtype; norch has one, or refuses in its own class of error",
    ),
    Rule(
        "accepted",
        "",
        r"dtype|scalar type|be cast to the desired|of type \w*Long|Got: ?\w+",
        "norch promotes or converts dtypes that PyTorch wants equal or exact",
    ),
    Rule(
        "accepted class",
        "",
        r"not differentiable with respect|erivative for|Autograd not support",
        "a derivative that PyTorch does not have",
    ),
    Rule(
        "accepted",
        "",
        r"TypeError|without overflow|Boolean value of Tensor|Boolean alpha",
        "norch takes what behaves like the argument, and does not look at one that it does not "
        "need; PyTorch's parser asks for exact types",
    ),
    Rule(
        "accepted class",
        "",
        r"on-empty|non-batch dim|batch size|positive length|at least one element|non-zero size"
        r"|to have non-zero|non empty|0 sized dim|no dimensions|step must be nonzero",
        "norch answers for inputs without elements or dimensions",
    ),
    Rule("accepted", "numpy", "", "an operator of norch takes an array beside a tensor"),
    Rule(
        "accepted",
        "",
        r"view size is not compatible|single memory location|nternal overlap|emory overlap"
        r"|primitive descriptor",
        "PyTorch's way would need a copy or write twice; norch's does not",
    ),
    Rule(
        "refused",
        "",
        r"whole numbers must fit 64 bits|does not fit (int32|uint8|int64)",
        "a number that the dtype cannot hold is refused; PyTorch wraps or rounds it",
    ),
    Rule(
        "refused",
        "",
        r"expected a floating dtype|of float32 or float64|\[(uniform|normal|exponential_)\]",
        "layers take floating numbers; PyTorch also pools and normalises whole ones",
    ),
    Rule(
        "refused",
        r"__i\w+__",
        "TypeError",
        "norch raises where PyTorch's method, called by its own name, answers NotImplemented",
    ),
    Rule(
        "refused",
        r"\b(sub|add)\w*\(|addc",
        "takes \\d positional",
        "PyTorch's forms with alpha before other, which it deprecates",
    ),
    Rule(
        "refused",
        "",
        r"bools have no minus",
        "bools have no minus anywhere; PyTorch lets some functions subtract them",
    ),
    Rule(
        "refused",
        "Norm|norm|ropout",
        r"channels|dimensions are expected",
        "the channels are checked; PyTorch does not look where there are no elements, or warns",
    ),
    Rule(
        "value",
        rf"\b({INDEXED})\b",
        r"int64|\[",
        "which of several equal elements is named is not promised",
    ),
    Rule("refused value gradient words", "", r"complex|j[,)\]]", "no complex numbers"),
    Rule(
        "value refused accepted edit gradient",
        LAYOUT,
        "",
        "norch has negative strides; PyTorch was given a copy instead",
        "flipped",
    ),
    Rule(
        "value",
        "NAdam|ASGD",
        r"\d",
        "PyTorch keeps a factor of NAdam and ASGD in single precision",
        "float64",
    ),
    Rule("gradient", "oisson|softmax|logsumexp", "nan", "norch's where lets no nan through"),
    Rule("value", "copysign", "", "the sign of a nan", ""),
    Rule(
        "value",
        "group_norm|GroupNorm",
        "",
        "PyTorch multiplies before it subtracts the mean, and cancels where weights are huge",
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
