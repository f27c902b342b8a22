"""What the tests of this stage share: starting the programs of ranks."""

import sys
from pathlib import Path

from rank_programs import (
    command as command,
    ended as ended,
    launch as launch,
    pytest_generate_tests as pytest_generate_tests,
    script as script,
)

sys.path.insert(0, str(Path(__file__).parent))  # cable
