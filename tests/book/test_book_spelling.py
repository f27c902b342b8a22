"""Every word of the book is in a dictionary or in the project's own list, `book/words.txt`.

Looked at are the pages, the docstrings that the library's page shows (they may also name arguments
and functions), and what the exercises say.
The dictionary is American; the book is British, so a word also counts in its American spelling.
"""

import re

import pytest
from prose import BOOK, PAGES, docstrings, exercises, markdown, names_in_code, plain
from spellchecker import SpellChecker

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
    """List the words of a text in small letters, without those of one or two letters."""
    text = re.sub(r"``?[^`]*``?", " ", text)
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
