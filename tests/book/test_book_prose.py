"""The prose of the book: where its numbers come from, and how its words are spelt.

A number in the prose was printed by a cell, stands in a cell, or is a definition listed here. Each
number in digits must occur in the page's cells, in what they say or in what they printed. Each
number in words that has a unit ("sixteen times", "seven digits") must be listed below with its
reason: words cannot be compared. What a cell keeps for the text (`{glue:text}`) is always right and
needs neither.

Every word is in a dictionary or in the project's own list, `book/words.txt`. Looked at are the
pages, the docstrings that the library's page shows (they may also name arguments and functions),
and what the exercises say. The dictionary is American; the book is British, so a word also counts
in its American spelling.
"""

import re

import pytest
from prose import (
    BOOK,
    NOTEBOOKS,
    PAGES,
    cells,
    docstrings,
    exercises,
    markdown,
    names_in_code,
    plain,
)
from spellchecker import SpellChecker

# Numbers that nobody measured, by page.
DEFINITIONS = {
    "01_strides": {"64": "bits of a size in PyTorch"},
    "02_cpu": {
        "64": "bytes of a cache line, bits of an integer",
        "1024": "elements of a run: kBlock in core/plan.cpp",
    },
    "03_cuda": {"64": "bits of i64", "128": "32 threads of 4 bytes", "20": "a number to try"},
    "04_autograd": {"64": "bits of a number"},
    "05_nn": {
        "32": "bits of a number",
        "297": "1797 - 1500",
        "60000": "images of MNIST",
        "10000": "images of MNIST",
    },
    "06_ddp": {"256": "4 * 64", "25": "megabytes of a bucket, by PyTorch's documentation"},
    "06_fsdp": {"24": "significant bits of a float32"},
    "07_attention": {"7": "the chapter's own number"},
    "faster": {"64": "bytes of a cache line"},
    "planning": {
        "38": "percent: Llama 3's report, table 4",
        "43": "percent: the same",
        "68": "100 - 32 percent",
        "530": "billion parameters: the name of a model",
    },
    "primer": {"64": "bits of int64_t", "32": "bits of int32_t"},
}
IN_WORDS = {
    "01_strides": {"doubles": "every second column: the stride times 2"},
    "02_cpu": {
        "seven digits": "of a float32: 24 bits",
        "four bytes": "of a float32",
        "million multiplications": "2 * 384**3, counted on paper below",
        "three times": "compiled: instruction sets in core/isa.h",
        "million times": "sixteen million: 1 << 24, in the cell below",
    },
    "03_cuda": {
        "sixteen times": "65536 / 4096, counted below",
        "eight times": "32 pieces / 4 pieces, counted above",
        "eight reads": "4 + 4, in csrc/lessons/matmul.cu",
        "four bytes": "of a float32",
        "sixteen multiplications": "4 * 4, in csrc/lessons/matmul.cu",
    },
    "04_autograd": {"three times": "the loop of the cell"},
    "06_ddp": {"four times": "torchrun's argument", "three times": "the argument of the command"},
    "07_attention": {"two bytes": "of a bfloat16"},
    "planning": {
        "twice as large": "seconds of waiting in the figure above: 5.05 and 2.45",
        "twice as many": "a question; 126 layers in 16 stages or in 8",
    },
    "primer": {"seven digits": "of a float: 24 bits"},
    "quantization": {
        "four bytes": "of a float32",
        "two operations": "a multiplication and an addition",
    },
    "faster": {
        "three times": "rows; instruction sets in core/isa.h",
        "sixteen additions": "floats in 64 bytes",
        "six multiplications": "two results of three weights",
        "five operations": "listed behind the colon",
    },
}

WORDS = "two three four five six seven eight nine ten eleven twelve sixteen twenty thirty forty "
WORDS += "fifty hundred hundreds thousand thousands million millions billion half quarter dozen"
UNITS = "times|fold|percent|milliseconds?|microseconds?|nanoseconds?|seconds?|minutes?|hours?|"
UNITS += "bytes?|megabytes?|gigabytes?|operations?|multiplications?|additions?|reads|loads|digits"
SPOKEN = re.compile(rf"(?<!\d )\b((?:{'|'.join(WORDS.split())}) (?:{UNITS}))\b")
RATIO = re.compile(r"\b(doubles|triples|tenfold|twice as (?:fast|slow|large|many))\b")
# What is counted and not measured: exercises, chapters, questions, years of publications.
COUNTED = [
    r"\b[Ee]xercises? \d\.\d+(?:(?:,| and| to) \d\.\d+)*",
    r"\b\d\.\d\b",
    r"\*\*\d\.\*\*",
    r"\b(?:chapters?|stages?|exercises?|[Ww]eeks?|and|rank|thread|block|chunk|element|stride) \d+",
    r"\b(?:19|20)\d\d(?=[);,.])",
    r"(?:float|int|uint)\d+",
]


def in_digits(text):
    """List the numbers of a prose that are written in digits."""
    for pattern in COUNTED:
        text = re.sub(pattern, " ", text)
    found = re.findall(r"(?<![\w.])\d[\d,]*(?:\.\d+)?", text)
    return [one.rstrip(",").replace(",", "") for one in found]


