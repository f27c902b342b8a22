"""Links that lead out of the book: their form, and PyTorch's paths: those that were looked up.

No network is used. A link is https, to a host of the list below, without blanks; one to PyTorch's
sources names the pinned tag, which stands in `_ext/norch_away.py`.
"""

import re
from urllib.parse import urlsplit

import norch_away
import pytest
from prose import BOOK, CHAPTERS, PAGES, markdown

# Looked at one by one; a new host is a decision.
HOSTS = {
    "arxiv.org",
    "blog.ezyang.com",
    "developer.download.nvidia.com",
    "docs.nvidia.com",
    "docs.pytorch.org",
    "doi.org",
    "github.com",
    "huggingface.co",
    "jmlr.org",
    "proceedings.mlr.press",
}
FORMS = {  # what an address is like, by host
    "arxiv.org": r"/abs/\d{4}\.\d{4,5}",
    "doi.org": r"/10\.\d{4,}/\S+",
    "github.com": r"/[\w.-]+/[\w.-]+(/(blob|tree)/v\d[\w.]*/[\w./-]+)?",
}
LINK = re.compile(r"\]\(\s*(\w+:[^)]*)\)|<(https?:[^>]*)>")
# Works of a reading list that are on no page of the net that we could verify.
WITHOUT = {"MyTorch"}


def without_code(text):
    """Leave out listings and inline code: an address there is somebody's program."""
    return re.sub(r"```.*?```|`[^`]*`", " ", text, flags=re.DOTALL)


def links(text):
    """List the addresses outside of the book that a page links to."""
    return [one or other for one, other in LINK.findall(without_code(text))]


def wrong(address):
    """Say what is wrong with an address, or nothing."""
    if address != address.strip() or re.search(r"\s", address):
        return "a blank"
    parts = urlsplit(address)
    if parts.scheme != "https":
        return "not https"
    if parts.hostname not in HOSTS:
        return "a host nobody has looked at"
    form = FORMS.get(parts.hostname, "/.*")
    return "" if re.fullmatch(form, parts.path) else "an unusual path"


def named(text):
    """List the paths of PyTorch's sources that a page names as code."""
    spans = re.findall(r"(?<!`)`([^`\n]+)`(?!`)", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    return [one for one in spans if norch_away.PATH.fullmatch(one)]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_links_out_are_well_formed(path):
    assert {one: wrong(one) for one in links(markdown(path)) if wrong(one)} == {}


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("https://arxiv.org/abs/1910.02054", ""),
        ("https://arxiv.org/abs/191.02054", "an unusual path"),
        ("http://arxiv.org/abs/1910.02054", "not https"),
        ("https://arxiv.org/abs/1910.02054 ", "a blank"),
        ("https://example.org/", "a host nobody has looked at"),
        ("https://github.com/pytorch/pytorch/blob/main/torch/optim/sgd.py", "an unusual path"),
        ("https://github.com/pytorch/pytorch/blob/v2.13.0/torch/optim/sgd.py", ""),
    ],
)
def test_a_bad_link_is_found(address, said):
    assert wrong(address) == said
    assert links(f"see [this]({address}) and `[that](http://x)`") == [address]


def test_the_paths_of_pytorch_are_those_that_were_looked_up():
    found = {path for page in PAGES for path in named(markdown(page))}
    assert found == set(norch_away.paths())


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_names_the_files_of_pytorch(path):
    table = markdown(path).partition("## What we left out")[2]
    assert len(named(table)) >= 3


def test_a_path_is_shown_at_the_tag():
    base = "https://github.com/pytorch/pytorch"
    assert norch_away.address("torch/optim/") == f"{base}/tree/v2.13.0/torch/optim"
    assert norch_away.address("c10/a.h") == f"{base}/blob/v2.13.0/c10/a.h"
    assert {wrong(norch_away.address(path)) for path in norch_away.paths()} == {""}


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_the_built_page_links_to_each_path(path):
    built = BOOK / "_build" / "html" / "chapters" / f"{path.stem}.html"
    if not built.is_file():
        pytest.skip("the book is not built: make book")
    page = built.read_text(encoding="utf-8")
    there = [norch_away.address(one) for one in named(markdown(path))]
    assert [one for one in there if f'href="{one}"' not in page] == []


def test_every_work_of_the_reading_list_has_a_link():
    text = (BOOK / "reading.md").read_text(encoding="utf-8")
    titles = re.findall(r"(?<!\*)\*(?!\*)([^*]+)\*(?!\*)", text)
    linked = re.findall(r"\[\*([^*]+)\*\]\(", text)
    assert len(titles) > 35 and titles == linked
    rebuilt = text.rpartition("**Others who rebuilt")[2].partition("**")[2]
    bare = re.sub(r"\[[^]]*\]\([^)]*\)|\([^)]*\)", "", rebuilt)
    assert set(re.findall(r"\b[A-Z]\w+", bare)) == WITHOUT
