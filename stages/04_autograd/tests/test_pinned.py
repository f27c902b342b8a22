"""Pinned memory, and copies that are left to a stream, on the simulator and on a GPU."""

import pytest

import norch_autograd as norch
import norch_cuda
from norch_cuda.runtime import pinned


def test_what_is_pinned():
    x = norch.arange(6.0).reshape(2, 3)
    p = x.pin_memory()
    assert not x.is_pinned() and p.is_pinned() and p.tolist() == x.tolist()
    assert p.pin_memory() is p
    assert p[1].is_pinned() and p.T.is_pinned() and p.view(norch.int32).is_pinned()
    assert not p.clone().is_pinned() and not (p + 1).is_pinned()
    assert x.T.pin_memory().tolist() == x.T.tolist()
    assert norch.tensor([1, 2]).pin_memory().is_pinned()


def test_pinned_memory_is_let_go_with_its_last_tensor():
    p = norch.ones(1000).pin_memory()
    part = p[10:]
    del p
    assert part.is_pinned() and part.sum().item() == 990.0
    place = pinned._alive
    before = len(place)
    del part
    assert len(place) == before - 1


FACTORIES = {
    "empty": lambda **kind: norch.empty(2, 3, **kind),
    "zeros": lambda **kind: norch.zeros(2, 3, **kind),
    "ones": lambda **kind: norch.ones(2, 3, **kind),
    "full": lambda **kind: norch.full((2, 3), 7.0, **kind),
    "tensor": lambda **kind: norch.tensor([1.0], **kind),
    "arange": lambda **kind: norch.arange(3, **kind),
    "linspace": lambda **kind: norch.linspace(0, 1, 3, **kind),
    "eye": lambda **kind: norch.eye(2, **kind),
    "rand": lambda **kind: norch.rand(2, **kind),
    "randn": lambda **kind: norch.randn(2, **kind),
    "randint": lambda **kind: norch.randint(5, (2,), **kind),
    "randperm": lambda **kind: norch.randperm(3, **kind),
}


@pytest.mark.parametrize("name", FACTORIES)
def test_new_tensors_in_pinned_memory(name):
    norch.manual_seed(0)
    plain = FACTORIES[name]()
    norch.manual_seed(0)
    found = FACTORIES[name](pin_memory=True)
    assert found.is_pinned() and not plain.is_pinned()
    assert (found.shape, found.dtype) == (plain.shape, plain.dtype)
    assert name == "empty" or found.tolist() == plain.tolist()
    assert norch.zeros(0, pin_memory=True).tolist() == []


def test_the_gradient_goes_through_pinning():
    w = norch.ones(2, requires_grad=True)
    (w.pin_memory() * 3).sum().backward()
    assert w.grad.tolist() == [3.0, 3.0]


def test_only_memory_of_the_cpu_can_be_pinned(device):
    x = norch.ones(2, device=device)
    assert not x.is_pinned()
    for wrong in (x.pin_memory, lambda: norch.ones(2, device=device, pin_memory=True)):
        with pytest.raises(RuntimeError, match=r"\[(pin_memory|ones)\] the tensor is on cuda"):
            wrong()


@pytest.mark.parametrize("pin", [False, True])
@pytest.mark.parametrize("dtype", [None, norch.float64])
def test_copies_that_are_not_waited_for_there_and_back(device, pin, dtype):
    x = norch.arange(6.0).reshape(2, 3).T
    x = x.pin_memory() if pin else x
    there = x.to(device, dtype, non_blocking=True)
    back = (there * 2).to("cpu", non_blocking=True)
    if device == "cuda":
        norch_cuda.current_stream().synchronize()
    assert back.is_pinned() and back.dtype == (dtype or norch.float32)
    assert back.tolist() == (x * 2).tolist()


@pytest.mark.parametrize("source", [lambda x: x, lambda x: x.T.clone().T, lambda x: x.double()])
@pytest.mark.parametrize("target", [lambda x: x, lambda x: x.T.clone().T, lambda x: x.pin_memory()])
@pytest.mark.parametrize("non_blocking", [False, True])
def test_copy_between_devices_into_any_layout(device, source, target, non_blocking):
    x = norch.arange(6.0).reshape(2, 3)
    there, back = norch.zeros(2, 3, device=device), target(norch.zeros(2, 3))
    there.copy_(source(x).pin_memory(), non_blocking=non_blocking)
    version = back._version
    back.copy_(source(there), non_blocking=non_blocking)
    if device == "cuda":
        norch_cuda.current_stream().synchronize()
    assert there.tolist() == back.tolist() == x.tolist()
    assert back._version > version


