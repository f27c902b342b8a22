"""The same code on the simulated GPU: values, gradients, transfers."""

import types

import pytest
from autograd_checks import leaf

import norch_autograd as norch
from norch_autograd.ops.dtype.convert import resolve_device

norch_cuda = pytest.importorskip("norch_cuda")


def model(x, w, b, target):
    hidden = norch.linear(x, w, b).relu()
    return norch.cross_entropy(hidden @ w.T.exp() + 0.5, target)


def run(device):
    """Loss and gradients of a small model, computed on `device`, brought back."""
    norch.manual_seed(3)
    x, w, b = norch.randn(4, 5), leaf(norch.randn(5, 5).tolist()), leaf([0.1] * 5)
    target = norch.tensor([0, 4, 2, 1]).to(device)
    loss = model(x.to(device), w.to(device), b.to(device), target)
    assert str(loss.device) == device
    loss.backward()
    assert str(w.grad.device) == "cpu"
    return [loss.item(), *w.grad.reshape(-1).tolist(), *b.grad.tolist()]


def test_cuda_sim_gives_the_cpus_gradients():
    assert run("cuda-sim") == pytest.approx(run("cpu"), abs=1e-5)


def test_random_numbers_are_the_same_on_every_device():
    one = norch.randn(7)
    norch.manual_seed(0)
    two = norch.randn(7, device="cuda-sim")
    assert two.cpu().tolist() == pytest.approx(one.tolist(), abs=1e-6)


def test_creation_and_printing_on_a_device():
    x = norch.ones(2, device="cuda-sim")
    assert repr(x) == "tensor([1., 1.], device='cuda-sim')"
    assert norch.zeros_like(x).device == x.device
    with pytest.raises(TypeError, match=r"\.cpu\(\)"):
        x.numpy()


def test_mixed_devices_are_refused():
    with pytest.raises((RuntimeError, TypeError)):
        norch.ones(2, device="cuda-sim") + norch.ones(2)


def test_cuda_means_the_gpu_that_is_current_now(monkeypatch):
    """`set_device` changes what "cuda" is, also after it was used."""
    current = ["cuda:0"]
    gpu = types.SimpleNamespace
    monkeypatch.setattr(norch_cuda, "ops_for", lambda name: gpu(device=current[0]))
    assert resolve_device("cuda") == resolve_device(norch.device("cuda")) == "cuda:0"
    current[0] = "cuda:1"
    assert resolve_device("cuda") == "cuda:1"
    assert resolve_device("cuda:0") == "cuda:0"
