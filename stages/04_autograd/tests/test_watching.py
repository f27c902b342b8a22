"""Looking at the record and the walk: anomaly mode, the profile, the drawing, hooks on what nodes
keep, checkpoints.
"""

import math
import re
import xml.etree.ElementTree as xml

import pytest

import norch_autograd as norch
from norch_autograd.autograd import (
    Function,
    detect_anomaly,
    grad,
    saved_tensors_hooks,
    set_detect_anomaly,
)
from norch_autograd.autograd.checkpoint import checkpoint, checkpoint_sequential
from norch_extras.autograd import draw_graph, profile

# ---- Anomaly mode --------------------------------------------------------------------------------


def rooted(x):
    return (x * 0).sqrt() * 0  # this line makes the NaN


def test_nan_under_anomaly_mode_names_the_function_and_the_forward_line():
    x = norch.tensor([4.0], requires_grad=True)
    x.grad = norch.tensor([7.0])
    with detect_anomaly(), pytest.raises(RuntimeError) as caught:
        rooted(x).backward()
    message = str(caught.value)
    assert "Function 'SqrtBackward0' returned nan values in its 0th output" in message
    assert "(x * 0).sqrt() * 0  # this line makes the NaN" in message.splitlines()[-1]
    assert "norch_autograd" not in re.sub("tests.*", "", message.split("forward call:")[1])
    assert (x.grad.tolist(), norch.is_grad_enabled()) == ([7.0], True)


