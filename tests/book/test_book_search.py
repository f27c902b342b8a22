"""The search: names of the library come first, sections with excerpts after them, from one script.

The ranking is asked in node on a small index and on the built book's; what a reader sees is looked
at in Chromium, over http and on pages that were opened as files.
"""

import json
import shutil
import subprocess

import pytest
from prose import BOOK

HTML = BOOK / "_build" / "html"
INDEX = HTML / "_static" / "search_index.js"
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed: it runs the search")
needs_book = pytest.mark.skipif(not INDEX.exists(), reason="the book is not built: make book")
SMALL = {
    "pages": [
        ["library/nn", "norch.nn"],
        ["library/tensors", "norch"],
        ["ch", "A chapter"],
        ["library/functional", "norch.nn.functional"],
    ],
    "names": [
        ["norch", 1, [["conv2d", "Slide a kernel."]]],
        ["norch.nn", 0, [["Conv2d", "Convolve images."], ["LazyConv2d", "Conv2d, later."]]],
        ["norch.nn.functional", 0, [["batch_norm", "Normalize."]]],
    ],
    "sections": [
        [2, "", "A chapter", "It says conv2d in passing."],
        [2, "what", "What FlashAttention is", "In parts, of a matrix."],
        [2, "art", "Another", "Attention is long. A flash is short."],
        [2, "view", "Another shape", "A view moves nothing."],
        [3, "", "norch.nn.functional", "Layers without a memory."],
    ],
}


