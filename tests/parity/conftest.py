"""The parity suite needs PyTorch beside norch: finds it, or leaves its tests out with the reason.

`make parity TORCH=python` names another environment's Python by the folder of its packages, in
NORCH_PARITY_TORCH: it is looked at last, so that everything else stays this environment's.
"""

import importlib.util
import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ELSEWHERE = os.environ.get("NORCH_PARITY_TORCH")

sys.path.insert(0, str(HERE))  # compare.py, checks.py, cases_*.py
sys.path.append(str(HERE.parent))  # fuzz/
if ELSEWHERE:
    sys.path.append(ELSEWHERE)
PRESENT = importlib.util.find_spec("torch") is not None
collect_ignore_glob = [] if PRESENT else ["test_parity_*.py"]


def pytest_collection_modifyitems(items):
    """PyTorch's own warnings are not ours to mend."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore"))
