"""PyTorch's own samples and bad inputs of every operation that norch has, in both libraries.

What differs on purpose stands in one table with its reason. A new difference fails, and so does an
entry that nothing needs any more.
"""

import pytest

try:
    import opinfo
except ImportError as missing:  # PyTorch, or what its test suite imports
    pytest.skip(f"PyTorch's table of operations: {missing}", allow_module_level=True)

TIES = "which of equal elements an index names is nobody's promise"
UNREAD = "PyTorch gives elements that are not read, outside the triangle, a gradient too"

# (operation, what the message says): why it differs.
DIFFERENT = {
    ("addbmm", "does not fit into shape ("): "PyTorch gives the edited tensor another "
    "shape, here alone; norch refuses, as both do for every other edit in place",
    ("cov", "PyTorch gives"): "weights of float32 beside float64: PyTorch sums them in float32",
    ("kthvalue", "value 1: ["): TIES,
    ("topk", "value 1: ["): TIES,
    ("mode", "value 1: ["): TIES,
    ("sort", "value 1: ["): TIES,
    ("argsort", "value: ["): TIES,
    ("__rdiv__", "raises AttributeError"): "PyTorch calls a method of whatever it is given; norch "
    "says TypeError, as for every wrong operand",
    ("cholesky_solve", "gradient 1: ["): UNREAD,
    ("cholesky_inverse", "gradient 0: ["): UNREAD,
}


def name_of(op):
    return op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")


def trouble(op):
    """Return, in a line each, what differs from PyTorch in any sample or bad input of `op`."""
    found = []
    for what, check in opinfo.checks(op):
        try:
            check()
        except opinfo.OutOfScope:
            continue
        except Exception as error:
            kind = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
            found.append(f"{what}: {kind}{error}")
    return found


@pytest.mark.parametrize("op", opinfo.OURS, ids=name_of)
def test_samples(op):
    known = [part for name, part in DIFFERENT if name == name_of(op)]
    lines = trouble(op)
    new = [line for line in lines if not any(part in line for part in known)]
    assert not new, f"{len(new)} of them:\n" + "\n".join(new[:8])
    stale = [part for part in known if not any(part in line for line in lines)]
    assert not stale, f"nothing says {stale} any more: take the entry out"


def test_the_table_speaks_of_operations():
    assert {name for name, _ in DIFFERENT} <= set(map(name_of, opinfo.OURS))
