"""A reader's answers: kept, marked when they pass, taken away as a folder, and brought back.

What is taken away is judged by the course as `make check` would judge it in a clone.
"""

import base64
import io
import json
import shutil
import time
import zipfile

import live_page
import pytest
from live_page import PAGE, ROOT, Live, box, nothing_outside

from norch_course import grading
from norch_course.catalog import load
from norch_course.holes import find_hole
from norch_course.workbook import answer_to, stub_text

pytestmark = live_page.NEEDED
BROUGHT = "document.querySelector('.live-brought').innerText"
COUNT = "document.querySelector('.live-count').textContent"
# Catch what the page gives to the browser to save.
CATCH = """(() => {
  const { createObjectURL } = URL;
  URL.createObjectURL = (one) => {
    if (one.type === "application/zip") window.caught = one;
    return createObjectURL(one);
  };
})()"""
CAUGHT = """caught.arrayBuffer().then((one) => btoa(String.fromCharCode(...new Uint8Array(one))))"""
FILES = """(() => {{
  const files = new DataTransfer();
  for (const [name, text] of {files})
    files.items.add(new File([Uint8Array.from(atob(text), (one) => one.charCodeAt(0))], name));
  {then}
}})()"""
CHOOSE = """const field = document.querySelector("input[type=file][accept]");
  field.files = files.files;
  field.dispatchEvent(new Event("change"));"""
DROP = """document.body.dispatchEvent(
    new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));"""


@pytest.fixture(scope="module")
def course():
    """Return the exercises."""
    return load(ROOT)


@pytest.fixture
def live(tab):
    """Return the page in each browser in turn."""
    return Live(tab)


def right(course, id):
    """Return the library's own answer."""
    one = course.find(id)
    return find_hole(one.reference, one.suffix, id).body


def text_of(live, id):
    """Return what stands in the field of an exercise."""
    return live.page.run(f"document.querySelector('{box(id)} textarea').value")


def answer(live, id, text):
    """Write into the field of an exercise."""
    live.write(f"Your answer to exercise {id},", text)


def download(live):
    """Press the button; return the archive."""
    live.page.run(CATCH)
    live.click("Download my answers")
    live.wait(f"{BROUGHT}.startsWith('Unpack')")
    return base64.b64decode(live.page.run(CAUGHT))


def give(live, files, how):
    """Hand files to the page; return what it says of them."""
    spelled = [[name, base64.b64encode(data).decode()] for name, data in files.items()]
    live.page.run(FILES.format(files=json.dumps(spelled), then=how))
    live.wait(f"{BROUGHT} && !{BROUGHT}.startsWith('reading')")
    return live.page.run(BROUGHT)


