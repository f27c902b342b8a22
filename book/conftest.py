"""What the notebooks cost: pytest adds up the time of their cells, and fails when it is too much.

A reader who runs the whole book should not wait longer than this on two cores. pytest finds this
file when notebooks are run, as `make test` does.
"""

LIMIT = 300  # seconds
times: dict[str, float] = {}


def pytest_runtest_logreport(report: object) -> None:
    """Add the time of a cell to its notebook."""
    path = report.nodeid.partition("::")[0]
    if path.endswith(".ipynb"):
        times[path] = times.get(path, 0.0) + report.duration


def pytest_terminal_summary(terminalreporter: object) -> None:
    """Print the time of each notebook and of all."""
    if not times:
        return
    terminalreporter.section("notebooks")
    for path, seconds in sorted(times.items()):
        terminalreporter.write_line(f"{seconds:7.1f} s  {path}")
    total = sum(times.values())
    verdict = "too long" if total > LIMIT else "ok"
    terminalreporter.write_line(f"{total:7.1f} s  of at most {LIMIT} s: {verdict}")


def pytest_sessionfinish(session: object) -> None:
    """Fail a session whose notebooks took too long."""
    if sum(times.values()) > LIMIT and session.exitstatus == 0:
        session.exitstatus = 1
