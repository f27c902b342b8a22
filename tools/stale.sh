#!/bin/sh
# stale.sh ENVIRONMENT...: prints the stamps of make in them that say nothing true any more; the Makefile calls it.
# A stamp holds the folder that was set up: where it holds another, the environment came with a copy or a moved folder,
# or serves two, and imports what lies there. All stamps are stale where the environment's Python does not start, or is
# of another version than PYTHON=...: the set-up then mends it, or refuses. Nothing is changed here, no package imported.

version() { "$1" -I -S -c 'import sys; print(sys.version_info[:2])' 2>/dev/null; }

here=$(pwd -P)
for environment in "$@"; do
    set -- "$environment"/ready*
    [ -f "$1" ] || continue
    own=$(version "$environment/bin/python")
    [ -z "$PYTHON" ] || [ "$(version "$PYTHON")" = "$own" ] || own=
    for stamp in "$@"; do
        folder=
        read -r folder <"$stamp"
        [ -n "$own" ] && [ "$folder" = "$here" ] || echo "$stamp"
    done
done