def in_node(expression, before=""):
    """Return the value of an expression that sees the search as `x`."""
    script = f"{before}; const x = require({json.dumps(str(BOOK / 'search' / 'search.js'))});"
    script += f"console.log(JSON.stringify({expression}))"
    run = subprocess.run([NODE, "-e", script], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def links(query):
    """Return where the results of a query lead in the small index, in their order."""
    return in_node(f"x.search({json.dumps(SMALL)}, {json.dumps(query)}).map((one) => one.href)")


def links_of_the_book(query):
    """Return where the results of a query lead in the built book, in their order."""
    before = f"globalThis.window = {{}}; require({json.dumps(str(INDEX))})"
    found = f"x.search(window.norchSearch, {json.dumps(query)})"
    return in_node(f"{found}.map((one) => one.href)", before)


@needs_node
def test_the_case_of_letters_decides_between_equal_names():
    module, function = "library/nn.html#norch.nn.Conv2d", "library/tensors.html#norch.conv2d"
    assert links("Conv2d")[:2] == [module, function]
    assert links("conv2d")[:2] == [function, module]
    assert links("torch.nn.Conv2d")[0] == links("nn.Conv2d")[0] == module


@needs_node
def test_names_that_only_hold_the_words_come_after_the_chapters():
    assert links("Conv2d")[2:] == ["ch.html", "library/nn.html#norch.nn.LazyConv2d"]


@needs_node
def test_two_words_may_be_one_name():
    assert links("batch norm") == ["library/nn.html#norch.nn.functional.batch_norm"]


@needs_node
def test_a_dotted_query_is_looked_for_by_its_last_part_where_it_is_no_end_of_a_name():
    function = "library/tensors.html#norch.conv2d"
    assert links("F.conv2d")[0] == links("x.conv2d")[0] == function
    assert links("F.batch_norm") == ["library/nn.html#norch.nn.functional.batch_norm"]
    assert links("Tensor.view") == ["ch.html#view"]
    assert links("F.xyzzy") == links("F.") == []


@needs_node
def test_a_module_is_found_on_its_page():
    assert links("nn.functional")[0] == "library/functional.html"
    assert "library/functional.html" in links("functional")


@needs_node
def test_a_section_whose_heading_has_the_words_comes_first():
    assert links("flash attention") == ["ch.html#what", "ch.html#art"]
    assert links("art") == []  # a short word is not looked for inside of chapter and parts
    assert links("in parts") == ["ch.html#what"]
    assert links("xyzzy") == links("  ") == links("(") == []


@needs_node
def test_an_excerpt_shows_the_words_and_what_stands_around_them():
    text = f"{'before ' * 60}the online softmax {'after ' * 60}"
    found = in_node(f"x.excerpt({json.dumps(text)}, ['online', 'softmax'])")
    assert "the online softmax after" in found and len(found) < 320
    assert found.startswith("… before") and found.endswith("after …")


# A query, and where its first result leads in the built book.
FIRST = {
    "Conv2d": "library/nn.html#norch.nn.Conv2d",
    "conv2d": "library/tensors.html#norch.conv2d",
    "norch.nn.functional.conv2d": "library/functional.html#norch.nn.functional.conv2d",
    "DistributedDataParallel": "library/distributed.html#norch.nn.parallel.DistributedDataParallel",
    "Linear": "library/nn.html#norch.nn.Linear",
    "cross entropy": "library/tensors.html#norch.cross_entropy",
    "Adam": "library/optim.html#norch.optim.Adam",
    "softmax": "library/tensors.html#norch.softmax",
    "norch.nn": "library/nn.html#norch-nn",
    "nn.functional": "library/functional.html",
    "norch.nn.functional": "library/functional.html",
    "lr_scheduler": "library/optim.html#norch-optim-lr-scheduler",
    "dist.all_reduce": "library/distributed.html#norch.distributed.all_reduce",
    "F.relu": "library/tensors.html#norch.relu",
}


@needs_node
@needs_book
@pytest.mark.parametrize("query", FIRST)
def test_the_first_result_in_the_book(query):
    assert links_of_the_book(query)[0] == FIRST[query]


@needs_node
@needs_book
def test_a_method_of_a_tensor_is_found_where_the_book_speaks_of_it():
    assert "chapters/01_strides.html#another-shape-view-or-copy" in links_of_the_book("Tensor.view")


@needs_book
def test_the_index_tells_of_each_page_of_the_library_and_not_its_names_twice():
    index = json.loads(INDEX.read_text("utf-8").partition("=")[2].rstrip(";\n"))
    told = [one for one in index["sections"] if index["pages"][one[0]][0].startswith("library/")]
    assert {one[0] for one in told} == {
        number for number, (path, _) in enumerate(index["pages"]) if path.startswith("library/")
    }
    assert max(len(text) for *_, text in told) < 1500  # a few sentences, no docstrings


@needs_node
@needs_book
def test_flash_attention_is_found_in_its_chapter_and_in_the_glossary():
    found = links_of_the_book("flash attention")
    assert found[0].startswith("chapters/07_attention.html#")
    assert links_of_the_book("attention")[0].startswith("chapters/07_attention.html")
    assert "glossary.html#term-FlashAttention" in found


@needs_book
def test_the_index_is_small_and_only_the_search_loads_it():
    assert INDEX.stat().st_size < 700_000
    pages = [*HTML.glob("*.html"), *HTML.glob("chapters/*.html")]
    loading = [one.name for one in pages if "search_index.js" in one.read_text("utf-8")]
    assert loading == ["search.html"]


def shown(page):
    """Return what the page shows: where the first result leads, its excerpt, what is announced."""
    page.until("document.querySelectorAll('#search-results a').length > 0")
    return page.run(
        """(() => { const item = document.querySelector("#search-results li");
          return [item.querySelector("a").getAttribute("href"), item.querySelector("p").textContent,
            document.querySelector(".norch-search [role=status]").textContent]; })()"""
    )


def check(page):
    """A name with its sentence, and words with an excerpt in which they are marked."""
    link, excerpt, status = shown(page)
    assert link == FIRST["Conv2d"] and excerpt.startswith("Convolve images")
    assert status.endswith("results for “Conv2d”")
    page.run("document.querySelector('.norch-search input').select()")
    page.type("flash attention")
    link, excerpt, status = shown(page)
    assert link.startswith("chapters/07_attention.html#") and "ttention" in excerpt
    assert page.run("document.querySelectorAll('#search-results mark').length") > 2
    assert page.complaints() == []


@needs_book
def test_a_reader_of_files_finds_it(page):
    page.show(HTML / "search.html", query="q=Conv2d")
    check(page)
    assert all(one.startswith(("file:", "data:")) for one in page.asked())


@needs_book
def test_a_reader_of_a_host_finds_it(page, site):
    page.allow_network()
    page.browser.events.clear()
    page.call("Page.navigate", url=f"{site}/search.html?q=Conv2d")
    page.until("document.readyState === 'complete' && location.search === '?q=Conv2d'")
    check(page)


@needs_book
def test_a_result_opens_the_name_that_it_leads_to(page):
    page.show(HTML / "search.html", query="q=Conv2d")
    shown(page)
    page.run("document.querySelector('#search-results a').click()")
    page.until("document.querySelectorAll('details.name[open]').length === 1")
    assert page.run("document.querySelector('details.name[open]').id") == "norch.nn.Conv2d"
