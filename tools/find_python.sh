#!/bin/sh
# find_python.sh [--all] [--compile] [PYTHON OF .venv]: prints the path of a Python that can set norch up.
# With --compile it is one that supported.py names, with headers; without, such a one is preferred, and any does that
# runs the course. --all prints each of the former, one a version ("3.12 PATH"), and says which others do not serve.
# The Makefile hands it the interpreter of .venv, which is taken if it serves; PYTHON=... names one to use or refuse.
# It installs nothing: where no interpreter serves it says why, and how to get one here.

tools=$(dirname "$0")
# An interpreter is asked as it is, without PYTHONHOME and its like; their names are those of letters after PYTHON.
unset nothing $(set | LC_ALL=C sed -n 's/^\(PYTHON[A-Z]\{1,\}\)=.*/\1/p')
limits=$(sed -n 's/^requires-python = ">=3\.\([0-9]*\),<3\.\([0-9]*\)"$/\1 \2/p' "$tools/../norch/pyproject.toml")
oldest=${limits% *}
newest=$((${limits#* } - 1))
all=
[ "$1" = --all ] && all=$1 && shift
compile=
[ "$1" = --compile ] && compile=$1 && shift

if [ -z "$PYTHON" ] && [ -n "$1" ] && "$1" -c "" 2>/dev/null; then
    why=$("$1" "$tools/supported.py" ${compile:---any} 2>&1) && { echo "$1"; exit 0; }
    echo "[setup] $1 $why" >&2
    folder=${1%/bin/python*}
    if other=$(sh "$0" $compile); then
        echo "  Mend that, or remove $folder: make then takes $other." >&2
    else
        echo "  Then remove $folder, and run make again." >&2
    fi
    exit 2
fi

# The newest first: those on the path, then those that pyenv and uv keep; last those of years to come, for the course.
if [ -n "$PYTHON" ]; then
    set -- "$PYTHON"
else
    set -- python3 python
    for minor in $(seq "$oldest" "$newest"); do set -- "python3.$minor" "$@"; done
    pyenvs=${PYENV_ROOT:-$HOME/.pyenv}/versions
    uvs=${UV_PYTHON_INSTALL_DIR:-${XDG_DATA_HOME:-$HOME/.local/share}/uv/python}
    minor=$newest
    while [ "$minor" -ge "$oldest" ]; do
        set -- "$@" "$pyenvs/3.$minor."*/bin/python "$uvs/cpython-3.$minor."*/bin/python
        minor=$((minor - 1))
    done
    for minor in $(seq $((newest + 1)) $((newest + 5))); do set -- "$@" "python3.$minor"; done
fi

# A Python answers with its own path, or with a sentence of supported.py.
why_not() {
    case $1 in *SyntaxError*) echo "is older than 3.6" && return ;; esac
    case $(echo "$1" | tail -n 1) in
        "is "* | "has "*) echo "$1" | tail -n 1 ;;
        *) echo "does not start as a Python" ;;
    esac
}

reasons=
versions=
for candidate in "$@"; do
    command -v "$candidate" >/dev/null 2>&1 || continue
    if answer=$("$candidate" "$tools/supported.py" 2>&1) && [ -f "$answer" ] && [ -x "$answer" ]; then
        [ -z "$all" ] && { echo "$answer"; exit 0; }
        version=$("$answer" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        case "$versions " in *" $version "*) ;; *) echo "$version $answer" ;; esac
        versions="$versions $version"
    else
        reasons="$reasons
    $candidate $(why_not "$answer")"
    fi
done
[ -n "$all" ] && { echo "$reasons" >&2; exit 0; }
course=
for candidate in "$@"; do
    answer=$("$candidate" "$tools/supported.py" --any 2>/dev/null) && [ -f "$answer" ] && [ -x "$answer" ] || continue
    [ -z "$compile" ] && { echo "$answer"; exit 0; }
    course="
  without it:    make next, make check and make test-stage 1, for which $candidate will do"
done

nothing="nothing, there is no python on the path"
[ -n "$PYTHON" ] && nothing="PYTHON=$PYTHON, which is not there"
cat >&2 <<END
[setup] no usable Python found: norch is compiled for Python 3.$oldest to 3.$newest, with venv and headers.
  looked at:${reasons:- $nothing}
  to get one:    $(sh "$tools/get_python.sh" "$oldest" "$newest")
  or name one:   make PYTHON=/path/to/python$course
END
exit 2
