"""One word for each idea, the field's: words that were given up do not come back.

Chapters may introduce a picture and then use the field's word, and docs/decisions.md tells history;
everything else is read here, in code, comments, errors, READMEs, exercises and tests' names.
"""

import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]


class Word(NamedTuple):
    """A word that was given up, as a pattern; the field's; a line that has it, in the file `at`."""

    pattern: str
    better: str
    planted: str
    at: str = ""  # where the word means this one thing: read only in paths that begin so

    def found_in(self, text: str, path: str) -> list[tuple[int, str]]:
        """Line and word of each offence."""
        if not path.startswith(self.at):
            return []
        matches = re.finditer(self.pattern, text)
        return [(text.count("\n", 0, match.start()) + 1, match[0]) for match in matches]


def module(*names: str) -> str:
    """A pattern for files of these names: imported, named with their folder, or as a file."""
    either = "|".join(names)
    folders = r"norch_\w+|ops|creation|tensor|compat|graph|functional|modules|optim|linalg"
    return rf"\b(?:{folders})[./](?:{either})\b|\bimport (?:{either})\b|\b(?:{either})\.py\b"


PICTURE = r"(?i)(?<![a-z])pictures?(?![a-z])"
AUTOGRAD = "stages/04_autograd/"
GIVEN_UP = [
    Word(r"\bblam\w+", "gradient", "the blame of x"),
    Word(r"\.tracked\b(?!\()|\btracked=", "requires_grad", "x.tracked"),
    Word(r"\bSinks?\b|\bsinks\b", "accumulator", "class Sink:"),
    Word(r"\bclass Fit\b|\bFit\(|`Fit`", "SumToShape", "Fit(shape)"),
    Word(r"\btwins?\b|of_basics", "reference", "its twin"),
    Word(r"\bsettle\(", "set_history", "settle(out, node)", "stages/"),
    Word(r"\b(relate|wake)\(|\bbases\.py|graph[./]bases", "view tracking", "relate(x)", AUTOGRAD),
    Word(r"\bGate\b|\bCrossing\b", "backward hook functions", "class Gate(Function)", "stages/"),
    Word(r"\bchosen\(", "where", "def chosen(x)", f"{AUTOGRAD}src/norch_autograd/ops/elementwise/"),
    *(
        Word(PICTURE, "image of data, figure of a result", "two pictures", at)
        for at in ("examples/", "README.md", "Makefile", "stages/05_nn/", "stages/06_ddp/")
    ),
    *(
        Word(PICTURE, "image", "read_picture()", f"tests/test_{name}.py")
        for name in ("examples", "larger_examples")
    ),
    Word(r"\bPace\b|\bpace\.py", "accumulation state", "self.pace = Pace()"),
    Word(r"\bbrain\b", "bfloat16", "a brain float"),
    Word(r"\blikeness\b", "like", "likeness.zeros_like"),
    Word(module("spaces"), "factories", "from norch_autograd.spaces import linspace"),
    Word(module("questions"), "predicates", "compat/questions"),
    Word(module("kinds") + r"|\bclass Kinds\b|\bKinds\b", "attributes", "class Tensor(Kinds):"),
    Word(r"\brandom_edits\b", "random_inplace", "random_edits.normal_"),
    Word(r"\badam_kin\b", "the variants of Adam by their names", "import adam_kin"),
    Word(module("smooth"), "activation", "from norch_nn.functional.smooth import gelu"),
    Word(r"\bpiecewise\b", "activation", "the piecewise functions"),
    Word(r"\bpower_pool\b", "lp_pool", "power_pool.py"),
    Word(module("older") + r"|\bold_(words|names)\b", "legacy", "optim/older.py"),
    Word(r"\broll.?call\b", "collective check", "a roll call"),
    Word(module("ending"), "abort", "from norch_ddp.ending import abort"),
    Word(r"\b(columns|draw)\.cu\b", "im2col.cu, randint.cu", "see draw.cu"),
    Word(r"\bcarried\b", "accumulate type", "using carried = double;", "stages/"),
    Word(r"\bArrayNode\b", "an elementwise node, or one with a kernel", "class Exp(ArrayNode):"),
    Word(r"\bclass Parts\b", "a name that says which parts", "class Parts:", "stages/"),
    Word("for all weathers|end of the road", "the fact", "for all weathers"),
    Word("any place is as good|must beat what is wrong", "the fact", "any place is as good"),
]
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


def found_in(text: str, path: str) -> list[tuple[int, str, str]]:
    """Line, given-up word and the field's word of each offence."""
    return [
        (line, found, word.better) for word in GIVEN_UP for line, found in word.found_in(text, path)
    ]


def test_the_fields_words_are_used() -> None:
    offences = [
        f"{name}:{line}: {word!r}; the word is {better}"
        for path in texts()
        for name in [path.relative_to(ROOT).as_posix()]
        for line, word, better in found_in(path.read_text(encoding="utf-8"), name)
    ]
    assert not offences, "\n".join(offences)


@pytest.mark.parametrize("word", GIVEN_UP, ids=lambda word: f"{word.planted} {word.at}")
def test_a_word_that_was_given_up_is_found(word: Word) -> None:
    path = word.at or "course/planted.py"
    ((line, _, better),) = found_in(f"fine\n{word.planted}\n", path)
    assert (line, better) == (2, word.better)
    assert not word.at or word.found_in(word.planted, "docs/elsewhere.md") == []