def unsaid(text, said, allowed=()):
    """Name the numbers of a prose that no cell has said."""
    said = re.sub(r"(\d)\.0\b", r"\1", re.sub(r"(?<=\d)[,_](?=\d)", "", said))
    known = {"0", "1", *re.findall(r"\d+(?:\.\d+)?", said)}
    prose = plain(text)
    missing = [one for one in in_digits(prose) if one not in known]
    spoken = SPOKEN.findall(prose.replace("\n", " ")) + RATIO.findall(prose)
    return [one for one in [*missing, *spoken] if one not in allowed]


def said_by_cells(path):
    """Return what the cells of a notebook say and have printed, as one text."""
    code = cells(path, "code")
    texts = [one["text"] for one in code]
    for output in [output for one in code for output in one["outputs"]]:
        texts += ["".join(output.get("text", ""))]
        for kind, part in output.get("data", {}).items():
            shown = r'aria-label="([^"]*)"|>([^<]+)<' if kind == "text/html" else r"(.+)()"
            texts += [" ".join(found) for found in re.findall(shown, "".join(part))]
    return "\n".join(texts)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_numbers_in_the_prose_come_from_cells(path):
    allowed = {**DEFINITIONS.get(path.stem, {}), **IN_WORDS.get(path.stem, {})}
    assert unsaid(markdown(path), said_by_cells(path), allowed) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_is_allowed_is_used(path):
    allowed = {**DEFINITIONS.get(path.stem, {}), **IN_WORDS.get(path.stem, {})}
    text = re.sub(r"(?<=\d),(?=\d)", "", plain(markdown(path)).replace("\n", " "))
    assert [one for one in allowed if not re.search(rf"(?<![\w.]){one}\b", text)] == []


@pytest.mark.parametrize(
    ("text", "said", "found"),
    [
        ("It took 12.5 ms.", "12.5 ms", []),
        ("It took 12.5 ms.", "13.5 ms", ["12.5"]),
        ("a table of 1,000,000 elements", "range(1_000_000)", []),
        ("It is 40 % of the peak.", "", ["40"]),
        ("It is sixteen times\nas fast.", "16", ["sixteen times"]),
        ("The tile doubles it once more.", "", ["doubles"]),
        ("Exercise 1.6 of chapter 4 (He et al., 2015): **2.** float32 at rank 3", "", []),
        ("`x[40]`, $40$ and {glue:text}`forty`", "", []),
    ],
)
def test_a_number_from_nowhere_is_found(text, said, found):
    assert unsaid(text, said) == found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_the_text_asks_for_is_kept_by_a_cell(path):
    asked = re.findall(r"\{glue:text\}`(\w+)`", markdown(path))
    kept = [
        output["metadata"]["scrapbook"]["name"]
        for one in cells(path, "code")
        for output in one["outputs"]
        if "scrapbook" in output.get("metadata", {})
    ]
    assert sorted(set(asked)) == sorted(kept)


DICTIONARY = SpellChecker()
LINES = (BOOK / "words.txt").read_text(encoding="utf-8").splitlines()
OURS = [one for one in LINES if one and not one.startswith("#")]
AMERICAN = [
    (r"our", "or"),
    (r"is(e[drs]?|ing|ations?)$", r"iz\1"),
    (r"ys(e[dr]?|ing)$", r"yz\1"),
    (r"tre(s?)$", r"ter\1"),
    (r"grey", "gray"),
]


def words(text):
    """List the words of a text in small letters: no addresses, none of one or two letters."""
    text = re.sub(r"``?[^`]*``?|https?://\S+", " ", text)
    found = [re.sub(r"'s$", "", one).lower() for one in re.findall(r"[A-Za-z]+(?:'[a-z]+)?", text)]
    return [one for one in found if len(one) > 2]


def in_dictionary(word):
    """Say whether the dictionary has a word, in this spelling or in the American one."""
    spellings = [word, *(re.sub(pattern, other, word) for pattern, other in AMERICAN)]
    return any(one in DICTIONARY for one in spellings)


def unknown(text):
    """List the words of a text that neither the dictionary nor the project knows."""
    return sorted({one for one in words(text) if not in_dictionary(one)} - set(OURS))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_is_spelled_right(path):
    assert unknown(plain(markdown(path))) == []


def test_the_docstrings_of_the_library_are_spelled_right():
    names = names_in_code()
    found = {name: set(unknown(text)) - names for name, text in docstrings().items()}
    assert len(found) > 500
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def test_the_exercises_are_spelled_right():
    found = {id: unknown(plain(text)) for id, text in exercises().items()}
    assert len(found) > 40
    assert {id: wrong for id, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Teh tensor recieves a gradeint.", ["gradeint", "recieves", "teh"]),
        ("neighbours of one colour, normalised, in the centre: grey", []),
        ("the reader's `qwxz` and $qwxz$", []),
        ("the readr's own", ["readr"]),
    ],
)
def test_a_misspelled_word_is_found(text, found):
    assert unknown(plain(text)) == found


def test_the_list_of_words_is_sorted_and_has_none_that_the_dictionary_has():
    assert sorted(set(OURS)) == OURS
    assert [one for one in OURS if in_dictionary(one)] == []


def test_code_is_no_licence_to_misspell():
    assert not {"teh", "recieve", "gradeint", "tensro"} & names_in_code()
