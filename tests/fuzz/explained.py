"""Which findings are none: what PyTorch cannot do, what nobody promises, and what is open here.

A finding that a rule fits is counted under its reason and not printed. docs/reliability.md shows
the reasons with their counts; a long run names the rules that fitted nothing.
"""

import functools
import re

import numpy as np
from differences import DIFFERENT

from fuzz.accepted_rules import ACCEPTED
from fuzz.generate import CONSTANT
from fuzz.laws import is_not_finite, is_singular
from fuzz.number_rules import NUMBERS
from fuzz.proofs import Proofs
from fuzz.refused_rules import REFUSED
from fuzz.rules import LAYOUT, WRITES, Rule

TRAINING = re.compile(
    "compiled|optim|LR|SGD|Adagrad|RMSprop|NAdam|LBFGS"
)  # rules of programs name them
LOWEST = {"int8": 2**7, "int32": 2**31, "int64": 2**31}
LISTED = {CONSTANT.sub("n", text.partition(" # ")[0]) for text in DIFFERENT}
# What a call may ask for by one size, 2 GiB and more; memory as PyTorch takes it; what is open.
OPEN = [
    Rule(
        "memory slow",
        r"(zeros|ones|full|empty)\([\[(]?\d{9,}",
        "",
        "as much memory as was asked for, then refused",
    ),
    Rule(
        "hang slow",
        r"(broadcast_to|expand\w*)\(.*\d{9,}",
        "",
        "2^31 rows and their gradients are summed",
    ),
    Rule(
        "refused slow memory hang",
        r"repeat_interleave\(.*\d{9,}",
        "",
        "of 2^31 copies the places are counted first",
    ),
    Rule(
        "slow", "combinations", "", "so many choices are made; PyTorch refuses, or counts to less"
    ),
    Rule(
        "memory",
        "conv_transpose|ConvTranspose",
        "",
        "a column for each place and kernel element, as PyTorch's has",
    ),
    Rule("memory", "cholesky|corrcoef", "", "some matrices of all pairs, as PyTorch has"),
    Rule(
        "gradient",
        r"\bnorm\(.*-\d",
        "",
        "open: a negative power of a length of halves overflows, and its slope is 0",
        "float16",
    ),
    Rule(
        "memory",
        "conv",
        "",
        "out of no channels PyTorch makes none; here they are made, and left out",
        "empty",
    ),
]
ALONE = [
    Rule(
        "value refused accepted edit gradient",
        LAYOUT,
        "",
        "the question is about the layout itself",
    ),
    Rule(
        "gradient",
        "logsumexp",
        "",
        "the fused derivative takes the rounded result, as PyTorch's does",
        "float16",
    ),
    Rule(
        "memory",
        r"zeros|ones|full|empty|rand|arange|linspace|eye|repeat|expand|pad|Pad|tile",
        "it was killed",
        "a result larger than the machine's memory",
    ),
    Rule(
        "gradient",
        "",
        r"nan|inf",
        "the composite reference divides or multiplies where the fused gradient does not",
    ),
]
BOTH = [
    Rule(
        "value edit gradient",
        "",
        "",
        "writing into elements that share memory has no promised result",
        "overlapping|expanded",
        writes=True,
    ),
    Rule(
        "value gradient",
        "attention|Attention",
        "",
        "scores above 1e7: beside them the logarithm of a sum has no digits left",
        mistaken=True,
    ),
    Rule(
        "refused accepted class",
        "",
        "LinAlgError|is zero and using it",
        "whether a matrix is singular is decided by rounding, and in which class it is refused",
        when=lambda *asked: is_singular(*asked) or is_not_finite(*asked),
    ),
    Rule(
        "refused edit",
        "",
        r"share one place in memory|memory of their own",
        "writing into elements that share memory is refused; PyTorch lets some operations through",
    ),
]


def explain(call, finding, judge):
    """Return the reason why a finding is none, or nothing; beside PyTorch, or norch alone."""
    rule = functools.partial(rule_of, judge)
    if known(call):
        return "listed in tests/parity/differences.py"
    if judge.other is None:
        return rule(call, finding)
    proofs = Proofs(judge, rule)
    reason = proofs.reason(call, finding) or rule(call, finding)
    return reason or proofs.reason_of_others(call, finding)


def rule_of(judge, call, finding):
    """Return the reason of the first rule that fits, or nothing."""
    for rule in (ACCEPTED + REFUSED + NUMBERS if judge.other else ALONE) + OPEN + BOTH:
        if fits(rule, call, finding) and (not rule.when or rule.when(call, judge.ours)):
            return rule.reason
    return ""


def known(call):
    """Whether the parity suite lists this call as different on purpose."""
    return CONSTANT.sub("n", call.text) in LISTED


def fits(rule, call, finding):
    """Whether a rule is about this finding."""
    return (
        finding.kind in rule.kinds.split()
        and (not call.is_program or TRAINING.search(rule.call) is not None)
        and not (rule.mistaken and call.valid)
        and (not rule.writes or WRITES.search(call.text) is not None)
        and re.search(rule.call, call.text) is not None
        and re.search(rule.seen, f"{finding.detail} {finding.seen}") is not None
        and re.search(rule.inputs, " ".join(map(describe, call.recipes))) is not None
    )


def describe(recipe):
    """Return what rules ask about an input, as words."""
    numbers = recipe.array().ravel()[:5000].astype(float)
    size = np.abs(numbers[np.isfinite(numbers)])
    words = {
        "ties": len(set(numbers.tolist())) < numbers.size,
        "nan": np.isnan(numbers).any(),
        "inf": np.isinf(numbers).any(),
        "large": (size > 100).any(),
        "huge": (size > 1e4).any(),
        "vast": (size > 1e15).any(),
        "lowest": (size >= LOWEST.get(recipe.dtype, np.inf)).any(),
        "empty": not numbers.size,
        "small": ((size < 1e-3) & (size > 0)).any(),
        "tiny": ((size < 1e-37) & (size > 0)).any(),
    }
    return " ".join([recipe.dtype, recipe.layout, *(word for word, true in words.items() if true)])
