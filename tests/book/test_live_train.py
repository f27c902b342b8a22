"""The page that trains a network: examples/mnist.py in a browser, with answers kept in it.

A Chromium opens the built page as a double click does. It trains on a slice of the digits, and what
it tells is compared with the same example run here.
"""

import gzip
import hashlib
import http.client
import io
import json
import sys
import time
from pathlib import Path

import fetch_mnist
import firefox
import pytest

from norch_course.catalog import load
from norch_course.holes import find_hole

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "book" / "_build" / "html" / "train.html"
LIVE = PAGE.parent / "_static" / "live"
LOOKS = (Path(__file__).parent / "looks.js").read_text(encoding="utf-8") + "; looks()"
IMAGES = 512  # of the training set, and as many of the test set
LONGEST = 600  # seconds after which a page that says nothing is given up
ROOM = "document.querySelector('.network-trainer')"
IS_READY = f"{ROOM}.dataset.state === 'ready'"

needs_page = [
    pytest.mark.skipif(not PAGE.exists(), reason="the book is not built: make book"),
    pytest.mark.skipif(
        PAGE.exists() and not (LIVE / "library.js").exists(),
        reason="the book has no compiled stages: make book, with the toolchain in reach",
    ),
]


class Trainer:
    """The page, and what a reader does in it."""

    def __init__(self, page, answers=None, width=1280):
        self.page = page
        page.show(PAGE, width)
        page.run("localStorage.clear()")
        for id, body in (answers or {}).items():  # texts that have passed a check
            page.run(f"norchLive.store.pass({json.dumps(id)}, {json.dumps(body)})")
        page.show(PAGE, width)
        page.run(f"norchLive.images = {IMAGES}")

    def wait(self, condition):
        """Wait until a condition holds in the page."""
        ends = time.monotonic() + LONGEST
        while not self.page.run(condition):
            assert time.monotonic() < ends, self.text()
            time.sleep(0.05)

    def text(self, inside=""):
        """Return what the page shows, of all the trainer or of a part of it."""
        return self.page.run(f"(document.querySelector('.network-trainer {inside}')).innerText")

    def start(self, epochs=2, model="mlp"):
        """Press Train."""
        self.page.run(
            f"""(() => {{
              {ROOM}.querySelector("select").value = {json.dumps(model)};
              {ROOM}.querySelector("[type=number]").value = {epochs};
              {ROOM}.querySelector(".start").click();
            }})()"""
        )

    def train(self, **chosen):
        """Train to the end; return what the page says then."""
        self.start(**chosen)
        self.wait(IS_READY)
        return self.text(".say")

    def stop(self):
        """Press Stop."""
        self.page.run(f"{ROOM}.querySelector('.start + button').click()")

    def lines(self):
        """Count the lines of the loss."""
        return self.page.run(f"{ROOM}.querySelectorAll('.losses polyline').length")


@pytest.fixture(scope="module")
def mnist():
    """Lend the example as a module."""
    sys.path.append(str(ROOT / "examples"))
    import mnist

    yield mnist
    sys.path.remove(str(ROOT / "examples"))
    del sys.modules["mnist"]


