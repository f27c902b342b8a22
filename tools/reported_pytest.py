"""Runs pytest and writes down how each test ended: `reported_pytest.py FILE ARGUMENT...`.

pytest_runs.py calls it and reads FILE, which is there only where the session came to its end: an
exit code alone cannot tell that from a test which ended the process. It runs with the Python of any
environment that has pytest, and imports nothing else.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest


class Report:
    """A plugin of the process that hands the tests out: it hears of every test, worker or not."""

    def __init__(self, file: Path) -> None:
        """Start with no test."""
        self.file = file
        self.outcomes: dict[str, str] = {}
        self.has_crashed = False

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note how a test ended; a set-up or clean-up that failed is the test's failure."""
        has_failed = self.outcomes.get(report.nodeid) == "failed"
        if report.failed or (report.when != "teardown" and not has_failed):
            self.outcomes[report.nodeid] = report.outcome

    def pytest_collectreport(self, report: Any) -> None:
        """Note a file that could not be read."""
        if report.failed:
            self.outcomes[report.nodeid] = "failed"

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Note that a worker ended otherwise than at the end."""
        self.has_crashed |= error is not None

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Write all down."""
        found = {"outcomes": self.outcomes, "crashed": self.has_crashed}
        self.file.write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(pytest.main(sys.argv[2:], plugins=[Report(Path(sys.argv[1]))]))
