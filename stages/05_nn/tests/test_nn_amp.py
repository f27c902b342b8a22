"""Mixed precision: what autocast casts, where gradients arrive, when the scaler skips a step."""

import pytest

import norch_autograd as norch
import norch_cuda
import norch_nn as nn
from norch_nn import amp, functional as F
from norch_nn.optim import SGD, Adam


def test_products_run_in_half_and_sums_do_not():
    x, w = norch.randn(4, 4), norch.randn(4, 4, requires_grad=True)
    with amp.autocast("cpu"):
        product = x @ w
        assert product.dtype is norch.bfloat16
        assert F.linear(x, w).dtype is norch.mm(x, w).dtype is norch.bfloat16
        assert norch.addmm(x, x, w).dtype is norch.bfloat16
        assert (x + w).dtype is F.mse_loss(product, product).dtype is norch.float32
        assert norch.cat([product, x]).dtype is norch.float32
        assert (x.double() @ w.double()).dtype is norch.float64
    assert (x @ w).dtype is norch.float32
    with amp.autocast("cpu", dtype=norch.float16):
        assert (x @ w).dtype is norch.float16
    with amp.autocast("cuda"):
        assert (x @ w).dtype is norch.float32 and not amp.is_autocast_enabled("cpu")


def test_gradients_arrive_in_the_dtype_of_the_parameters():
    norch.manual_seed(0)  # a ReLU at its kink may fall to the other side in half precision
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    x, y = norch.randn(5, 4), norch.tensor([0, 1, 2, 0, 1])
    exact = norch.grad(F.cross_entropy(model(x), y), list(model.parameters()))
    with amp.autocast("cpu"):
        loss = F.cross_entropy(model(x), y)
        assert loss.dtype is norch.float32
    loss.backward()
    for p, g in zip(model.parameters(), exact, strict=True):
        assert p.grad.dtype is norch.float32
        assert norch.allclose(p.grad, g, atol=0.02)


def test_backward_inside_autocast_is_the_one_outside():
    w = norch.randn(3, 3, requires_grad=True)
    x = norch.randn(3, 3)
    (x @ w).sum().backward()
    outside, w.grad = w.grad, None
    loss = (x @ w).sum()
    with amp.autocast("cpu"):
        loss.backward()
    assert norch.equal(w.grad, outside)


def test_a_weight_is_cast_once_and_again_after_it_changed():
    w, x = norch.randn(3, 3, requires_grad=True), norch.ones(1, 3)
    with amp.autocast("cpu"):
        before = x @ w
        with norch.no_grad():
            w.mul_(2)
        after = x @ w
    assert norch.allclose(after.float(), before.float() * 2)


def test_blocks_nest_and_leave_what_they_found():
    with amp.autocast("cpu"):
        with amp.autocast("cpu", enabled=False):
            assert not amp.is_autocast_enabled("cpu")
            assert (norch.ones(2, 2) @ norch.ones(2, 2)).dtype is norch.float32
        assert amp.is_autocast_enabled("cpu")
        with pytest.raises(ZeroDivisionError), amp.autocast("cpu", dtype=norch.float16):
            assert amp.get_autocast_dtype("cpu") is norch.float16
            raise ZeroDivisionError
        assert amp.get_autocast_dtype("cpu") is norch.bfloat16
    assert not amp.is_autocast_enabled("cpu")
    decorated = amp.autocast("cpu")(lambda x: x @ x)
    assert decorated(norch.ones(2, 2)).dtype is norch.bfloat16


@pytest.mark.parametrize(("call", "kind", "words"), [
    (lambda: amp.autocast("tpu"), RuntimeError, "device type must be"),
    (lambda: amp.autocast(3), ValueError, "a str, got int"),
    (lambda: amp.autocast("cpu", norch.float64), RuntimeError, "float16 or bfloat16"),
    (lambda: amp.GradScaler("cpu", growth_factor=1.0), AssertionError, "above 1"),
    (lambda: amp.GradScaler("cpu", backoff_factor=1.0), AssertionError, "below 1"),
    (lambda: amp.GradScaler("cpu").update(), AssertionError, "comes after step"),
    (lambda: amp.GradScaler("cpu").load_state_dict({}), RuntimeError, "is empty"),
])  # fmt: skip
def test_bad_arguments_are_refused(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


def training(optimizer=SGD, **options):
    w = nn.Parameter(norch.ones(2))
    return w, optimizer([w], lr=0.5), amp.GradScaler("cpu", init_scale=4.0, **options)


def test_a_step_with_an_infinite_gradient_is_left_out():
    w, optimizer, scaler = training(growth_interval=2)
    scaler.scale((w * norch.tensor([1.0, float("inf")])).sum()).backward()
    assert scaler.step(optimizer) is None
    scaler.update()
    assert w.tolist() == [1.0, 1.0] and scaler.get_scale() == 2.0
    for _ in range(2):
        w.grad = None
        scaler.scale(w.sum()).backward()
        assert w.grad.tolist() == [2.0, 2.0]
        scaler.unscale_(optimizer)
        assert w.grad.tolist() == [1.0, 1.0]
        scaler.step(optimizer)
        scaler.update()
    assert w.tolist() == [0.0, 0.0] and scaler.get_scale() == 4.0


def test_the_order_of_calls_is_checked():
    w, optimizer, scaler = training(Adam)
    scaler.scale(w.sum()).backward()
    scaler.unscale_(optimizer)
    with pytest.raises(RuntimeError, match="already called"):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    with pytest.raises(RuntimeError, match=r"step\(\) was already"):
        scaler.step(optimizer)
    with pytest.raises(RuntimeError, match="not after it"):
        scaler.unscale_(optimizer)
    scaler.update(8.0)
    assert scaler.get_scale() == 8.0


def test_a_scaler_resumes_and_can_be_off():
    _, _, scaler = training()
    scaler.update(16.0)
    other = amp.GradScaler("cpu")
    other.load_state_dict(scaler.state_dict())
    assert other.get_scale() == 16.0
    off = amp.GradScaler(enabled=False)
    assert off.scale(3) == 3 and off.get_scale() == 1.0 and off.state_dict() == {}
    w, optimizer, _ = training()
    w.sum().backward()
    off.step(optimizer)
    off.update()
    assert w.tolist() == [0.5, 0.5]


without_cuda = pytest.mark.skipif(norch_cuda.is_available(), reason="a GPU is here")


@without_cuda
def test_a_scaler_for_cuda_is_off_where_there_is_none():
    with pytest.warns(UserWarning, match=r"CUDA is not available: .* disabled"):
        scaler = amp.GradScaler(growth_factor=0.5)
    w, optimizer, _ = training()
    scaler.scale(w.sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert not scaler.is_enabled() and w.tolist() == [0.5, 0.5]
    assert not amp.GradScaler(enabled=False).is_enabled()  # and no warning
