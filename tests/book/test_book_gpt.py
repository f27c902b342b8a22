"""The trained GPT of chapter 7: its weights, what its heads look at, and what the page computes.

Node runs the page's arithmetic, beside norch. In the built page a browser plays with it.
"""

import json
import os
from base64 import b64decode, b64encode
from pathlib import Path

import pytest
from lessons.gpt import heads, model as trained, shown, train
from notebooks import BOOK
from test_book_arithmetic import in_javascript, needs_node
from test_book_demos import CHAPTERS, Demo

import norch
from norch.nn import functional as F

TEXT = Path(os.environ.get("NORCH_DATA", "."), "tinyshakespeare", "input.txt.gz")
wants_text = pytest.mark.skipif(
    not TEXT.is_file(), reason="no tiny Shakespeare: set NORCH_DATA to the folder of your data"
)
SCRIPT = "gpt.js"
SENTENCES = ["O", "ROMEO:\nWhat light is this?", "to be, or not to be", "x" * 64, "\n\nKING!\n"]


@pytest.fixture(scope="module")
def gpt():
    """Return the committed GPT."""
    return trained.load()


# ---- The file ------------------------------------------------------------------------------------


def test_the_file_is_small():
    assert trained.WEIGHTS.stat().st_size <= 300_000


def test_its_loss_on_the_sample_is_the_recorded_one(gpt):
    assert train.sample_loss(gpt) == pytest.approx(float(gpt.told["sample_loss"]), abs=2e-3)


def test_loading_leaves_the_readers_random_numbers(capsys):
    norch.manual_seed(5)
    wanted = norch.rand(4).tolist()
    norch.manual_seed(5)
    trained.load()
    assert norch.rand(4).tolist() == wanted and capsys.readouterr().out == ""


@wants_text
def test_its_loss_is_the_recorded_one(gpt):
    learned, aside = train.split(train.shakespeare())
    assert "".join(learned.letters) == gpt.letters
    assert aside.decode(aside.numbers[: train.SAMPLE]) == gpt.told["sample"]
    assert train.held_out_loss(gpt.model, aside) == pytest.approx(float(gpt.told["loss"]), abs=2e-3)


@pytest.mark.slow
@wants_text
def test_training_again_learns_and_rounding_costs_little(gpt, tmp_path):
    learned, aside = train.split(train.shakespeare())
    first = train.held_out_loss(train.train(learned, 1), aside)
    model = train.train(learned, train.EARLY)
    loss = train.held_out_loss(model, aside)
    assert first > 4 and loss == pytest.approx(float(gpt.told["early_loss"]), abs=0.05)
    trained.save(model, tmp_path / "weights", letters="".join(learned.letters))
    rounded = train.held_out_loss(trained.load(tmp_path / "weights").model, aside)
    assert rounded == pytest.approx(loss, abs=0.02)


# ---- The heads -----------------------------------------------------------------------------------


@norch.no_grad()
def test_the_weights_are_those_that_the_chapters_attention_uses(gpt):
    attention = gpt.model.blocks[1].attention
    x = norch.randn(1, 9, trained.WIDTH)
    q, k, v = attention.qkv(x).view(1, 9, 3, trained.HEADS, -1).permute(2, 0, 3, 1, 4).unbind(0)
    mixed = heads.of_attention(attention, x) @ v[0]
    wanted = F.scaled_dot_product_attention(q, k, v, is_causal=True)[0]
    assert norch.allclose(mixed, wanted, atol=1e-5)


def test_places_are_marked_as_their_names_say():
    text = "to be,\nto"
    found = {
        place: [[j for j in range(i + 1) if mark(text, i, j)] for i in range(len(text))]
        for place, mark in heads.PLACES.items()
    }
    assert found["itself"] == [[i] for i in range(len(text))]
    assert found["the one before"] == [[], *([i] for i in range(len(text) - 1))]
    assert found["two before"][2:] == [[i] for i in range(len(text) - 2)]
    assert found["start of the word"] == [[], [0], [], [], [3], [], [], [], [7]]
    assert found["before the word"] == [[], [], [], [2], [2], [], [], [6], [6]]
    assert found["same letter"] == [[], [], [], [], [], [], [], [0], [1]]
    assert found["behind the same letter"] == [[], [], [], [], [], [], [], [1], [2]]
    assert found["ends of lines"] == [[], [], [], [], [], [], [], [6], [6]]


def test_shares_add_weights_up():
    even = norch.ones(3, 3).tril() / norch.tensor([[1.0], [2.0], [3.0]])
    found = heads.shares(even[None, None, None], ["aba"])
    for place in ("itself", "the one before", "two before", "start of the word", "same letter"):
        assert found[place].of_heads.item() == pytest.approx(found[place].even)
    assert found["the one before"][1] == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert found["same letter"][1] == pytest.approx(1 / 3)


