"""Weighs the house into docs/architecture.md: the lines of each stage, of what stands beside the
stages, of the exercises and tests, and how many files git tracks.

`python tools/weigh.py` writes between the page's two marks; `--check` (part of `make lint`) fails
where the page is no longer about true, within a fiftieth. It shows sizes and refuses none. Only
what git tracks is weighed, so nothing that is written at build or by a learner counts.
"""

import re
from collections import Counter
from pathlib import Path

from architecture import ROOT, redraw
from check_tree import tracked

# What a reader of a stage may leave shut, and still meets all that its chapters and exercises use.
SHUT = {
    "02_cpu_ops": "csrc/more",
    "03_cuda": "csrc/simulator",
    "04_autograd": "src/norch_autograd/more",
    "06_ddp": "src/norch_ddp/simulate",
}
NEAR = 0.02  # of a number: how far the page may be from today's
LEAST = 0.2  # thousand lines: how far it may be in any case
FEWEST = 5  # files, likewise


def lines_of(path: Path) -> int:
    """Return the lines of a text; what is no text has none."""
    try:
        return len(path.read_text(encoding="utf-8").splitlines())
    except UnicodeDecodeError:
        return 0


def count_lines(root: Path, paths: list[Path]) -> Counter[str]:
    """Return the lines below each folder, by its path from the root."""
    lines: Counter[str] = Counter()
    for path in paths:
        count = lines_of(path)
        for folder in path.relative_to(root).parents:
            lines[folder.as_posix()] += count
    return lines


def thousands(lines: int) -> str:
    """Return a number of lines as the table shows it."""
    return f"{lines / 1000:.1f}k"


def row(*cells: str) -> str:
    """Return one line of a table."""
    return f"| {' | '.join(cells)} |"


def stages(lines: Counter[str], names: list[str]) -> tuple[list[str], int]:
    """Return the stages' rows, with their sum, and how many lines they have."""
    rows, whole, held = [], 0, 0
    for name in names:
        sources = lines[f"stages/{name}/src"] + lines[f"stages/{name}/csrc"]
        shut = lines[f"stages/{name}/{SHUT[name]}"] if name in SHUT else 0
        reads = f"{thousands(sources - shut)} without `{SHUT[name]}`" if shut else "all"
        rows.append(row(f"`stages/{name}`", thousands(sources), reads))
        whole, held = whole + sources, held + sources - shut
    return [*rows, row("all stages", thousands(whole), thousands(held))], whole


def beside(lines: Counter[str], files: Counter[str]) -> tuple[list[str], int]:
    """Return the rows of what stands beside the stages, where it exists, and their lines."""
    found = [folder for folder in sorted(lines) if re.fullmatch(r"(extras/\w+|norch)/src", folder)]
    rows = [row(f"`{one}`", thousands(lines[one]), f"in {files[one]} files") for one in found]
    return rows, sum(lines[folder] for folder in found)


def exercises(lines: Counter[str], paths: list[str]) -> list[str]:
    """Return the rows of the exercises and tests."""
    declared = re.compile(r"stages/\w+/exercises/(exercises\.toml|wrong/)")
    told = sum(lines[path] for path in paths if declared.match(path))
    tests = sum(lines[folder] for folder in lines if re.fullmatch(r"(\w+/){0,2}tests", folder))
    rows = [row("exercises: `exercises.toml` and wrong answers", thousands(told), "")]
    return [*rows, row("tests", thousands(tests), "")]


def table(root: Path, paths: list[Path]) -> str:
    """Return the table of sizes of the files below a root."""
    names = [path.relative_to(root).as_posix() for path in paths]
    lines = count_lines(root, paths)
    lines.update({name: lines_of(path) for name, path in zip(names, paths, strict=True)})
    files = Counter(p.as_posix() for path in paths for p in path.relative_to(root).parents)
    own = sorted({name.split("/")[1] for name in names if re.match(r"stages/\w+/", name)})
    taught, taught_lines = stages(lines, own)
    others, other_lines = beside(lines, files)
    head = [row("lines of src + csrc", "all", "what a reader holds"), row("---", "---:", "---")]
    total = row("src + csrc in all", thousands(taught_lines + other_lines), "")
    tail = [*exercises(lines, names), row("files that git tracks", f"{len(paths):,}", "")]
    return "\n".join([*head, *taught, *others, total, *tail])


NUMBER = re.compile(r"(?<![\w/])\d[\d,]*(?:\.\d+)?k?\b")


def near(shown: str, today: str) -> bool:
    """Return whether a number of the page is close enough to today's."""
    old, new = (float(text.rstrip("k").replace(",", "")) for text in (shown, today))
    least = LEAST + 1e-9 if today.endswith("k") else FEWEST
    return abs(old - new) <= max(least, NEAR * new)


def same(shown: str, today: str) -> bool:
    """Return whether two tables have the same words, and numbers that are near."""
    if NUMBER.sub("#", shown) != NUMBER.sub("#", today):
        return False
    return all(map(near, NUMBER.findall(shown), NUMBER.findall(today)))


def main() -> None:
    """Write the table into the page, or say that it is not today's."""
    redraw("sizes", "tools/weigh.py", table(ROOT, tracked()), same)


if __name__ == "__main__":
    main()
