"""Keeps the lists of public names: enters a new one everywhere, and wraps the lists.

    python tools/names.py softsign norch       enter a function or class that is written
    python tools/names.py                      wrap the indexes again: `make format` does
    python tools/names.py --check              say which index is not wrapped so: `make lint` does

An index is a file whose formatter is off (INDEX): imports alone, several names a line, in order.
The other lists are norch/names.txt and tests/public_names.txt, one name a line.
"""

import argparse
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INDEX = "# fmt: off\n# ruff: noqa: I001\n"
LISTS = ("norch/names.txt", "tests/public_names.txt")
WIDTH = 100
IMPORT = re.compile(r"^from (\S+) import (?:\(\n([^()#]+)\)|([^()#\n]+))$", re.MULTILINE)


def sources() -> list[Path]:
    """Return the Python files of the stages and of the extras."""
    return sorted(
        path for part in ("stages", "extras") for path in ROOT.glob(f"{part}/*/src/**/*.py")
    )


def module_of(path: Path) -> str:
    """Return the dotted name of a file below some `src`."""
    parts = path.with_suffix("").parts
    return ".".join(parts[parts.index("src") + 1 :]).removesuffix(".__init__")


# ---- Indexes -------------------------------------------------------------------------------------


def indexes() -> list[Path]:
    """Return the files that are indexes."""
    return [path for path in sources() if INDEX in path.read_text(encoding="utf-8")]


def statement(module: str, words: list[str]) -> str:
    """Return `from module import words`, wrapped as an index has it."""
    words = sorted(words, key=in_order)
    line = f"from {module} import {', '.join(words)}"
    if len(line) <= WIDTH:
        return line
    inner = ", ".join(word.replace(" ", "\0") for word in words) + ","
    lines = textwrap.wrap(inner, WIDTH - 4, break_on_hyphens=False)
    filled = textwrap.indent("\n".join(lines), "    ").replace("\0", " ")
    return f"from {module} import (\n{filled}\n)"


def in_order(word: str) -> str:
    """Return the key that sorts log2 before log10, whatever the case."""
    return re.sub(r"\d+", lambda digits: digits.group().zfill(4), word.lower())


def wrapped(text: str, new: dict[str, str] | None = None) -> str:
    """Return an index with each import wrapped again, and `new` names entered by their module."""
    new = dict(new or {})

    def again(found: re.Match[str]) -> str:
        module, inner, short = found.groups()
        words = [word.strip() for word in (inner or short).split(",") if word.strip()]
        name = new.pop(module, None)
        return statement(module, [*words, f"{name} as {name}"] if name else words)

    return IMPORT.sub(again, text)


# ---- One new name --------------------------------------------------------------------------------


def home(name: str) -> str:
    """Return the module that makes a name; stop where none does, or several do."""
    made = re.compile(rf"^(?:def |class |){name}(?:\(|:| = )", re.MULTILINE)
    found = [module_of(path) for path in sources() if made.search(path.read_text(encoding="utf-8"))]
    if not found:
        sys.exit(f"[names] no file of stages or extras makes {name}: write it first")
    if len(found) > 1:
        ways = ", or ".join(f"{module}.{name}" for module in found)
        sys.exit(f"[names] several files make {name}, say which: {ways}")
    return found[0]


def enter_indexes(module: str, name: str) -> list[str]:
    """Enter a name in every index above its module that gathers it; return the indexes' names."""
    entered = []
    for path in indexes():
        text = path.read_text(encoding="utf-8")
        if module.startswith(f"{module_of(path)}.") and f"from {module} import" in text:
            entered.append(module_of(path))
            if f" {name} as {name}" not in text:
                path.write_text(wrapped(text, {module: name}), encoding="utf-8")
                print(f"[names] entered {name} in {path.relative_to(ROOT)}")
    if not entered:
        sys.exit(
            f"[names] no index gathers {module}: import {name} in its package's __init__.py, and "
            f"enter it in {' and '.join(LISTS)}, by hand"
        )
    return entered


def enter_list(path: Path, section: str, name: str) -> bool:
    """Enter a name in a section of a list, in order; tell whether the list has that section."""
    blocks = path.read_text(encoding="utf-8").rstrip("\n").split("\n\n")
    for i, block in enumerate(blocks):
        head, *lines = block.split("\n")
        if head.partition(":")[0] == section:
            words = {line.strip().partition("=")[0] for line in lines}
            behind = (k for k, line in enumerate(lines) if is_behind(line, name))
            if name not in words:
                lines.insert(next(behind, len(lines)), f"    {name}")
                blocks[i] = "\n".join([head, *lines])
                path.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")
                print(f"[names] entered {name} in {path.relative_to(ROOT)}, under {section}:")
            return True
    return False


def is_behind(line: str, name: str) -> bool:
    """Whether a line of a list is a name that comes after this one."""
    return not line.startswith(("    #", "    from ")) and line.strip().partition("=")[0] > name


def enter(path: str, sections: list[str]) -> None:
    """Enter a name in the indexes of its module, and in the sections of the lists."""
    given, _, name = path.rpartition(".")
    gathered = enter_indexes(given or home(name), name)
    for section in [*gathered, *sections]:
        known = [enter_list(ROOT / one, section, name) for one in LISTS]
        if not any(known) and section in sections:
            sys.exit(f"[names] {' and '.join(LISTS)} have no section {section}: write it first")


# ---- The command ---------------------------------------------------------------------------------


def main() -> None:
    """Enter a name, or wrap the indexes, or say which are wrapped otherwise."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", nargs="?", help="softsign, or norch_nn.functional.loss.l1_loss")
    parser.add_argument("sections", nargs="*", help="norch, norch.nn, ...: where users find it")
    parser.add_argument("--check", action="store_true", help="write nothing, say what differs")
    given = parser.parse_args()
    if given.name:
        enter(given.name, given.sections)
        return
    texts = {path: path.read_text(encoding="utf-8") for path in indexes()}
    other = {path: wrapped(text) for path, text in texts.items() if wrapped(text) != text}
    if not given.check:
        for path, text in other.items():
            path.write_text(text, encoding="utf-8")
    elif other:
        names = "\n".join(f"  {path.relative_to(ROOT)}" for path in other)
        sys.exit(f"[names] wrapped otherwise than `make format` would:\n{names}")


if __name__ == "__main__":
    main()
