"""The profile of a backward pass, and the drawing of a graph."""

import xml.etree.ElementTree as xml

import pytest

import norch_autograd as norch
from norch_extras.autograd_tools import draw_graph, profile


def test_the_profile_counts_and_times_every_node():
    x = norch.ones(4, requires_grad=True)
    with profile() as prof:
        for _ in range(3):
            (x.exp() * x).sum().backward()
    rows = {row.key: row for row in prof.key_averages()}
    assert {name: (row.recorded, row.count) for name, row in rows.items()} == {
        "ExpBackward0": (3, 3),
        "MulBackward0": (3, 3),
        "SumBackward0": (3, 3),
    }
    assert all(0 < row.cpu_time <= row.cpu_time_total for row in rows.values())
    assert prof.self_cpu_time_total == sum(row.cpu_time_total for row in rows.values())
    lines = prof.table(sort_by="key").splitlines()
    assert [line.split()[0] for line in lines] == ["node", *sorted(rows)]
    assert len(prof.table(row_limit=1).splitlines()) == 2
    with pytest.raises(ValueError, match="no column 'size'"):
        prof.table(sort_by="size")


def test_nothing_is_measured_outside_the_block():
    x = norch.ones(4, requires_grad=True)
    with profile(enabled=False) as off, profile() as on:
        pass
    x.exp().sum().backward()
    assert (list(off.key_averages()), list(on.key_averages())) == ([], [])


def drawn(picture):
    """The words of the boxes with their rows (y), and the number of arrow heads."""
    root = xml.fromstring(picture)
    ns = "{http://www.w3.org/2000/svg}"
    words = {text.text: float(text.get("y")) for text in root.iter(f"{ns}text")}
    return words, sum(path.get("marker-end") is not None for path in root.iter(f"{ns}path"))


def network():
    w = norch.ones(3, 2, requires_grad=True)
    b = norch.ones(3, requires_grad=True)
    h = norch.linear(norch.ones(4, 2), w, b).tanh()
    return (h * h.exp()).sum(), {"weight": w, "bias": b}


def test_a_drawing_has_every_node_and_names_for_leaves():
    out, names = network()
    words, arrows = drawn(draw_graph(out, names))
    assert set(words) == {
        "weight (3, 2)", "bias (3,)", "LinearBackward0", "TanhBackward0", "ExpBackward0",
        "MulBackward0", "SumBackward0",
    }  # fmt: skip
    assert arrows == 7
    order = ["bias (3,)", "LinearBackward0", "TanhBackward0", "ExpBackward0", "MulBackward0"]
    assert [words[w] for w in order] == sorted(words[w] for w in order)


def test_a_drawing_is_the_same_each_time():
    assert draw_graph(*network()) == draw_graph(*network())


def test_boxes_of_a_drawing_do_not_overlap():
    x = [norch.ones(2, requires_grad=True) for _ in range(5)]
    out = norch.cat([a.exp() * b.sin() for a in x for b in x]).sum()
    boxes = [
        tuple(float(rect.get(k)) for k in ("x", "y", "width", "height"))
        for rect in xml.fromstring(draw_graph(out)).iter("{http://www.w3.org/2000/svg}rect")
    ]
    assert len(boxes) > 50
    for i, (x0, y0, w0, h0) in enumerate(boxes):
        assert x0 >= 0 and y0 >= 0
        for x1, y1, w1, h1 in boxes[:i]:
            assert x0 + w0 < x1 or x1 + w1 < x0 or y0 + h0 < y1 or y1 + h1 < y0


def test_drawing_a_leaf_and_what_has_no_graph(tmp_path):
    leaf = norch.ones(2, requires_grad=True)
    picture = draw_graph(leaf, {"<w>": leaf})
    assert drawn(picture)[0].keys() == {"<w> (2,)"}
    picture.save(tmp_path / "leaf.svg")
    assert (tmp_path / "leaf.svg").read_text(encoding="utf-8") == picture._repr_svg_()
    with pytest.raises(RuntimeError, match="does not require grad: there is no graph"):
        draw_graph(norch.ones(2))
