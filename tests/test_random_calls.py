"""Random calls of every public function: no crash, no hang, no result that is not what it says."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "random_calls.py"


@pytest.mark.parametrize("seed", [1, 2])
def test_no_call_breaks_the_process(seed):
    """A process of its own, so that a crash fails one test and a hang is ended."""
    result = subprocess.run(
        [sys.executable, "-X", "faulthandler", str(PROGRAM), str(seed), "3"],
        capture_output=True,
        text=True,
        timeout=600,  # ends only a hang
        check=False,
    )
    assert result.returncode == 0, result.stderr[-2000:]
    assert "BROKEN" not in result.stdout, result.stdout
    tried, refused = (int(word) for word in result.stdout.split()[1::2])
    assert tried > 2000 and 0.3 < refused / tried < 0.95