def test_a_page_begins_with_the_head_that_is_given():
    drawing = shown.triangles("ab", [[[[1.0], [0.5, 0.5]]]], [shown.Head(1, 1, "itself")])
    given = shown.GPTHeads(drawing, [["</script>"]], "ab", shown.Head(3, 4, "ends of lines"))
    data = given._repr_html_().split(">", 2)[2].split("</script>")[0]
    assert json.loads(data)["chosen"] == [2, 3] and json.loads(data)["heads"] == [["</script>"]]


# ---- What the page computes ----------------------------------------------------------------------


def in_script(expression):
    """Evaluate an expression that sees the page's functions as `x` and the weights as `text`."""
    path = json.dumps(str(trained.WEIGHTS))
    text = f"require('fs').readFileSync({path}, 'base64')"
    return in_javascript(f"((text) => {expression})({text})", SCRIPT)


@needs_node
@norch.no_grad()
def test_the_page_computes_what_norch_computes(gpt):
    work = f"((g) => {json.dumps(SENTENCES)}.map((s) => x.forward(g, x.encode(g, [...s]))))"
    for sentence, found in zip(SENTENCES, in_script(f"{work}(x.read(text))"), strict=True):
        tokens = gpt.encode(sentence)
        scores, weights = gpt.model(tokens)[0], heads.weights(gpt.model, tokens)
        assert norch.allclose(norch.tensor(found["scores"]), scores, atol=1e-3)
        for layer, theirs in zip(weights.tolist(), found["weights"], strict=True):
            for head, their in zip(layer, theirs, strict=True):
                for i, (row, got) in enumerate(zip(head, their, strict=True)):
                    assert got == pytest.approx(row[: i + 1], abs=1e-4)


@needs_node
def test_gelu_is_norchs():
    numbers = [-6, -2, -0.75, -0.01, 0, 0.3, 1, 5]
    found = in_javascript(f"x.gelu({numbers})", SCRIPT)
    assert found == pytest.approx(F.gelu(norch.tensor(numbers)).tolist(), abs=1e-5)


@needs_node
def test_it_sees_the_last_letters_that_it_knows():
    found = in_script("x.seen(x.read(text), 'né' + 'ab'.repeat(40) + '7')")
    assert "".join(found["letters"]) == "ab" * 32 and found["unknown"] == ["é", "7"]


@needs_node
def test_a_draw_is_the_softmaxs():
    scores = [2.0, 0.0, -1.0]
    for temperature in (0.5, 1, 2):
        chances = (norch.tensor(scores) / temperature).softmax(0).tolist()
        numbers = [(k + 0.5) / 1000 for k in range(1000)]
        found = in_javascript(f"{numbers}.map((u) => x.draw({scores}, {temperature}, u))", SCRIPT)
        for k, chance in enumerate(chances):
            assert found.count(k) / 1000 == pytest.approx(chance, abs=2e-3)


@needs_node
def test_the_numbers_are_fair_and_the_same_for_the_same_seed():
    drawn = "((next) => Array.from({length: 4000}, next))(x.generator(SEED))"
    one, same, other = (
        in_javascript(drawn.replace("SEED", seed), SCRIPT) for seed in ("1", "1", "2")
    )
    assert one == same and one[0] != other[0]
    for found in (one, other):
        assert all(0 <= number < 1 for number in found)
        assert sum(found) / 4000 == pytest.approx(0.5, abs=0.03)
        assert sum(number < 0.1 for number in found) / 4000 == pytest.approx(0.1, abs=0.03)


# ---- In the page ---------------------------------------------------------------------------------

needs_book = pytest.mark.skipif(not CHAPTERS.exists(), reason="the book is not built: make book")
LOADED = "!!document.querySelector('gpt-heads .panel')"


def loaded(page, width=1280):
    """Return the heads with the model in them, started by keyboard."""
    demo = Demo(page, "gpt-heads", width)
    demo.tab_to("Load the model")
    page.press("Enter")
    page.until(LOADED, 60)
    return demo


@needs_book
def test_the_page_gets_the_file_as_a_script():
    script = (CHAPTERS.parent / "_static" / "gpt_weights.js").read_text(encoding="utf-8")
    before, text, after = script.split('"')
    assert (before, after) == ("window.norchGPTWeights = ", ";\n")
    assert b64decode(text) == trained.WEIGHTS.read_bytes()


