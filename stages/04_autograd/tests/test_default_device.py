"""Where new tensors go when nobody says where: `with device(...)`, `set_default_device`."""

import threading

import pytest

import norch_autograd as norch

SIM = norch.device("cuda-sim")
MADE = {
    "tensor": lambda: norch.tensor([1.0]),
    "as_tensor": lambda: norch.as_tensor([1.0]),
    "a tensor from elsewhere": lambda: norch.as_tensor(norch.ones(1, device="cpu")),
    "zeros": lambda: norch.zeros(2),
    "full": lambda: norch.full((2,), 1.0),
    "arange": lambda: norch.arange(3),
    "linspace": lambda: norch.linspace(0, 1, 3),
    "eye": lambda: norch.eye(2),
    "randn": lambda: norch.randn(2),
    "randperm": lambda: norch.randperm(3),
}
KEPT = {
    "zeros_like": lambda: norch.zeros_like(norch.ones(1, device="cpu")),
    "new_zeros": lambda: norch.ones(1, device="cpu").new_zeros(1),
    "an explicit device": lambda: norch.ones(1, device="cpu"),
    "Tensor": lambda: norch.Tensor([1.0]),
    "computed": lambda: norch.ones(1, device="cpu") + 1,
    "normal, of a mean": lambda: norch.normal(norch.zeros(2, device="cpu"), 1.0),
    "normal, of a std": lambda: norch.normal(0.0, norch.ones(2, device="cpu")),
}


@pytest.mark.parametrize("name", MADE)
def test_new_tensors_go_to_the_default_device(name):
    with SIM:
        assert MADE[name]().device == SIM
    assert MADE[name]().device.type == "cpu"


@pytest.mark.parametrize("name", KEPT)
def test_what_has_a_place_keeps_it(name):
    with SIM:
        assert KEPT[name]().device.type == "cpu"


def test_blocks_nest_and_end_with_an_error():
    with pytest.raises(KeyError), SIM:
        with norch.device("cpu"):
            assert norch.ones(1).device.type == "cpu"
        assert norch.get_default_device() == SIM
        raise KeyError
    assert norch.get_default_device() == norch.device("cpu")


def test_the_default_belongs_to_the_thread():
    seen = []
    try:
        norch.set_default_device(SIM)
        with norch.device("cpu"):
            assert norch.ones(1).device.type == "cpu"
        assert norch.ones(1).device == SIM
        thread = threading.Thread(target=lambda: seen.append(norch.ones(1).device.type))
        thread.start()
        thread.join()
    finally:
        norch.set_default_device(None)
    assert seen == ["cpu"] and norch.ones(1).device.type == "cpu"


def test_bad_devices_change_nothing():
    with pytest.raises(RuntimeError, match=r"\[device\] there is no device 'gpu'"):
        norch.set_default_device("gpu")
    with pytest.raises(TypeError, match=r"\[device\]"):
        norch.set_default_device(1.5)
    assert norch.get_default_device() == norch.device("cpu")
