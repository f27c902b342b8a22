"""What the tests of the extras share: starting the programs of ranks."""

from rank_programs import (
    command as command,
    ended as ended,
    launch as launch,
    pytest_generate_tests as pytest_generate_tests,
    script as script,
)
