"""The command line of the exercises: `make check 1.6` calls `exercises.py check 1.6`, and so on."""

import sys
from pathlib import Path

if __name__ == "__main__":
    try:
        from norch_course.commands import main

        sys.exit(main(Path(__file__).resolve().parent.parent))
    except KeyboardInterrupt:  # while it imports, too
        print("[course] stopped")
        sys.exit(130)