def taught_here(mnist, model, epochs, tmp_path, monkeypatch, folder):
    """Train as the page does, in this process; return losses and test accuracy."""
    words = ["--model", model, "--epochs", str(epochs), "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["mnist.py", *words])
    parser, args = mnist.parse_arguments()
    mnist.norch.manual_seed(args.seed)
    network = mnist.MODELS[model]()
    parts = mnist.datasets.MNIST.splits(folder, download=False)
    for part in parts:
        part.data, part.targets = part.data[:IMAGES], part.targets[:IMAGES]
    return mnist.learn(network, *parts, args, parser)


def reference(id, more=""):
    """Return the right answer to an exercise, with a line more at its beginning."""
    one = load(ROOT).find(id)
    body = find_hole(one.reference, one.suffix, id).body
    indent = body[: len(body) - len(body.lstrip())]
    return f"{indent}{more}\n{body}" if more else body


class TestPage:
    """What the page does."""

    pytestmark = needs_page

    @pytest.mark.parametrize("model", ["mlp", "cnn"])
    def test_it_computes_what_the_example_computes(self, page, mnist, model, tmp_path, monkeypatch):
        trainer = Trainer(page)
        assert "the library's own lines train" in trainer.text()
        said = trainer.train(model=model)
        folder = ROOT / "build" / "book" / "mnist"
        found = folder if folder.is_dir() else None
        if found is None:
            monkeypatch.delenv("NORCH_DATA", raising=False)
            monkeypatch.setenv("NORCH_CACHE", str(tmp_path))
        history, accuracy = taught_here(mnist, model, 2, tmp_path, monkeypatch, found)
        shown = [line.split() for line in trainer.text(".log").splitlines() if "images/s" in line]
        losses = [float(words[3].rstrip(",")) for words in shown]
        assert losses == pytest.approx([one["loss"] for one in history], abs=2e-3)
        assert float(said.split()[2]) == pytest.approx(100 * accuracy, abs=1)
        assert said.startswith("test accuracy: ") and trainer.lines() == 2
        assert page.run(f"{ROOM}.querySelectorAll('.results .norch-figure svg').length") == 1
        assert page.complaints() == []

    def test_it_trains_without_mnist_and_says_so(self, page):
        trainer = Trainer(page)
        page.run("delete norchLive.packs.mnist; 0")
        assert trainer.train(epochs=1).startswith("test accuracy: ")
        assert "MNIST is not here" in trainer.text(".log")
        assert page.complaints() == []

    def test_the_network_reads_what_one_draws(self, page):
        trainer = Trainer(page)
        trainer.train()
        page.run(f"{ROOM}.querySelector('.pad').focus()")
        page.press("Space", *["ArrowDown"] * 12)
        best = f"{ROOM}.querySelector('.best th')?.textContent"
        say = f"{ROOM}.querySelector('.result .say').textContent"
        trainer.wait(f"{say}.startsWith(`The network reads ${{{best}}} (`)")
        page.press("Delete")
        trainer.wait(f"{say}.startsWith('Draw a digit here') && {best} === undefined")

    def test_answers_kept_in_the_browser_train(self, page):
        answers = {"4.4": reference("4.4", "print('my lines train')"), "2.2": "int x;\n"}
        trainer = Trainer(page, answers)
        assert "with my 2 answers: 2.2, 4.4" in trainer.text()
        assert trainer.train(epochs=1).startswith("test accuracy: ")
        log = trainer.text(".log").splitlines()
        assert log.count("my lines train") == IMAGES // 128  # one for each batch
        title = load(ROOT).find("4.4").title
        said = trainer.text(".ran")
        assert said.startswith(f"Your lines that ran: 4.4 {title} (")
        assert said.count("lines)") == 1 and "Left out: 2.2 (C++" in said

    def test_an_answer_that_fails_is_named(self, page):
        trainer = Trainer(page, {"4.4": reference("4.4", "raise ValueError('mine')")})
        said = trainer.train(epochs=1)
        assert said.startswith("it failed: ValueError: mine") and "(4.4)" in said
        page.run(f"{ROOM}.querySelector('[type=checkbox]').click()")
        assert trainer.train(epochs=1).startswith("test accuracy: ")

    def test_training_can_be_stopped_and_begun_again(self, page):
        trainer = Trainer(page)
        trainer.start(epochs=100)
        trainer.wait(f"{ROOM}.querySelectorAll('.losses polyline').length > 0")
        trainer.stop()
        assert page.run(IS_READY) and trainer.text(".say").startswith("stopped")
        assert trainer.train(epochs=1).startswith("test accuracy: ")

    def test_without_mnist_norchs_own_digits_train(self, page):
        trainer = Trainer(page)
        page.run("delete norchLive.packs.mnist")
        page.run(
            f"new MutationObserver(() => (window.saw ??= []).push({ROOM}.querySelector('.say')"
            f".textContent)).observe({ROOM}, {{ childList: true, subtree: true }})"
        )
        trainer.train(epochs=1)
        said = page.run("saw.filter((one) => one.startsWith('training on'))[0]")
        assert said.startswith(f"training on {IMAGES} small digits that norch carries")
        assert not [one for one in page.asked() if "mnist.js" in one]

    @pytest.mark.slow
    def test_firefox_trains_too(self, tmp_path):
        program = firefox.program()
        if not program:
            pytest.skip("no Firefox is installed: it shows the page too")
        with firefox.Firefox(program, tmp_path) as fox, fox.page() as page:
            trainer = Trainer(page, {"4.4": reference("4.4", "print('my lines train')")})
            assert trainer.train(epochs=1).startswith("test accuracy: ")
            assert trainer.text(".log").count("my lines train") == IMAGES // 128
            assert page.complaints() == []

    @pytest.mark.parametrize("theme", ["light", "dark"])
    @pytest.mark.parametrize("width", [1280, 390])
    def test_it_can_be_read_when_it_is_done(self, page, theme, width):
        trainer = Trainer(page, width=width)
        trainer.train(epochs=1)
        page.prefer(theme)
        page.until(f"document.documentElement.dataset.theme === '{theme}'")
        page.settle()
        found = page.run(LOOKS)
        kinds = ("faint", "small", "cut", "empty")
        assert [one for kind in kinds for one in found[kind]] == [] and found["width"] <= width

    def test_nothing_large_is_loaded_before_the_training(self, page):
        Trainer(page)
        large = ("runtime", "course", "tensors", "library", "book", "mnist")
        asked = {one.partition("?")[0].partition("/live/")[2] for one in page.asked()}
        assert "train.js" in asked and not {f"{name}.js" for name in large} & asked


def test_what_is_broken_is_passed_over(tmp_path, monkeypatch):
    """A file that ends early or is none, and a mirror that answers with nonsense or not at all."""
    name, whole = "train-images-idx3-ubyte", gzip.compress(b"digits" * 50)
    broken = {"short": whole[:-12], "flipped": whole[:12] + b"\xff" * 20 + whole[32:], "none": b"x"}
    for folder, data in {**broken, "good": whole}.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{name}.gz").write_bytes(data)
    monkeypatch.setattr(
        fetch_mnist, "places", lambda: [tmp_path / one for one in (*broken, "good")]
    )
    monkeypatch.setattr(fetch_mnist, "told", {"MIRRORS": ()}.get)
    wanted = hashlib.sha256(b"digits" * 50).hexdigest()
    assert gzip.decompress(fetch_mnist.fetched(name, wanted)) == b"digits" * 50

    def opened(address, timeout):
        if "first" in address:
            raise http.client.RemoteDisconnected
        return io.BytesIO(b"<html>" if "second" in address else whole)

    monkeypatch.setattr(fetch_mnist, "places", list)
    monkeypatch.setattr(fetch_mnist, "told", {"MIRRORS": ("first/", "second/", "third/")}.get)
    monkeypatch.setattr(fetch_mnist.urllib.request, "urlopen", opened)
    assert gzip.decompress(fetch_mnist.fetched(name, wanted)) == b"digits" * 50


def test_a_constant_that_is_gone_is_named():
    with pytest.raises(LookupError, match="no constant ADDRESSES"):
        fetch_mnist.told("ADDRESSES")


def test_the_four_files_are_kept_or_none(tmp_path, monkeypatch):
    source, kept = tmp_path / "source", tmp_path / "kept"
    source.mkdir()
    hashes = {
        name: hashlib.sha256(name.encode()).hexdigest() for name in fetch_mnist.told("SHA256")
    }
    told = {"SHA256": hashes, "MIRRORS": ()}
    monkeypatch.setattr(fetch_mnist, "told", told.get)
    monkeypatch.setattr(fetch_mnist, "places", lambda: [source])
    for name in hashes:
        (source / name).write_bytes(name.encode())
    fetch_mnist.main(kept)
    assert sorted(one.name for one in kept.iterdir()) == sorted(f"{name}.gz" for name in hashes)
    (source / min(hashes)).unlink()
    (kept / f"{min(hashes)}.gz").unlink()
    fetch_mnist.main(kept)
    assert not kept.exists()
