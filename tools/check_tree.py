"""Checks of the tree that no linter knows: binaries, machine paths, unrun notebooks, long files.

`make lint` runs it and tests/test_tree.py holds each rule to planted offenders. A long file is
remarked, not refused: length asks which second idea moved in, a person answers. Reads the files
that git lists; changes nothing.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = {".py", ".cpp", ".h", ".cu"}
LONG = 400  # lines of a source file
BINARY = {".so", ".o", ".a", ".dylib", ".pyc", ".whl", ".exe", ".npy", ".pkl", ".pt", ".bin"}
TEXT = {
    ".py",
    ".md",
    ".toml",
    ".sh",
    ".yml",
    ".yaml",
    ".cfg",
    ".ipynb",
    ".txt",
    ".h",
    ".cpp",
    ".cu",
}
# Folders of one machine, and the hosts of package registries: a clone must not depend on either.
MACHINE = re.compile(
    r"(?<![\w.~-])/(?:work|root|home/\w+|Users/\w+)/|pythonhosted\.org|pypi\.org/simple"
)


def tracked(root: Path = ROOT) -> list[Path]:
    """Return the files that git tracks, and the new ones that it would; stop without git."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listing = subprocess.run(
            command, cwd=root, capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        sys.exit(
            f"[lint] {root} is no git checkout, which lists what is checked: run it in a clone"
        )
    paths = [root / name for name in listing.split("\0") if name]
    return [path for path in paths if path.is_file()]


def machine_words(path: Path) -> Iterator[str]:
    """Yield a complaint for each line that names a machine's folder or a registry's host."""
    if path.suffix not in TEXT and path.name not in {"Makefile", "run"}:
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if found := MACHINE.search(line):
            yield f"{path}:{number}: names '{found.group()}', true on one machine only"


def binaries(path: Path) -> Iterator[str]:
    """Yield a complaint if the file is a build product."""
    if path.suffix in BINARY:
        yield f"{path}: a binary is committed"


def unexecuted_cells(path: Path) -> Iterator[str]:
    """Yield a complaint for each code cell of a notebook that was never run.

    A cell stored without its run passes nbval in silence, so this is what makes nbval a proof.
    """
    if path.suffix != ".ipynb":
        return
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    for number, cell in enumerate(cells):
        has_code = cell["cell_type"] == "code" and "".join(cell["source"]).strip()
        if has_code and cell.get("execution_count") is None:
            yield f"{path}: code cell {number} was never executed"


def remark(paths: list[Path]) -> str:
    """Return one line on the source files that are long, none if none is."""
    sources = [path for path in paths if path.suffix in SOURCES]
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in sources}
    longest = sorted((path for path in sources if lengths[path] > LONG), key=lengths.__getitem__)
    if not longest:
        return ""
    most = f"{longest[-1].name} with {lengths[longest[-1]]}"
    return f"note: {len(longest)} source files are longer than {LONG} lines, {most} the longest"


def complaints(paths: list[Path]) -> list[str]:
    """Return every broken rule in the files."""
    rules = (machine_words, binaries, unexecuted_cells)
    return [complaint for path in paths for rule in rules for complaint in rule(path)]


def main() -> None:
    """Print the remark and the complaints; leave with 1 if there are complaints."""
    paths = tracked()
    found = complaints(paths)
    print("\n".join(line for line in (remark(paths), *found) if line))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
