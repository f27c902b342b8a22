"""What a rule is: findings that are none, with their reason.

explained.py asks whether one fits; the rules stand in accepted_rules.py, refused_rules.py,
number_rules.py, layer_rules.py and training_rules.py. A rule is added when a finding was looked
into, and taken out when long runs say that it fits nothing.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

WRITES = re.compile(
    r"\w_(_)?\(|_scatter|inplace|True|__setitem__|hardsigmoid"
    r"|nn\.(\w*LU6?|Hard\w+|Mish|Threshold|\w*Dropout\w*)\(.*\w\)"
    r"|F\.(\w*lu6?|hard\w+|mish|threshold|\w*dropout\w*)\(\w+, "
)
LAYOUT = r"\b(view|view_as|as_strided\w*|stride|is_contiguous|storage_offset|contiguous|detach_)\b"

LINALG = re.compile(
    r"\b(linalg|qr|svd\w*|eigh|eigvalsh|lu|lu_\w+|cholesky\w*|inverse|det|logdet|slogdet|pinverse"
    r"|lstsq|triangular_solve|matrix_rank|nuc)\b"
)


class Rule(NamedTuple):
    """Findings of these kinds, whose call, words and inputs match patterns, have this reason."""

    kinds: str
    call: str
    seen: str
    reason: str
    inputs: str = ""  # searched in what the inputs are: "float32 flipped ties nan inf huge empty"
    mistaken: bool = False  # only of calls that were not made to be right
    writes: bool = False  # only of calls that write into an input
    when: Callable | None = None  # of the call and of norch's side: whether the cause is there
