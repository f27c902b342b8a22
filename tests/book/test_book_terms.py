"""The words of the field: each is introduced once, in bold, and stands in the glossary.

A term is bold where it is introduced. Other bold text ends with a full stop or a question mark (the
heading of a paragraph), or has more words than any term. The glossary names behind each term the
chapter, or the page, that introduces it.
"""

import re
from collections import defaultdict
from functools import cache

import pytest
from norch_glossary import EVERYDAY, terms
from prose import CHAPTERS, NOTEBOOKS, markdown, plain

LONGEST = 4  # words of a term
IRREGULAR = {"leaves": "leaf", "caches": "cache", "batches": "batch", "classes": "class"}
# Words that earlier pages explain in passing.
EARLY = {"compiler", "gradient", "in place", "overlap", "zero"}
NO_TERMS = {"Whole programs"}  # the beginning of a paragraph
SENTENCE = re.compile(r"(?<=[.?!:])\s+|\n\n|\|")
# Introduced twice: as the word of two fields.
TWICE = {"kernel": {"02_cpu", "03_cuda"}, "reference": {"primer", "04_autograd"}}


@cache
def entries():
    """Return the glossary: for each term, in small letters, the chapters and pages it names."""
    return {one.name.lower(): one.places for one in terms()}


def singular(term):
    """Return a term as the glossary lists it: in the singular, in small letters."""
    words = " ".join(term.split()).lower()
    known = entries()
    guesses = [words, IRREGULAR.get(words, words), words.removesuffix("s")]
    return next((one for one in guesses if one in known), words)


def introduced(text):
    """List the terms that a page introduces: what is bold and no heading of a paragraph."""
    text = re.sub(r"```.*?```|`[^`]*`", " ", text, flags=re.DOTALL)
    bold = re.findall(r"(?<!\*)\*\*([^*]+)\*\*(?!\*)", text)
    return [
        one
        for one in bold
        if not one.endswith((".", "?", ":")) and len(one.split()) <= LONGEST and one not in NO_TERMS
    ]


def place(path):
    """Return what the glossary calls a page: "4", or the name of a page beside the chapters."""
    return path.stem[1:2] if path.stem[:2].isdigit() else path.stem


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_terms_stand_in_the_glossary_with_their_chapter(path):
    known = entries()
    terms = {singular(one) for one in introduced(markdown(path))}
    assert sorted(one for one in terms if one not in known) == []
    assert sorted(one for one in terms if place(path) not in known[one]) == []


def test_a_term_is_introduced_on_one_page():
    pages = defaultdict(set)
    for path in NOTEBOOKS:
        for one in introduced(markdown(path)):
            pages[singular(one)].add(path.stem)
    several = {one: found for one, found in pages.items() if len(found) > 1}
    assert several == TWICE


def homes(pages):
    """Return for each term the first page, in the order of reading, that introduces it."""
    found = {}
    for path in pages:
        for one in introduced(markdown(path)):
            found.setdefault(singular(one), path)
    return found


def numbered(home):
    """Return what names a chapter: "chapter 6" or "stage 6", and "part 2" for one of its parts."""
    parts = [path for path in CHAPTERS if path.stem[:2] == home.stem[:2]]
    part = f"|part {parts.index(home) + 1}" if len(parts) > 1 else ""
    number = home.stem[1:2]
    return re.compile(
        rf"(?:(?:chapter|stage)s? (?:\d (?:and|to) )?{number}{part})\b", re.IGNORECASE
    )


def too_early(term, text, home):
    """List the sentences of a page that use a term and do not name the chapter that explains it."""
    used = re.compile(rf"(?<![\w-]){re.escape(term)}(?:s|es)?(?![\w-])", re.IGNORECASE)
    told = numbered(home)
    return [one for one in SENTENCE.split(text) if used.search(one) and not told.search(one)]


def test_no_term_is_used_on_a_page_before_the_one_that_introduces_it():
    early = {}
    for term, home in homes(CHAPTERS).items():
        for path in CHAPTERS[: CHAPTERS.index(home)] if term not in EVERYDAY | EARLY else []:
            early |= {(term, path.stem): too_early(term, plain(markdown(path)), home)}
    assert {place: found for place, found in early.items() if found} == {}
    (home,) = (path for path in CHAPTERS if path.stem == "06_ddp")
    told = "It has ranks. Ranks are in chapter 1. See ranks in chapter 6."
    assert too_early("rank", told, home) == ["It has ranks.", "Ranks are in chapter 1."]


def test_the_glossary_is_sorted_and_each_entry_names_a_place():
    known = entries()
    order = [one.replace("-", " ") for one in known]
    assert order == sorted(order)
    pages = {place(path) for path in NOTEBOOKS}
    assert {one: found for one, found in known.items() if not found or not found <= pages} == {}


def test_what_is_bold_and_no_term_is_told_apart():
    text = "**The row.** A **stride** is bold; **what is said in a whole sentence** is not one.\n"
    assert introduced(text + "**1.** `2**x` **row**\n```\n**y**\n```") == ["stride", "row"]
