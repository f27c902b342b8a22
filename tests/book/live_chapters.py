"""What a browser's tests ask of a page's Python: cells run one after the other, and what each told.

It speaks to the Python of a live page as its own scripts do, and presses no button.
"""

import json

START = "norchLive.python().then((one) => { window.oneForTests = one; return true; })"
ASK = """(async () => {
  const shown = [];
  const { kind, ...found } = await oneForTests.ask(%s, (message) => shown.push(message));
  return { shown, found };
})()"""


def run(page, name: str, cells: list[dict]) -> list[dict]:
    """Run cells in a fresh Python of the page that is open; return what each showed and found."""
    assert page.run(START)
    asked = [json.dumps({"do": "cell", "page": name, **cell}) for cell in cells]
    told = [page.run(ASK % one) for one in asked]
    page.run("oneForTests.end()")
    return told