@needs_book
def test_nothing_is_loaded_before_a_reader_asks(page):
    demo = Demo(page, "gpt-heads")
    assert not any("gpt_weights" in one for one in page.asked())
    assert "nothing of the model is loaded" in demo.says() and demo.count("svg") == 1
    demo.tab_to("Load the model")
    page.press("Enter")
    page.until(LOADED, 60)
    assert sum("gpt_weights" in one for one in page.asked()) == 1 and page.complaints() == []


@needs_book
def test_the_heads_work_by_keyboard(page):
    demo = loaded(page)
    assert page.run("document.activeElement.tagName") == "TEXTAREA"
    demo.write("to be, or not to be é")
    unknown = "document.querySelector('gpt-heads .unknown').textContent"
    page.until(f"{unknown} !== ''")  # it waits until the keys rest
    assert "none of it: “é”" in page.run(unknown)
    assert demo.count(".letters button") == 20
    assert "character 20, a space" in demo.says()
    demo.tab_to("layer")
    page.press("ArrowRight")
    chosen = "[...document.querySelectorAll('gpt-heads [type=radio]')].findIndex((r) => r.checked)"
    number = page.run(chosen)
    assert demo.says().startswith(f"Layer {number // 4 + 1}, head {number % 4 + 1}: ")
    demo.tab_to("character 20")
    page.press("Home", "ArrowRight")
    assert "character 2, “o”" in demo.says()
    assert "character 2, “o”" in page.run("document.querySelector('gpt-heads h3').textContent")
    assert page.complaints() == []


@needs_book
def test_it_writes_on_the_same_for_the_same_seed_and_stops(page):
    demo = loaded(page)
    text = "document.querySelector('gpt-heads textarea').value"
    texts = []
    for _ in range(2):
        page.run("document.querySelector('gpt-heads textarea').focus()")
        demo.write("ROMEO:\n")
        demo.tab_to("Write on")
        page.press("Enter")
        page.until(f"{text}.length >= 7 + 20", 60)
        assert page.run("document.activeElement.textContent") == "Stop"
        page.press("Enter")
        page.until("document.activeElement.textContent === 'Write on'", 60)
        texts.append(page.run(text))
        assert demo.says().startswith(f"It wrote {len(texts[-1]) - 7} characters.")
    both = min(map(len, texts))
    assert both >= 27 and texts[0][:both] == texts[1][:both] and page.complaints() == []


@needs_book
def test_on_paper_the_drawing_is_seen(page):
    loaded(page)
    page.call("Emulation.setEmulatedMedia", media="print")
    page.settle()
    heights = page.run(
        """[...document.querySelectorAll("gpt-heads > :is(svg, .panel)")]
          .map((one) => one.getBoundingClientRect().height)"""
    )
    assert heights[0] > 0 and heights[1] == 0


@needs_book
def test_on_a_phone_nothing_is_too_wide_or_too_small(page):
    loaded(page, width=375)
    found = page.run(
        """[...document.querySelectorAll("gpt-heads :is(button, input, textarea)")]
          .map((one) => one.getBoundingClientRect())
          .filter((box) => box.width < 24 || box.height < 24 || box.right > 375).length"""
    )
    assert found == 0


# ---- In a page of their own: no book is built ----------------------------------------------------

STATIC = BOOK / "_static"
LOADS = f'window.norchGPTWeights = "{b64encode(trained.WEIGHTS.read_bytes()).decode()}";\n'
FILES = ("norch.css", "gpt_heads.css", "controls.js", "gpt.js", "gpt_heads.js")
ROOT = "document.querySelector('gpt-heads')"


@pytest.fixture
def alone(page, tmp_path):
    """Return a tab with the heads in a page of their own."""
    head = ""
    for name in FILES:
        (tmp_path / name).write_bytes((STATIC / name).read_bytes())
        is_style = name.endswith("css")
        head += f'<link rel="stylesheet" href="{name}">' if is_style else ""
        head += "" if is_style else f'<script src="{name}"></script>'
    (tmp_path / "gpt_weights.js").write_text(LOADS, encoding="utf-8")
    drawing = shown.triangles("ab", [[[[1.0], [0.5, 0.5]]]], [shown.Head(1, 1, "itself")])
    names = [["a habit"] * trained.HEADS] * trained.LAYERS
    body = shown.GPTHeads(drawing, names, "to be", shown.Head(3, 4, "ends of lines"))._repr_html_()
    path = tmp_path / "alone.html"
    path.write_text(f"<!doctype html><meta charset=utf-8>{head}{body}", encoding="utf-8")
    page.show(path)
    return page


