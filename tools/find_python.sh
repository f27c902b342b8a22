#!/bin/sh
# Prints the path of a Python that can set norch up: 3.11 to 3.13, with venv, pip's wheel and Python.h.
# The Makefile calls it with the interpreter of .venv, which is taken if it works. PYTHON=... names one to use or
# refuse.
# It never installs anything; when no interpreter will do it says why and how to get one.

verdict='
import os, sys
if not (3, 11) <= sys.version_info[:2] <= (3, 13):
    sys.exit("is %d.%d, not 3.11 to 3.13" % sys.version_info[:2])
try:
    import ensurepip, venv
except ImportError:
    sys.exit("has no venv module (Debian: apt install python%d.%d-venv)" % sys.version_info[:2])
import sysconfig
if not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")):
    sys.exit("has no Python.h (Debian: apt install python%d.%d-dev)" % sys.version_info[:2])
print(sys.executable)
'

if [ -z "$PYTHON" ] && [ -n "$1" ] && "$1" -c "" 2>/dev/null; then
    echo "$1"
    exit 0
fi

if [ -n "$PYTHON" ]; then
    set -- "$PYTHON"
else
    set -- python3.13 python3.12 python3.11 python3 python
fi
looked="$*"
reasons=""
for candidate in "$@"; do
    command -v "$candidate" >/dev/null 2>&1 || continue
    answer=$("$candidate" -c "$verdict" 2>&1) && { echo "$answer"; exit 0; }
    reasons="$reasons
    $candidate: $(echo "$answer" | head -n 1)"
done

cat >&2 <<END
[setup] no usable Python found: norch needs Python 3.11, 3.12 or 3.13 with venv and headers.
  looked at:${reasons:- nothing, for $looked is not on the path}
  Debian, Ubuntu:  sudo apt install python3 python3-venv python3-dev
  Fedora:          sudo dnf install python3.13 python3.13-devel
  macOS:           brew install python@3.13
  or name one:     make setup PYTHON=/path/to/python3.12
END
exit 2
