"""The switches of backends, the accelerator, and TorchScript's decorators."""

import pytest

import norch_autograd as norch
from norch_extras.backends import (
    accelerator,
    are_deterministic_algorithms_enabled,
    get_float32_matmul_precision,
    kernels,
    set_float32_matmul_precision,
    use_deterministic_algorithms,
)
from norch_extras.legacy import torch_script

SIM = norch.device("cuda-sim")


def test_switches_that_scripts_set():
    with pytest.raises(TypeError, match="expected True or False, got int 3"):
        use_deterministic_algorithms(3)
    set_float32_matmul_precision("medium")
    assert kernels.matmul.allow_tf32
    kernels.matmul.allow_tf32 = False
    assert get_float32_matmul_precision() == "highest"
    for wrong in ("exact", 3):
        with pytest.raises(RuntimeError, match="expected one of highest, high, medium"):
            set_float32_matmul_precision(wrong)


ADDED = {
    "index_add": lambda x, at: x.index_add(0, at, x),
    "scatter_add": lambda x, at: x.scatter_add(0, at, x),
    "scatter_reduce": lambda x, at: x.scatter_reduce(0, at, x, "mean"),
    "gather's gradient": lambda x, at: x.requires_grad_().gather(0, at).sum().backward(),
}


@pytest.fixture
def determinism():
    yield use_deterministic_algorithms
    use_deterministic_algorithms(False)


@pytest.mark.parametrize("name", ADDED)
def test_sums_by_atomics_refuse_to_promise_the_same_result(determinism, name):
    with SIM:
        x, at = norch.ones(3), norch.tensor([0, 0, 2])
    ADDED[name](x, at)
    determinism(True)
    with pytest.raises(RuntimeError, match="may round differently in every run"):
        ADDED[name](x, at)
    determinism(True, warn_only=True)
    with pytest.warns(UserWarning, match="may round differently in every run"):
        ADDED[name](x, at)


def test_what_is_the_same_in_every_order_is_allowed(determinism):
    determinism(True)
    assert are_deterministic_algorithms_enabled()
    with SIM:
        x, at = norch.ones(3), norch.tensor([0, 0, 2])
    assert x.scatter_reduce(0, at, x, "amax").tolist() == [1, 1, 1]
    assert x.long().index_add(0, at, x.long()).tolist() == [3, 1, 2]
    for call in ADDED.values():
        call(x.cpu(), at.cpu())


def test_a_script_can_ask_for_the_accelerator():
    found = accelerator.current_accelerator()
    assert (found is not None) == accelerator.is_available()
    assert (accelerator.device_count() > 0) == accelerator.is_available()


def test_torchscripts_decorators_change_nothing():
    class Model:
        @torch_script.export
        def start(self):
            return 1

        @torch_script.ignore
        def middle(self):
            return 2

        @torch_script.ignore(drop=True)
        def late(self):
            return 3

        @torch_script.script_method
        @torch_script.unused
        def end(self):
            return 4

    model = torch_script.script(Model())
    assert [model.start(), model.middle(), model.late(), model.end()] == [1, 2, 3, 4]
    assert not torch_script.is_scripting()


def test_a_kernel_of_attention_can_be_named():
    backend = kernels.SDPBackend
    with kernels.sdpa_kernel([backend.MATH, backend(1)], set_priority=True):
        assert norch.softmax(norch.zeros(1), 0).item() == 1
    for wrong in (None, "math", [1]):
        with (
            pytest.raises(AssertionError, match=r"\[sdpa_kernel\] expected a SDPBackend"),
            kernels.sdpa_kernel(wrong),
        ):
            pass
