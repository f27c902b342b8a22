"""The page that replays a block (stage 3), opened in a browser and played with the keyboard.

What it shows is compared with the recorded data; the data itself is tested in stage 3.
"""

from html import escape

import pytest
from notebooks import BOOK
from test_book_looks import looked_at

import norch_cuda

SUM = """
extern "C" __global__ void sum(const T* x, T* out) {
  __shared__ T sums[64];
  T mine = x[threadIdx.x];
  sums[threadIdx.x] = mine;
  for (int half = 32; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) out[0] = sums[0];
}
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Return the page of a sum of 0 to 63 in one block of two warps."""
    ops = norch_cuda.ops_for("cuda-sim")
    x, out = (ops.from_list([float(i) for i in range(64)]) for _ in range(2))
    written = tmp_path_factory.mktemp("stepper") / "sum.html"
    norch_cuda.profile(norch_cuda.load_kernel(SUM, "sum"), 1, 64, x, out).html(written)
    return written


def said(page):
    return page.run("document.getElementById('say').textContent")


def cells(page):
    script = "[...document.querySelectorAll('#memory td')].map((one) => one.textContent)"
    return page.run(script)


def lanes(page, name):
    return page.run(f"document.querySelectorAll('.warp i.{name}').length")


@pytest.mark.parametrize("width", [1280, 390])
def test_it_can_be_read(page, path, width):
    assert looked_at(page, path, width) == []


def test_the_keys_walk_through_the_block(page, path):
    page.show(path)
    assert said(page).startswith("Step 1 of ") and cells(page) == [""] * 64
    page.press("b")
    assert "wait at the barrier" in said(page)
    assert cells(page) == [str(i) for i in range(64)]
    assert lanes(page, "waits") + lanes(page, "now") == 64
    page.press("b")
    assert cells(page)[:32] == [str(2 * i + 32) for i in range(32)]
    page.press("ArrowLeft", "ArrowRight")
    assert cells(page)[:32] == [str(2 * i + 32) for i in range(32)]
    page.press("End")
    assert cells(page)[0] == "2016" and lanes(page, "done") >= 32
    page.press("Home")
    assert cells(page) == [""] * 64
    assert page.complaints() == []


def test_the_buttons_and_the_slider_do_the_same(page, path):
    page.show(path)
    page.run("document.getElementById('end').click()")
    assert cells(page)[0] == "2016"
    page.run("document.getElementById('start').click()")
    page.run("document.getElementById('step').click()")
    assert said(page).startswith("Step 2 of ")
    page.run(
        "(() => { const bar = document.getElementById('place'); bar.value = bar.max; "
        "bar.dispatchEvent(new Event('input')); })()"
    )
    assert cells(page)[0] == "2016"


def test_arrow_keys_in_a_scrolled_part_scroll_it(page, path):
    page.show(path)
    page.run("document.querySelector('.scroll').focus()")
    page.press("ArrowRight")
    assert said(page).startswith("Step 1 of ")


FITS = """(async () => {
  const frame = document.querySelector("iframe");
  const differs = () => frame.contentDocument.body.offsetHeight - frame.clientHeight;
  for (let i = 0; i < 100 && Math.abs(differs()) > 1; i++) {
    await new Promise((drawn) => requestAnimationFrame(drawn));
  }
  return differs();
})()"""


@pytest.mark.parametrize("width", [1280, 390])
def test_a_frame_of_it_is_as_high_as_its_content(page, path, tmp_path, width):
    frame = f'<iframe style="width:100%;height:20px" srcdoc="{escape(path.read_text())}"></iframe>'
    outer = tmp_path / "outer.html"
    outer.write_text(f"<!doctype html><html lang='en'><title>outer</title><body>{frame}")
    page.show(outer, width)
    assert abs(page.run(FITS)) <= 1


@pytest.mark.parametrize("width", [1280, 688, 390])
def test_shared_memory_and_lanes_are_seen_without_scrolling(page, path, width):
    page.show(path, width)
    page.press("End")
    boxes = "[...document.querySelectorAll('#memory .scroll, #warps')]"
    assert page.run(f"{boxes}.every((one) => one.scrollWidth <= one.clientWidth)")
    assert cells(page)[0] == "2016" and len(cells(page)) == 64


def test_a_row_is_as_long_as_the_window_allows(page, path):
    """Also when the window changes, and the end is reached: the columns are counted anew."""
    page.show(path, 1280)
    page.press("End")
    row = "document.querySelector('#memory tr:last-child').children.length - 1"
    size = {"height": 900, "deviceScaleFactor": 1, "mobile": False}
    found = []
    for width in (390, 1280):
        page.call("Emulation.setDeviceMetricsOverride", width=width, **size)
        page.settle()
        found.append(page.run(row))
    assert found[0] < found[1] == 32 and cells(page)[0] == "2016"


def test_shared_memory_has_a_name_and_is_reached(page, path):
    page.show(path)
    box = "document.querySelector('#memory .scroll')"
    names = ("tabindex", "role", "aria-label")
    found = [page.run(f"{box}.getAttribute('{name}')") for name in names]
    assert found == ["0", "region", "Shared memory: sums"]


def test_on_paper_a_frame_in_a_page_has_ended_as_well(page, path, tmp_path):
    script = (BOOK / "_static" / "print.js").read_text("utf-8")
    frame = f'<p><iframe style="width:100%" srcdoc="{escape(path.read_text())}"></iframe></p>'
    outer = tmp_path / "outer.html"
    body = f"<script>{script}</script><body class='bd-article'><section>{frame}</section>"
    outer.write_text(f"<!doctype html><html lang='en'><title>outer</title>{body}")
    page.show(outer)
    page.run("dispatchEvent(new Event('beforeprint'))")
    inside = "document.querySelector('iframe').contentDocument"
    assert page.run(f"{inside}.querySelector('#memory td').textContent") == "2016"
    assert page.run("document.querySelector('.print-note').textContent") != ""
    assert page.complaints() == []


def test_on_paper_the_block_has_ended(page, path):
    page.show(path)
    page.run("dispatchEvent(new Event('beforeprint'))")
    assert cells(page)[0] == "2016"
