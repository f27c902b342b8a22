"""What the tests of the extras share: the programs of ranks, devices, and no network."""

import sys
from pathlib import Path

from devices import device as device
from rank_programs import (
    command as command,
    ended as ended,
    launch as launch,
    pytest_generate_tests as pytest_generate_tests,
    script as script,
)
from shared_fixtures import no_network as no_network

sys.path.insert(0, str(Path(__file__).parent))  # torch_writer
