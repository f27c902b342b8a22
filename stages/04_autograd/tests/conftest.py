"""Every test starts from the same seed and leaves the grad mode as it was."""

import sys
from pathlib import Path

import pytest
from devices import device as device

import norch_autograd as norch

sys.path.insert(0, str(Path(__file__).parent))  # autograd_checks


@pytest.fixture(autouse=True)
def same_start():
    norch.manual_seed(0)
    yield
    assert norch.is_grad_enabled()
