"""axe finds nothing serious in any page: light and dark, on a desk and on a phone, parts opened."""

import axe
import pytest
from test_book_looks import PAGES, WIDTHS, needs_book

# What fades in or turns is pale meanwhile.
OPENED = """const still = document.createElement("style");
  still.textContent = "*, ::before, ::after { transition: none !important; " +
    "animation: none !important; }";
  document.head.append(still);
  for (const one of document.querySelectorAll("article details")) one.open = true"""
FOUND = """axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
  violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).flatMap(
    ({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target}`)))"""


@pytest.fixture(scope="session")
def script():
    """Return axe's source."""
    return axe.source()


def serious(page, path, width, script):
    """Return what axe finds serious in a page, in both themes."""
    page.show(path, width, "light")
    page.run(f"{OPENED}; {script}; true")
    found = []
    for theme in ("light", "dark"):
        page.prefer(theme)
        page.until(f"(document.documentElement.dataset.theme ?? '{theme}') === '{theme}'")
        page.settle()
        found += [f"{theme}, {one}" for one in page.run(FOUND)]
    return found


@needs_book
@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_axe_finds_nothing_serious(page, path, width, script):
    assert serious(page, path, width, script) == []


@pytest.mark.slow  # it may have to fetch axe
def test_axe_finds_what_is_planted(page, tmp_path, script):
    path = tmp_path / "page.html"
    path.write_text(
        "<!doctype html><html lang=en data-theme=light><title>x</title><main><h1>x</h1>"
        "<button></button><script>matchMedia('(prefers-color-scheme: dark)').onchange = (event) =>"
        " document.documentElement.dataset.theme = event.matches ? 'dark' : 'light';</script>",
        "utf-8",
    )
    assert serious(page, path, 1280, script) == [
        "light, button-name: button",
        "dark, button-name: button",
    ]
