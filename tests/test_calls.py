"""What is used most enters as few Python functions as benchmarks/calls.md says."""

import importlib
from pathlib import Path

import pytest

from norch_autograd.types.core import core_status, is_core_used

ROOT = Path(__file__).resolve().parent.parent
MOST = {  # calls, calls under no_grad, changes of file: what was reached is kept
    "nn.Conv2d": (20, 15, None),
    "F.cross_entropy(a, classes)": (5, 5, None),
    "F.softmax(a, 1)": (4, 4, None),
    "next(DataLoader)": (None, None, 16),
}


@pytest.fixture(scope="module")
def calls():
    """Return the program that counts."""
    if not is_core_used():
        pytest.skip(core_status())
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        yield importlib.import_module("benchmarks.calls")


@pytest.fixture(scope="module")
def counted(calls):
    """Return today's counts."""
    return calls.table()


def test_the_record_is_what_is_counted(calls, counted):
    assert len(counted) >= 40
    record = calls.RECORD.read_text()
    if f"Counted in {calls.PYTHON}." not in record:
        pytest.skip(f"not counted in {calls.PYTHON}")
    found = calls.page(counted).splitlines()
    assert found == record.splitlines(), "python -m benchmarks.calls writes it"


@pytest.mark.parametrize("name", MOST)
def test_no_more_calls_than_were_reached(counted, name):
    for count, most in zip(counted[name], MOST[name], strict=True):
        assert most is None or count <= most, (name, counted[name])


def test_a_call_more_is_counted(calls):
    """A function in between is one call, and one of another file two changes more."""
    plain = compile("def plain(): return None", "plain.py", "exec")
    within = compile("def within(): return plain() or plain()", "within.py", "exec")
    found = {}
    exec(plain, found)
    exec(within, found)
    assert calls.count_calls(found["plain"]) == (1, 1, 0)
    assert calls.count_calls(found["within"]) == (3, 3, 4)


def test_neither_comprehensions_nor_the_standard_library_are_counted(calls):
    found = {"Path": Path}
    exec(compile("def several(): return [Path(w) for w in 'ab']", "several.py", "exec"), found)
    assert calls.count_calls(found["several"]) == (1, 1, 0)
