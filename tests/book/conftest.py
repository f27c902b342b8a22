"""The tests of the built book share one browser; they are skipped where there is none, or no book.

`make book` builds the pages; `.ci/run` does so before it runs the tests.
"""

import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

collect_ignore = ["rank_messages.py"]  # a script of ranks: test_live_ranks.py starts it
HERE = Path(__file__).parent
ROOT = HERE.parents[1]
# browser.py and prose.py; what the book is made with, its live pages too; the course.
BOOK = ROOT / "book"
FOLDERS = [HERE, BOOK / "_ext", BOOK / "live", ROOT / "course", BOOK]
sys.path[:0] = [str(folder) for folder in FOLDERS]

import browser as browsers  # noqa: E402
import firefox  # noqa: E402


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """Return a Chromium without a network, one for all tests."""
    program = browsers.program()
    if not program:
        pytest.skip("no Chromium is installed: it shows the pages")
    with browsers.Browser(program, tmp_path_factory.mktemp("chromium")) as one:
        yield one


@pytest.fixture
def page(browser):
    """Return an empty tab."""
    with browser.page() as one:
        yield one


@pytest.fixture(scope="session")
def fox(tmp_path_factory):
    """Return a Firefox, one for all tests."""
    program = firefox.program()
    if not program:
        pytest.skip("no Firefox is installed: it shows the pages too")
    with firefox.Firefox(program, tmp_path_factory.mktemp("firefox")) as one:
        yield one


@pytest.fixture(
    params=["browser", pytest.param("fox", marks=pytest.mark.slow)], ids=["chromium", "firefox"]
)
def tab(request):
    """Return an empty tab of each browser in turn."""
    with request.getfixturevalue(request.param).page() as one:
        yield one


class Quiet(SimpleHTTPRequestHandler):
    """A server of files that says nothing."""

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture(scope="session")
def site():
    """Serve the built book on a free port of this machine; return its address, without a slash."""
    files = partial(Quiet, directory=str(BOOK / "_build" / "html"))
    with ThreadingHTTPServer(("127.0.0.1", 0), files) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
