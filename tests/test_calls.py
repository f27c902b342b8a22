"""What is used most enters as few Python functions as benchmarks/calls.md says."""

import importlib
from pathlib import Path

import pytest

from norch_autograd.types.core import core_status, is_core_used

ROOT = Path(__file__).resolve().parent.parent
MOST = {  # calls, calls under no_grad, changes of file, with C: what was reached is kept
    "nn.Conv2d": (20, 15, None, 20),
    "F.cross_entropy(a, classes)": (5, 5, None, None),
    "F.softmax(a, 1)": (4, 4, None, None),
    "nn.BatchNorm1d": (56, 56, None, None),
    "nn.BatchNorm2d": (56, 56, None, None),
    "next(DataLoader)": (None, None, 16, None),
}
WITH_C = {  # budgets of calls in all
    "a.shape": 0,
    "a.dtype": 0,
    "a.device": 0,
    "norch.addmm(a, a, b)": 22,
    "norch.einsum('ij,jk->ik', a, b)": 35,
    "cube.permute(2, 0, 1)": 10,
    "cube.flatten(1)": 10,
    "a.chunk(2)": 15,
    "a[a > 0]": 30,
    "a.tril()": 9,
    "norch.eye(8)": 15,
    "norch.ones_like(a)": 12,
    "norch.randn(8, 8)": 15,
    "norch.randint(9, (8, 8))": 15,
    "F.one_hot(classes, 8)": 20,
    "x.zero_()": 8,
    "x.fill_(1)": 9,
    "F.pad(image, (1, 1, 1, 1))": 22,
    "nn.ConvTranspose2d": 55,
    "nn.AvgPool2d": 15,
    "nn.BatchNorm1d": 40,
    "nn.BatchNorm2d": 40,
    "nn.Embedding": 35,
    "nn.Upsample": 34,
    "model.zero_grad()": 60,
    "list(model.parameters())": 50,
    "model.state_dict()": 40,
    "model.load_state_dict(saved)": 155,
    "next(DataLoader)": 45,
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
    assert len(counted) >= 106
    record = calls.RECORD.read_text()
    if f"Counted in {calls.PYTHON}." not in record:
        pytest.skip(f"not counted in {calls.PYTHON}")
    found = calls.page(counted).splitlines()
    assert found == record.splitlines(), "python -m benchmarks.calls writes it"


@pytest.mark.parametrize("name", MOST)
def test_no_more_calls_than_were_reached(counted, name):
    for count, most in zip(counted[name], MOST[name], strict=True):
        assert most is None or count <= most, (name, counted[name])


@pytest.mark.parametrize("name", WITH_C)
def test_no_more_calls_with_c_than_were_reached(counted, name):
    assert counted[name].with_c <= WITH_C[name], counted[name]


def test_a_call_more_is_counted(calls):
    """A function in between is one call, and one of another file two changes more."""
    plain = compile("def plain(): return None", "plain.py", "exec")
    within = compile("def within(): return plain() or plain()", "within.py", "exec")
    found = {}
    exec(plain, found)
    exec(within, found)
    assert calls.count_calls(found["plain"]) == (1, 1, 0, 1)
    assert calls.count_calls(found["within"]) == (3, 3, 4, 3)


def test_neither_comprehensions_nor_the_standard_library_are_counted(calls):
    found = {"Path": Path}
    exec(compile("def several(): return [Path(w) for w in 'ab']", "several.py", "exec"), found)
    assert calls.count_calls(found["several"]) == (1, 1, 0, 1)


def test_what_a_comprehension_calls_in_c_counts_for_its_function(calls):
    """As it does where Python has inlined the comprehension."""
    found = {}
    exec(compile("def lengths(): return [len(w) for w in 'ab']", "lengths.py", "exec"), found)
    assert calls.count_calls(found["lengths"]) == (1, 1, 0, 3)
