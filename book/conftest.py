"""What the notebooks cost: pytest adds up the time of their cells and says when it is too much.

A reader who runs the whole book should not wait longer than this on two quiet cores; a busy machine
takes longer, so it is said and fails nothing. pytest finds this file when notebooks are run.
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
