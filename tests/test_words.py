"""One word for each idea, the field's: words that were given up do not come back.

Chapters may introduce a picture and then use the field's word, and docs/decisions.md tells history;
everything else is read here, in code, comments, errors, READMEs, exercises and tests' names.
"""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
GIVEN_UP = {
    r"\bblam\w+": "gradient",
    r"\btwins?\b|of_basics": "reference",
    r"\.tracked\b(?!\()|\btracked=": "requires_grad",
    r"\bSinks?\b|\bsinks\b": "accumulator",
    r"\bclass Fit\b|\bFit\(|`Fit`": "SumToShape",
    r"\bArrayNode\b": "an elementwise node, or one with a kernel",
    r"\bbrain\b": "bfloat16",
    r"\b(adam_kin|power_pool|old_words|spaces\.py|kinds\.py|questions\.py)\b": "the field's name",
    r"\b(columns|draw)\.cu\b|\bcarried\.h\b": "im2col.cu, randint.cu, accumulate.h",
    r"\broll.?call\b": "collective check",
    r"\bPace\b": "accumulation state",
    r"for all weathers|end of the road|any place is as good|must beat what is wrong": "the fact",
}
FOLDERS = ["stages", "norch", "course", "tools", "benchmarks", "examples", "tests", ".ci"]
PAGES = ["README.md", "CONTRIBUTING.md", "Makefile", "docs/architecture.md"]
KINDS = {".py", ".md", ".toml", ".cpp", ".h", ".cu", ".sh"}


def texts() -> list[Path]:
    """The files that are judged: those git knows, but for this one."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *FOLDERS, *PAGES]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout: which files are ours is unknown")
    paths = [ROOT / name for name in listed.stdout.splitlines()]
    return [
        path
        for path in paths
        if path.is_file() and (path.suffix in KINDS or not path.suffix) and path != Path(__file__)
    ]


def found_in(text: str) -> list[tuple[int, str, str]]:
    """Line, given-up word and the field's word of each offence."""
    return [
        (text.count("\n", 0, match.start()) + 1, match[0], better)
        for pattern, better in GIVEN_UP.items()
        for match in re.finditer(pattern, text)
    ]


def test_the_fields_words_are_used() -> None:
    offences = [
        f"{path.relative_to(ROOT)}:{line}: {word!r}; the word is {better}"
        for path in texts()
        for line, word, better in found_in(path.read_text(encoding="utf-8"))
    ]
    assert not offences, "\n".join(offences)


@pytest.mark.parametrize(
    "text", ["the blame of x", "its twin", "x.tracked", "class Sink:", "a roll call"]
)
def test_a_word_that_was_given_up_is_found(text: str) -> None:
    assert len(found_in(f"fine\n{text}\n")) == 1
    assert found_in(f"fine\n{text}\n")[0][0] == 2
