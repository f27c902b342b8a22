"""Programs that permissions bind, for the tests of folders that may not be written or read.

Root may do all of it: there `setpriv` starts the program without the rights that pass permissions
by, so that its own folders bind it as an ordinary user's do.
"""

import functools
import os
import shutil
import subprocess

import pytest

RIGHTS = "-dac_override,-dac_read_search"


@functools.cache
def bound() -> tuple[str, ...]:
    """Return the words before a command that make permissions bind it; skip where none do."""
    words: tuple[str, ...] = ()
    if os.geteuid() == 0:
        words = (shutil.which("setpriv") or "setpriv", f"--bounding-set={RIGHTS}", "--")
    try:
        command = [*words, "sh", "-c", "exec 3<>/dev/null"]
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this is root, and setpriv cannot make it an ordinary user")
    return words