def test_an_error_under_anomaly_mode_names_the_forward_line():
    class Broken(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            raise ZeroDivisionError("broken")

    x = norch.ones(1, requires_grad=True)
    with detect_anomaly(), pytest.raises(ZeroDivisionError, match="broken") as caught:
        Broken.apply(x).backward()
    assert "Error detected in BrokenBackward" in caught.value.__notes__[0]
    assert "Broken.apply(x).backward()" in caught.value.__notes__[0]


def test_a_forward_before_anomaly_mode_is_named_without_a_line():
    y = rooted(norch.tensor([4.0], requires_grad=True))
    with detect_anomaly(), pytest.raises(RuntimeError, match="before anomaly mode was on"):
        y.backward()


def test_anomaly_mode_can_leave_nan_alone_and_ends_with_its_block():
    x = norch.tensor([4.0], requires_grad=True)
    with detect_anomaly(check_nan=False):
        assert (norch.is_anomaly_enabled(), norch.is_anomaly_check_nan_enabled()) == (True, False)
        rooted(x).backward()
    assert math.isnan(x.grad.item())
    assert not norch.is_anomaly_enabled()
    with detect_anomaly():
        with set_detect_anomaly(False):
            assert not norch.is_anomaly_enabled()
        assert norch.is_anomaly_check_nan_enabled()
    set_detect_anomaly(True)
    assert norch.is_anomaly_enabled()
    set_detect_anomaly(False)
    assert not norch.is_anomaly_enabled()
    rooted(x).backward()  # silent again


def test_anomaly_mode_sees_several_outputs_and_infinite_is_not_nan():
    x = norch.tensor([4.0, 1.0], requires_grad=True)
    with detect_anomaly():
        a, b = x.split(1)
        (a * b).log().backward()
    assert x.grad.tolist() == [0.25, 1.0]
    with detect_anomaly():
        (x - x).sqrt().sum().backward()
    assert x.grad.isnan().all()  # inf - inf, added up on the way to the leaf: no node's answer


# ---- The profile ---------------------------------------------------------------------------------


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


# ---- The drawing ---------------------------------------------------------------------------------


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


# ---- What nodes keep -----------------------------------------------------------------------------


def test_saved_tensors_hooks_see_what_is_kept_and_bring_it_back():
    packed = []

    def pack(tensor):
        packed.append(tensor.tolist())
        return tensor.numpy().copy() if not tensor.requires_grad else tensor.detach().numpy().copy()

    x = norch.tensor([1.0, 2.0], requires_grad=True)
    with saved_tensors_hooks(pack, norch.from_numpy):
        hidden = x * 3
        y = (hidden.exp() * hidden).sum()
    assert packed == [[pytest.approx(v) for v in row] for row in packed]
    assert [3.0, 6.0] in packed and len(packed) == 3
    (first,) = grad(y, x, create_graph=True)
    (expected,) = grad((x * 3).exp().mul(x * 3).sum(), x, create_graph=True)
    assert first.tolist() == pytest.approx(expected.tolist())
    assert grad(first.sum(), x)[0].tolist() == pytest.approx(grad(expected.sum(), x)[0].tolist())


def test_hooks_on_what_is_kept_reach_fused_operations():
    x = norch.tensor([[1.0, 2.0, 4.0]], requires_grad=True)
    with saved_tensors_hooks(lambda t: t.tolist(), norch.tensor):
        y = norch.layer_norm(x * 1, 3)
        loss = norch.cross_entropy(y * 1, norch.tensor([1]))
    loss.backward()
    again = x.detach().requires_grad_()
    norch.cross_entropy(norch.layer_norm(again, 3), norch.tensor([1])).backward()
    assert x.grad.reshape(-1).tolist() == pytest.approx(again.grad.reshape(-1).tolist(), abs=1e-6)


# ---- Checkpoints ---------------------------------------------------------------------------------


def test_checkpoint_reaches_what_the_function_closes_over():
    w, x = norch.tensor([2.0], requires_grad=True), norch.tensor([3.0])
    out = checkpoint(lambda x: (x * w).exp().sin(), x)
    (dw,) = grad(out, w)
    (expected,) = grad((x * w).exp().sin(), w)
    assert dw.tolist() == expected.tolist()
    assert w.grad is None


def test_checkpoint_keeps_nothing_and_runs_the_function_twice():
    calls = []

    def function(x):
        calls.append(1)
        return (x * 1).exp().exp()

    x = norch.tensor([0.5], requires_grad=True)
    y = checkpoint(function, x)
    assert len(calls) == 1
    y.backward()
    assert len(calls) == 2
    again = x.detach().requires_grad_()
    function(again).backward()
    assert x.grad.tolist() == again.grad.tolist()


def test_checkpoint_frees_the_memory_in_between():
    import norch_cpu_ops

    def held(call):
        x = norch.ones(1 << 16, requires_grad=True)
        before = norch_cpu_ops.memory_stats()["allocated_bytes"]
        y = call(lambda x: x.exp().sin().exp().sum(), x)
        after = norch_cpu_ops.memory_stats()["allocated_bytes"]
        y.backward()
        return (after - before) >> 18  # in arrays of x's size

    assert (held(lambda f, x: f(x)), held(checkpoint)) == (2, 0)


@pytest.mark.parametrize("preserve", [True, False])
def test_checkpoint_draws_the_same_random_numbers_again(preserve):
    def noisy(x):
        return x * norch.rand(1000) * x

    x = norch.ones(1000, requires_grad=True)
    norch.manual_seed(1)
    y = checkpoint(noisy, x, preserve_rng_state=preserve)
    after = norch.get_rng_state()
    (dx,) = grad(y.sum(), x)
    assert (dx.tolist() == (2 * y).tolist()) is preserve
    assert norch.get_rng_state() == after


def test_checkpoint_of_several_inputs_and_keywords_has_a_second_derivative():
    def block(a, b, *, scale):
        return (a * b).sin() * scale, a.exp()

    a, b = (norch.tensor([v], requires_grad=True) for v in (0.3, 0.7))
    results = []
    for call in (block, lambda *args, **kw: checkpoint(block, *args, **kw)):
        one, two = call(a * 2, b, scale=3)
        (first,) = grad((one * two).sum(), a, create_graph=True)
        results.append((first.item(), *(g.item() for g in grad(first, (a, b)))))
    assert results[0] == pytest.approx(results[1])


def test_checkpoint_of_a_function_that_changes_its_mind():
    turns = iter([1, 2])

    def fickle(x):
        return (x * 1).exp() if next(turns) == 1 else norch.cat([x * 1, x * 1]).exp()

    y = checkpoint(fickle, norch.ones(2, requires_grad=True))
    with pytest.raises(RuntimeError, match=r"\[checkpoint\] value 0 .* must do the same each time"):
        y.sum().backward()


def test_checkpoint_without_recording_just_calls():
    with norch.no_grad():
        y = checkpoint(norch.exp, norch.ones(1, requires_grad=True))
    assert not y.requires_grad


def test_checkpoint_sequential_is_the_chain():
    steps = [norch.exp, norch.sin, norch.tanh, norch.cos, norch.exp]
    grads = []
    for segments in (1, 2, 3, 5):
        x = norch.tensor([0.4], requires_grad=True)
        checkpoint_sequential(steps, segments, x).backward()
        grads.append(x.grad.item())
    assert grads == pytest.approx([grads[0]] * 4)
    with pytest.raises(ValueError, match="6 segments for 5 functions"):
        checkpoint_sequential(steps, 6, x)
