"""Which page explains a public name, and what a mention of it looks like in a text.

norch_explained.py finds the section on the page. A name's exercises are those whose marks stand in
its own lines. Only the standard library is needed, so that tests can ask, too.
"""

import re
import tomllib
from functools import cache
from pathlib import Path

from norch_sources import Found

LIST = Path(__file__).with_name("explained.toml")


@cache
def places() -> dict[str, tuple[str, str]]:
    """Return the page of each name and its heading there, or "": the name is the end of a whole
    one, such as `nn.Linear`.
    """
    listed = tomllib.loads(LIST.read_text(encoding="utf-8"))
    found: dict[str, tuple[str, str]] = {}
    for key, names in listed.items():
        page, _, heading = key.partition(": ")
        found |= dict.fromkeys(names.split(), (page, heading))
    return found


def place_of(name: str) -> tuple[str, str] | None:
    """Return the page and heading that explain a name, such as `norch.nn.Linear`, or None."""
    path = name.split(".")
    ends = [".".join(path[start:]) for start in range(len(path))]
    return next((places()[end] for end in ends if end in places()), None)


def spoken(name: str) -> str:
    """Return a name as a sentence has it: `cross entropy` for `CrossEntropyLoss`."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", re.sub(r"(?<=\w)[123]d$", "", name))
    return words.lower().strip().removesuffix(" loss")


def mentions(name: str) -> re.Pattern[str]:
    """Return what a mention of a name looks like: as code, or in words."""
    words = re.escape(spoken(name)).replace(r"\ ", "[ -]")
    return re.compile(rf"(?<![\w-])(?:{re.escape(name)}|(?i:{words}))(?![\w-])")


def exercises(found: Found) -> list[str]:
    """Return the numbers of the exercises whose lines are a part of a definition."""
    if found.line != found.definition.lineno:  # a member of a family has no lines of its own
        return []
    lines = found.path.read_text(encoding="utf-8").splitlines()
    inside = "\n".join(lines[found.line - 1 : found.definition.end_lineno])
    return re.findall(r"# ex (\d\.\d+) begin", inside)