def test_a_copy_from_a_device_is_found_out_by_backward(device):
    x = norch.ones(2, requires_grad=True)
    factor = norch.ones(2).pin_memory()
    y = (x * factor).sum()
    factor.copy_(norch.zeros(2, device=device), non_blocking=True)
    with pytest.raises(RuntimeError, match="inplace operation"):
        y.backward()


def test_a_captured_copy_reads_pinned_memory_at_each_replay(device):
    x, out = norch.zeros(3).pin_memory(), norch.zeros(3).pin_memory()
    place = norch.zeros(3, device=device)
    g = norch_cuda.CUDAGraph(device=device)
    with norch_cuda.graph(g):
        place.copy_(x, non_blocking=True)
        out.copy_(place * 2, non_blocking=True)
    assert out.tolist() == [0.0] * 3
    for number in (1.0, 5.0):
        x.fill_(number)
        g.replay()
        if device == "cuda":
            norch_cuda.synchronize()
        assert out.tolist() == [2 * number] * 3


def test_memory_that_is_not_pinned_cannot_be_captured(device):
    place, x = norch.zeros(3, device=device), norch.zeros(3)
    for work in (lambda: place.copy_(x, non_blocking=True), lambda: place.copy_(x.pin_memory())):
        with (
            pytest.raises(RuntimeError, match=r"from contiguous pinned memory with"),
            norch_cuda.graph(norch_cuda.CUDAGraph(device=device)),
        ):
            work()


def test_bare_booleans_are_non_blocking_and_then_copy():
    x = norch.ones(2)
    assert x.to(norch.float32, True) is x and x.to("cpu", norch.float32, True) is x
    assert x.to(norch.float32, False, True) is not x
    assert x.to(x, True, True) is not x


# ---- what only a GPU has: memory that streams still use when nobody else does --------------------


@pytest.fixture
def side():
    """A stream beside the default one of a GPU."""
    if not norch_cuda.is_available():
        pytest.skip("no CUDA GPU with CuPy on this machine")
    return norch_cuda.Stream()


@pytest.mark.gpu
def test_pinned_memory_is_not_given_out_again_before_its_copy_is_done(side):
    with norch_cuda.stream(side):
        y = norch.full((1000,), 1.0).pin_memory().to("cuda", non_blocking=True)
    others = [norch.full((1000,), 9.0).pin_memory() for _ in range(4)]
    side.synchronize()
    assert y.sum().item() == 1000.0
    assert all(other.sum().item() == 9000.0 for other in others)


@pytest.mark.gpu
def test_memory_waits_for_the_streams_that_are_recorded(side):
    x = norch.full((1000,), 1.0, device="cuda")
    side.wait_stream(norch_cuda.current_stream())
    with norch_cuda.stream(side):
        y = x * 2
    x.record_stream(side)
    del x
    others = [norch.full((1000,), 9.0, device="cuda") for _ in range(4)]
    norch_cuda.current_stream().synchronize()
    side.synchronize()
    assert y.sum().item() == 2000.0
    assert all(other.sum().item() == 9000.0 for other in others)


@pytest.mark.gpu
def test_memory_that_waits_comes_back(side):
    norch_cuda.synchronize()
    norch_cuda.empty_cache()
    before = norch_cuda.memory_reserved()
    for _ in range(20):
        x = norch.ones(1 << 18, device="cuda")
        side.wait_stream(norch_cuda.current_stream())
        with norch_cuda.stream(side):
            x += 1
        x.record_stream(side)
        del x
        side.synchronize()
    assert norch_cuda.memory_reserved() - before < 4 << 20
    norch_cuda.empty_cache()
    assert norch_cuda.memory_reserved() - before < 1 << 20


@pytest.mark.gpu
def test_a_stream_of_another_place_is_refused(side):
    for wrong in (norch.ones(2), norch.ones(2, device="cuda-sim")):
        with pytest.raises(RuntimeError, match=r"\[record_stream\] .* expected both on one GPU"):
            wrong.record_stream(side)