def start(page):
    """Load the model."""
    page.run(f"{ROOT}.querySelector('button').click()")
    page.until(f"!!{ROOT}.querySelector('.panel')", 60)


def test_it_begins_with_the_head_that_was_drawn(alone):
    start(alone)
    assert alone.run(f"{ROOT}.say.textContent").startswith("Layer 3, head 4: ")
    radios = f"[...{ROOT}.querySelectorAll('[type=radio]')].map((one) => one.checked)"
    assert alone.run(radios) == [False] * 11 + [True] and alone.complaints() == []


def test_weights_that_are_missing_are_said_to_be(alone, tmp_path):
    (tmp_path / "gpt_weights.js").unlink()
    alone.run(f"{ROOT}.querySelector('button').click()")
    alone.until(f"{ROOT}.say.textContent.includes('could not')")
    assert alone.run(f"{ROOT}.say.textContent").endswith("could not be loaded.")
    (tmp_path / "gpt_weights.js").write_text(LOADS, encoding="utf-8")
    start(alone)
    assert alone.run(f"{ROOT}.letters.join('')") == "to be"


def test_a_fault_is_not_called_missing_weights(alone, tmp_path):
    (tmp_path / "gpt_weights.js").write_text('window.norchGPTWeights = "";', encoding="utf-8")
    alone.run(f"{ROOT}.querySelector('button').click()")
    alone.until(f"!{ROOT}.startButton.disabled")
    assert "could not" not in alone.run(f"{ROOT}.say.textContent") and alone.complaints() != []


def test_what_is_typed_is_computed_once_the_keys_rest(alone):
    start(alone)
    alone.run(
        f"{ROOT}.calls = 0; const real = norchGPT.forward; "
        f"norchGPT.forward = (...given) => ({ROOT}.calls++, real(...given)); 0"
    )
    for text in ("to be, ", "to be, or"):
        alone.run(f"{ROOT}.text.value = '{text}'; {ROOT}.text.dispatchEvent(new Event('input')); 0")
    alone.until(f"{ROOT}.calls > 0")
    assert alone.run(f"[{ROOT}.calls, {ROOT}.letters.join('')]") == [1, "to be, or"]


def test_a_seed_that_is_none_changes_nothing(alone):
    start(alone)
    seed = f"{ROOT}.querySelector('[type=number]')"
    for text, wanted in (("7", 7), ("", 7), ("-3", 7), ("1.5", 7), ("100000", 7), ("8", 8)):
        alone.run(f"{seed}.value = '{text}'; {seed}.dispatchEvent(new Event('input')); 0")
        assert alone.run(f"{ROOT}.seed") == wanted


def test_arrows_while_it_writes_without_motion_do_no_harm(alone):
    calm = [{"name": "prefers-reduced-motion", "value": "reduce"}]
    alone.call("Emulation.setEmulatedMedia", features=calm)
    start(alone)
    alone.run(f"{ROOT}.write(); 0")
    alone.until(f"{ROOT}.letters.length > 8")
    alone.run(f"{ROOT}.row.children[0].focus(); 0")
    alone.press("End", "ArrowRight")
    alone.run(f"{ROOT}.stop()")
    alone.until(f"!{ROOT}.text.readOnly")
    assert alone.run(f"{ROOT}.row.children.length === {ROOT}.letters.length")
    assert alone.complaints() == []


def test_a_fault_while_it_writes_leaves_the_field_open(alone):
    start(alone)
    failed = "norchGPT.draw = () => { throw new Error('no draw'); };"
    assert alone.run(f"{failed} {ROOT}.write().catch((error) => error.message)") == "no draw"
    assert alone.run(f"[{ROOT}.text.readOnly, {ROOT}.writeButton.textContent]") == [
        False,
        "Write on",
    ]


def test_the_pictures_are_in_the_ink_of_the_page(alone):
    start(alone)
    ink = f"""(() => {{
      const {{ data, width }} = {ROOT}.canvas.getContext("2d").getImageData(0, 0, 5, 5);
      const most = Math.max(...Array.from({{ length: 25 }}, (_, k) => data[4 * k + 3]));
      const at = Array.from(data.keys()).find((k) => k % 4 === 3 && data[k] === most);
      const found = [...data.slice(at - 3, at)];
      const wanted = getComputedStyle({ROOT}.canvas).color.match(/\\d+/g).map(Number);
      return found.map((one, k) => Math.abs(one - wanted[k]));
    }})()"""
    for theme in ("light", "dark"):
        alone.run(f"document.documentElement.dataset.theme = '{theme}'; 0")
        alone.settle()
        assert max(alone.run(ink)) <= 3  # stored by its share of alpha, and rounded so
