"""The command line of the exercises: `make check 1.6` calls `exercises.py check 1.6`, and so on."""

import sys
from pathlib import Path

from norch_course.commands import main

if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parent.parent))
