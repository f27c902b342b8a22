"""Only our own text is in the repository: no lines of the documents that norch grew from.

The documents lie beside the checkout, in ../shared/seeds; where they do not, this is skipped.
"""

import re
import subprocess
from pathlib import Path

import pytest
import seed_documents as seeds

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(
    not seeds.DOCUMENTS.is_dir(), reason="../shared/seeds, the documents, is not here"
)


def squeezed(text):
    """The lines of a text without what may differ in a copy: names of libraries, spaces, quotes."""
    for line in text.splitlines():
        line = re.sub(rf"\b({seeds.LIBRARIES}|ct|tt)\b", "norch", line.strip().lstrip("+-# "))
        line = re.sub(r"\s+", "", line).replace('"', "'")
        if line and not line.startswith(("import", "from")):
            yield line


def their_lines():
    """All lines of the documents, but for imports; the article's with its own words, too."""
    texts = [path.read_text(encoding="utf-8") for path in seeds.DOCUMENTS.glob("*.md")]
    return {line for text in [*texts, "\n".join(seeds.article())] for line in squeezed(text)}


def copied(text, theirs):
    """What stands in both: a long line, or three in a row that are not all short."""
    lines = list(squeezed(text))
    long = [line for line in lines if len(line) > 60 and line in theirs]
    threes = zip(lines, lines[1:], lines[2:], strict=False)
    return long + [t for t in threes if theirs.issuperset(t) and len("".join(t)) > 75]


def test_nothing_of_their_text_is_stored():
    command = ["git", "ls-files", "-co", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
    if not names:
        pytest.skip("not a git checkout: which files are tracked is unknown")
    theirs, found = their_lines(), {}
    for name in names:
        try:
            text = (ROOT / name).read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError):  # a picture; a file just removed
            continue
        found[name] = copied(text, theirs)
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_a_copied_line_is_noticed():
    theirs = their_lines()
    expression, network = seeds.blocks("pytortto")[1], seeds.blocks("mytorch")[4]
    line = next(line for line in expression.splitlines() if "output" in line)
    assert copied(f"a = 1\n+     {line}\n", theirs)
    assert copied(network.replace("self", " self "), theirs)
    assert not copied("optimizer.zero_grad()\nloss.backward()\noptimizer.step()\n", theirs)
