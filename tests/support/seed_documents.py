"""Reads programs out of the documents beside the checkout, and mends and prepares them.

test_seed_documents.py says which programs there are, what is mended in them and what is expected.
Nothing of the documents' text is kept here: programs are made when a test runs.
"""

import re
from pathlib import Path

DOCUMENTS = Path(__file__).parents[3] / "shared" / "seeds"
LIBRARIES = "cupytorch|mytorch|tortto|miniddp|torch"
# A comment at the margin that looks like printed values, not like words.
PRINTED = re.compile(r"# *((?:tensor\(|\[|\(|True$|False$|-?\d|Epoch \[).*)")
# A capitalised word and another word: the article's prose, not its code.
PROSE = re.compile(r"[A-Z][^ (=]*,? \w")
# The article's copy was reworded by a machine, single words of its code included.
REWORDED = {
    "ahead": "forward",
    "form": "shape",
    "gadget": "device",
    "goal": "target",
    "mannequin": "model",
    "outcome": "result",
    "tremendous": "super",
    "vary": "range",
}
# What stands in front of every program: `expected` compares what was printed since the last call.
PRELUDE = """\
import builtins, multiprocessing, re
import norch
from norch import nn, optim

multiprocessing.set_start_method("fork")  # the programs do not guard their main part
norch.set_printoptions(precision=8)
norch.manual_seed(0)
printed = []

def print(*values):
    printed.append(" ".join(map(str, values)))
    builtins.print(*values, flush=True)

def parts(text):
    return re.findall(r"True|False|(?<![\\w.])-?\\d+\\.?\\d*(?!\\w)", text)

def agrees(found, wanted):
    if wanted in ("True", "False"):
        return found == wanted
    digits = len(wanted.partition(".")[2])
    rounding = 0.6 * 10**-digits if digits > 2 else 0  # fewer: trailing zeros that were cut off
    return abs(float(found) - float(wanted)) <= rounding + 1e-6 * abs(float(wanted))

def expected(text):
    if not printed:
        return  # a note on what was typed in
    found, wanted = parts(" ".join(printed)), parts(text)
    printed.clear()
    if text.endswith("..."):
        return  # random numbers, and not all of them
    assert len(found) == len(wanted) and all(map(agrees, found, wanted)), (found, wanted)
    builtins.print("as printed")

"""


def blocks(name):
    """The code blocks of a README."""
    text = (DOCUMENTS / f"{name}_readme.md").read_text(encoding="utf-8")
    return re.findall(r"^```\w*\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def article():
    """The article's lines, with the machine's words turned back into Python's."""
    text = (DOCUMENTS / "article_recreating_pytorch.md").read_text(encoding="utf-8")
    return re.sub(r"\w+", lambda word: REWORDED.get(word[0], word[0]), text).splitlines()


def starts(lines, pattern):
    """The places of the lines that match the whole pattern."""
    return [i for i, line in enumerate(lines) if re.fullmatch(pattern, line)]


def until(lines, start, end):
    """The code from a line on, up to the first that begins as `end` says; prose is left out."""
    stop = next(i for i in range(start, len(lines)) if end.match(lines[i]))
    return [line for line in lines[start:stop] if not PROSE.match(line)]


def indent(lines):
    """Give a program its indentation back, which the article's copy has lost.

    A colon opens a block. A `def` inside a class stands one step in, and ends at the next one or at
    its `return`; outside a class it ends at a blank line. After a blank line, `class` and `for`
    stand at the margin, and a `print` has left the innermost loop. Comments stand at the margin.
    """
    level, in_class, in_function, after_blank, out = 0, False, False, False, []
    for line in lines:
        word = re.match(r"\w*", line)[0]
        if not line and in_function and not in_class:
            level, in_function = 0, False
        if word == "class" or (word == "for" and after_blank):
            level, in_class = 0, word == "class"
        elif word == "def":
            level, in_function = int(in_class), True
        elif word == "print" and after_blank and level:
            level -= 1
        if level == 0 and word not in ("class", ""):
            in_class = False
        out.append(line if word == "" and line[:1] in ("", "#") else "    " * level + line)
        after_blank = not line
        if line.endswith(":"):
            level += 1
        elif word == "return":
            level = 0
    return "\n".join(out) + "\n"


def mend(text, slips):
    """Make each replacement; one that finds nothing has lost its reason, and is an error."""
    for pattern, new in slips:
        text, count = re.subn(pattern, new, text, flags=re.MULTILINE)
        assert count, f"nothing is left of the slip {pattern!r}"
    return text


def with_norch(text):
    """Import norch where the document imports the library that it describes, and NumPy for CuPy."""
    text = re.sub(rf"^(import|from) ({LIBRARIES})\.", r"\1 norch.", text, flags=re.MULTILINE)
    text = re.sub(rf"^from ({LIBRARIES}) ", "from norch ", text, flags=re.MULTILINE)
    text = re.sub(rf"^import ({LIBRARIES}) as", "import norch as", text, flags=re.MULTILINE)
    text = re.sub(rf"^import ({LIBRARIES}) *$", r"import norch as \1", text, flags=re.MULTILINE)
    return re.sub(r"^import cupy as", "import numpy as", text, flags=re.MULTILINE)


def with_expectations(text):
    """Turn the printed results, which stand in comments, into calls of `expected`."""
    out, found = [], []
    for line in [*text.splitlines(), "end = None"]:
        if comment := PRINTED.fullmatch(line):
            found.append(comment[1])
        elif line.strip() or not found:
            if found:
                out.append(f"expected({' '.join(found)!r})")
                found = []
            out.append(line)
    return "\n".join(out) + "\n"
