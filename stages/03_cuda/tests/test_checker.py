"""The checker against its table: every defect is found, with its line, in both orders of threads;
no correct kernel is taken for one.

The rows are in cuda_defects.py. All kernels of a kind are compiled as one text.
"""

import re

import numpy as np
import pytest
from cuda_defects import CORRECT, DEFECTS, SUM, Row
from cuda_lessons import ORDERS, SIM, array

import norch_cpu_ops as cpu
import norch_cuda
from norch_cuda.runtime.simulator_options import simulator


def texts(rows: dict[str, Row]) -> str:
    return SUM + "\n".join(row.text(f"lesson_{i}") for i, row in enumerate(rows.values()))


def run(text: str, rows: dict[str, Row], name: str, order: str, check: bool) -> str:
    """Launch one row's kernel; what the simulator says of it, "" if nothing."""
    row, kernel = rows[name], f"lesson_{list(rows).index(name)}"
    arguments = (
        array(np.arange(256)),
        SIM.zeros((256,), cpu.float32),
        SIM.empty((256,), cpu.float32),
        SIM.zeros((256,), cpu.int32),
        SIM.zeros((256,), cpu.uint8),
    )
    try:
        seconds = 0.4 if "still running" in row.says else 20  # a short wait only for what must wait
        with simulator(order=order, check=check, seconds=seconds):
            lesson = norch_cuda.load_kernel(text, kernel)
            lesson(row.grid, row.block, *arguments, dynamic_shared=row.shared)
    except RuntimeError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", DEFECTS)
def test_defects_are_found_with_their_line(name, order):
    found = run(texts(DEFECTS), DEFECTS, name, order, True)
    row = DEFECTS[name]
    assert row.says in found, found
    named = [int(line) for line in re.findall(r"kernel\.cu:(\d+)", found)]
    if row.lines:
        assert set(named) & set(row.lines), found


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", CORRECT)
def test_correct_kernels_pass(name, order, check):
    assert run(texts(CORRECT), CORRECT, name, order, check) == ""
