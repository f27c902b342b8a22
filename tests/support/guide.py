"""What a guide such as docs/adding.md shows and says: excerpts of files, commands, paths.

An excerpt is a block ```diff that opens with `--- path`: lines with a blank or `-` before them
stand in the file, one after another; those with `+` are to be written there. Lines of a block ```sh
are commands, given from the root.
"""

import re
from pathlib import Path
from typing import NamedTuple

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Excerpt(NamedTuple):
    """Lines of a file as they stand there, and as they should."""

    path: str
    before: str
    after: str

    @property
    def is_change(self) -> bool:
        """Whether it says more than what stands there."""
        return self.before != self.after

    def applied_to(self, text: str) -> str:
        """Return a file's text with this change; the lines must stand in it once."""
        found = f"\n{text}".count(f"\n{self.before}")
        assert found == 1, f"{found} times in {self.path}:\n{self.before}"
        return f"\n{text}".replace(f"\n{self.before}", f"\n{self.after}")[1:]


def blocks(text: str, kind: str) -> list[str]:
    """Return the blocks of one kind in a page."""
    return [inner for found, inner in BLOCK.findall(text) if found == kind]


def excerpts(text: str) -> list[Excerpt]:
    """Return the excerpts of a page."""
    return [excerpt(block) for block in blocks(text, "diff")]


def excerpt(block: str) -> Excerpt:
    """Read one excerpt."""
    head, *lines = block.splitlines(keepends=True)
    assert head.startswith("--- "), f"an excerpt opens with `--- path`, not with {head!r}"
    assert all(line[0] in " +-\n" for line in lines), f"a line of {head!r} has no mark"
    before, after = (
        "".join(line[1:] or line for line in lines if line[0] != mark) for mark in "+-"
    )
    return Excerpt(head.removeprefix("--- ").strip(), before, after)


def commands(text: str) -> list[str]:
    """Return the commands of a page."""
    return [line for block in blocks(text, "sh") for line in block.splitlines()]


def paths(text: str) -> set[str]:
    """Return the paths that a page names: words between backticks, or of a command, with a `/`."""
    outside = BLOCK.sub("", text)
    words = re.findall(r"`([^`\n]+)`", outside) + " ".join(commands(text)).split()
    return {word for word in words if re.fullmatch(r"[\w.-]+(?:/[\w.-]+)+/?", word)}


def goals(text: str) -> set[str]:
    """Return the goals of make that a page names."""
    outside = BLOCK.sub("", text)
    said = [*re.findall(r"`make ([^`\n]+)`", outside), *commands(text)]
    words = [line.removeprefix("make ").split() for line in said if not line.startswith(".venv")]
    return {word for line in words for word in line if re.fullmatch(r"[a-z][a-z-]+", word)}


def apply(text: str, root: Path) -> list[str]:
    """Write a page's excerpts into a copy of the tree; return the files that they touch."""
    for one in excerpts(text):
        path = root / one.path
        path.write_text(one.applied_to(path.read_text(encoding="utf-8")), encoding="utf-8")
    return list(dict.fromkeys(one.path for one in excerpts(text)))