def zipped(files):
    """Return an archive."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return target.getvalue()


def test_what_passed_is_marked_and_counted(live, course):
    marks = f"document.querySelector('{box('1.1')} .live-mark')"
    passed = f"{marks}.checkVisibility() && {marks}.textContent"
    assert live.page.run(passed) is False
    total = len(course.select("1"))
    counted = f"You have passed {{}} of the {total} exercises of this page."
    assert live.page.run(COUNT) == counted.format(0)
    live.check("1.1", right(course, "1.1"))
    live.check("1.3", "    return 3\n")
    assert live.page.run(passed) == "\u2713 passed" and live.page.run(COUNT) == counted.format(1)
    live.page.show(PAGE)
    assert live.page.run(passed) == "\u2713 passed" and live.page.run(COUNT) == counted.format(1)
    answer(live, "1.1", "    pass\n")
    assert live.page.run(passed) == "\u2713 passed, changed since"
    assert live.page.run("norchLive.store.passed('1.1')") == right(course, "1.1")


def test_answers_go_into_a_clone_and_come_back(live, course, tmp_path):
    texts = {"1.1": right(course, "1.1"), "1.6": right(course, "1.6"), "1.3": "    return 3\n"}
    for id, text in texts.items():
        answer(live, id, text)
    archive = download(live)
    with zipfile.ZipFile(io.BytesIO(archive)) as found:
        found.extractall(tmp_path)
    verdicts = {}
    for one in course.select("1"):
        mine = answer_to(one, tmp_path / one.stub.relative_to(ROOT))
        assert mine.edited_outside is None
        verdicts[one.id] = grading.grade(one, mine, tmp_path / "cache").status
    assert {id: verdicts.pop(id) for id in texts} == {"1.1": "ok", "1.6": "ok", "1.3": "wrong"}
    assert set(verdicts.values()) == {"todo"}
    live = Live(live.page)  # nothing is kept
    said = give(live, {"workbook.zip": archive}, CHOOSE)
    assert said.splitlines()[0].startswith("Brought in: 1.1, 1.3, 1.6.")
    assert {id: text_of(live, id) for id in texts} == texts
    assert give(live, {"workbook.zip": archive}, DROP) == "As they were: 1.1, 1.3, 1.6."
    nothing_outside(live.page)


def test_nothing_that_gives_way_is_lost(live, course):
    stub = text_of(live, "1.1")
    answer(live, "1.1", "    return 'first'\n")
    live.click("Reset exercise 1.1")
    assert text_of(live, "1.1") == stub
    answer(live, "1.1", "    return 'second'\n")
    one = course.find("1.1")
    name = f"workbook/01_strides/{one.stub.name}"
    text = stub_text(one).replace(stub, right(course, "1.1"))
    assert "Brought in: 1.1." in give(live, {"some.zip": zipped({name: text})}, DROP)
    assert text_of(live, "1.1") == right(course, "1.1")
    live.page.show(PAGE)
    met = set()
    for _ in range(3):
        live.click("Bring my text of exercise 1.1 back")
        met.add(text_of(live, "1.1"))
    assert met == {"    return 'first'\n", "    return 'second'\n", right(course, "1.1")}


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"notes.py": b"x = 1"}, "not such a folder: none of its files has the place"),
        ({"a.zip": b"PK no archive"}, "a.zip is no archive that can be read"),
        ({"a.zip": zipped({"stages/01_strides/layout.py": "x"})}, "not such a folder"),
        (
            {"a.zip": zipped({"workbook/01_strides/layout.py": "x = 1\n"})},
            "the line '# ex 1.1 begin' is missing",
        ),
        ({"picture.png": b"x"}, "not such a folder"),
    ],
)
def test_what_is_no_workbook_is_named(page, files, words):
    live = Live(page)
    assert words in give(live, files, DROP)
    assert page.run("Object.keys(localStorage).filter((one) => one.startsWith('norch'))") == []
    nothing_outside(page)


def test_a_folder_is_dropped_as_a_hand_does(page, course, tmp_path):
    """The browser's own drop, of a folder with a deep path; and its own download."""
    live = Live(page)
    one = course.find("1.1")
    text = stub_text(one).replace(text_of(live, "1.1"), right(course, "1.1"))
    folder = tmp_path / "my norch" / "workbook" / "01_strides"
    folder.mkdir(parents=True)
    (folder / one.stub.name).write_text(text, encoding="utf-8")
    drag = {"items": [], "files": [str(tmp_path / "my norch")], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        page.call("Input.dispatchDragEvent", type=kind, x=300, y=300, data=drag)
    live.wait(f"{BROUGHT} && !{BROUGHT}.startsWith('reading')")
    assert page.run(BROUGHT).startswith("Brought in: 1.1.")
    assert text_of(live, "1.1") == right(course, "1.1")
    saved = tmp_path / "saved"
    behaviour = {"behavior": "allow", "downloadPath": str(saved)}
    page.browser.call("Browser.setDownloadBehavior", **behaviour)
    live.click("Download my answers")
    live.wait(f"{BROUGHT}.startsWith('Unpack')")
    until = time.monotonic() + 60
    while not zipfile.is_zipfile(saved / "workbook.zip"):  # it is there before it is whole
        assert time.monotonic() < until, "nothing was saved"
        time.sleep(0.02)
    shutil.unpack_archive(saved / "workbook.zip", saved)
    assert (saved / "workbook" / "01_strides" / one.stub.name).read_text("utf-8") == text


def test_the_first_page_counts_what_passed(tab, course):
    front = PAGE.parents[1] / "intro.html"
    tab.show(front)
    tab.run("localStorage.clear()")
    tab.show(front)
    assert tab.run("document.querySelector('.live-mark')") is None
    tab.run("norchLive.store.pass('1.1', 'x'); norchLive.store.pass('1.6', 'x')")
    tab.show(front)
    total = len(course.select("1"))
    marks = "[...document.querySelectorAll('.live-mark')].map((one) => one.textContent)"
    assert tab.run(marks) == [f"2 of {total} \u2713"]
    assert "1 strides" in tab.run("document.querySelector('.live-mark').parentElement.textContent")
    nothing_outside(tab)
