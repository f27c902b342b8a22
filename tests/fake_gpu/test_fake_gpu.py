"""What the stand-in for a GPU's driver shows beside the tests of stage 3: `make gpu-fake`.

Each program is a process of its own: it has other GPUs, or makes one unusable. None of this has run
on a GPU.
"""

import os
import subprocess
import sys

import numpy as np
import pytest

import norch
from norch import nn

cupy = pytest.importorskip("cupy")
pytestmark = pytest.mark.gpu


def run(program, **settings):
    """Run a program in a process of its own, with settings of fake_gpu.cpp."""
    settings = {f"NORCH_FAKE_{name}": str(value) for name, value in settings.items()}
    answer = subprocess.run(
        [sys.executable, "-P", "-c", program],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
    )
    return answer.stdout + answer.stderr


def losses(device, steps=12):
    """Train a small network on digits and return the loss of each step."""
    from sklearn.datasets import load_digits

    norch.manual_seed(1)
    model = nn.Sequential(
        nn.Unflatten(1, (1, 8)), nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(128, 32), nn.ReLU(), nn.Linear(32, 10),
    ).to(device)  # fmt: skip
    images, labels = load_digits(return_X_y=True)
    x = norch.tensor((images[:256] / 16.0).reshape(-1, 8, 8).tolist()).to(device)
    y = norch.tensor(labels[:256].tolist()).to(device)
    optimizer = norch.optim.Adam(model.parameters(), lr=0.01)
    found = []
    for step in range(steps):
        batch = slice(step * 64 % 256, step * 64 % 256 + 64)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x[batch]), y[batch])
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


def test_training_steps_are_those_of_the_cpu():
    assert losses("cuda") == pytest.approx(losses("cpu"), rel=1e-4)


def test_the_host_cannot_read_device_memory():
    program = """
import ctypes, norch
x = norch.ones(4, device="cuda")
norch.cuda.synchronize()
print(x.sum().item(), flush=True)
print(ctypes.string_at(x.data_ptr(), 4))
"""
    assert run(program) == "4.0\n"


def test_set_device_and_two_gpus_for_tensors():
    program = """
import norch
print(norch.ones(2, device="cuda").device)
norch.cuda.set_device(1)
print(norch.ones(2, device="cuda").device, norch.ones(2).to("cuda").device)
a = norch.arange(6.0, device="cuda:1").reshape(2, 3).requires_grad_()
(a.T @ a).sum().backward()
print(a.grad.device, a.detach().to("cuda:0").tolist(), a.grad.to("cuda:0").device)
"""
    assert run(program).splitlines() == [
        "cuda:0",
        "cuda:1 cuda:1",
        "cuda:1 [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]] cuda:0",
    ]


ONES = "import norch; print(norch.cuda.is_available()); norch.ones(1, device='cuda')"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"GPUS": 0}, "this machine has no CUDA GPU to use"),
        ({"GPU_DRIVER": 11080}, "the NVIDIA driver is too old: it is made for CUDA 11.8, and CuPy"),
    ],
    ids=["no GPU", "old driver"],
)
def test_why_there_is_no_gpu(settings, expected):
    said = run(ONES, **settings)
    assert said.startswith("False\n")
    assert f"RuntimeError: [ones] 'cuda' was asked for, but {expected}" in said


def test_a_gpu_that_norch_is_too_new_for():
    assert "compute capability 5.2: norch's kernels need 6.0" in run(ONES, GPU_CAPABILITY=52)


def test_out_of_memory_counts_what_arrays_occupy():
    program = """
import norch
x = norch.zeros(1 << 19, device="cuda")
try:
    norch.zeros(1 << 19, device="cuda")
except norch.cuda.OutOfMemoryError as error:
    print(error)
del x
print(norch.zeros(1 << 19, device="cuda").sum().item())
"""
    said = run(program, GPU_MIB=3)
    assert said.startswith(
        "[cuda:0] no room for 2.0 MiB: of 3.0 MiB, arrays of this process occupy"
    )
    assert "arrays of this process occupy 2.0 MiB" in said
    assert said.endswith("\n0.0\n")


def test_a_kernel_that_fails_is_told_at_the_next_use_with_what_to_do():
    program = """
import norch_cuda
ops = norch_cuda.ops_for("cuda")
text = 'extern "C" __global__ void f(T* x) { __trap(); }'
norch_cuda.load_kernel(text, "f", "cuda")(1, 1, ops.from_list([0.0]))
try:
    norch_cuda.synchronize()
except RuntimeError as error:
    print(error)
try:
    ops.from_list([0.0])
except RuntimeError as error:
    print(error)
"""
    said = run(program, GPU_QUIET=1).splitlines()
    assert len(said) == 2, said
    for line in said:
        assert line.startswith(
            "[cuda:0] cudaErrorLaunchFailure: unspecified launch failure: a kernel"
        )
        assert line.endswith("under norch.cuda.simulator(check=True), which names the line")


# ---- arrays of other libraries on the same GPU ---------------------------------------------------


class Offering:
    """What Numba's arrays are to others: `__cuda_array_interface__` alone."""

    def __init__(self, array):
        self.kept, self.__cuda_array_interface__ = array, array.__cuda_array_interface__


TAKEN = {
    "from_dlpack": norch.from_dlpack,
    "as_tensor": norch.as_tensor,
    "as_tensor of another interface": lambda a: norch.as_tensor(Offering(a)),
}
VIEWS = {
    "whole": lambda a: a,
    "transposed": lambda a: a.T,
    "stepped": lambda a: a[1:, ::2],
    "backwards": lambda a: a[::-1, ::-1],
    "one element": lambda a: a[1:2, 2],
    "empty": lambda a: a[:0],
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("take", TAKEN.values(), ids=TAKEN)
@pytest.mark.parametrize("dtype", ["float32", "bool"])
def test_arrays_of_cupy_become_tensors_without_a_copy(dtype, take, view):
    values = np.arange(12).reshape(3, 4).astype(dtype)
    base = cupy.asarray(values)
    tensor = take(view(base))
    assert (str(tensor.device), tensor.dtype) == ("cuda:0", getattr(norch, dtype))
    assert tensor.tolist() == view(values).tolist()
    tensor.fill_(1)
    view(values)[...] = 1
    assert cupy.asnumpy(base).tolist() == values.tolist()


def test_a_tensor_keeps_the_memory_it_shares():
    before = cupy.get_default_memory_pool().used_bytes()
    tensor = norch.from_dlpack(cupy.asarray(np.ones(1000)))
    assert cupy.get_default_memory_pool().used_bytes() == before + 8192
    assert tensor.sum().item() == 1000
    del tensor
    assert cupy.get_default_memory_pool().used_bytes() == before


def test_an_array_of_cupy_is_copied_where_it_must_be():
    theirs = cupy.asarray(np.arange(3.0))
    own = norch.tensor(theirs)
    own.fill_(7)
    assert cupy.asnumpy(theirs).tolist() == [0, 1, 2]
    assert norch.from_dlpack(theirs, copy=True).add_(1).tolist() == [1, 2, 3]
    assert norch.as_tensor(theirs, device="cpu").tolist() == [0, 1, 2]
    assert norch.as_tensor(theirs, dtype=norch.float16).dtype is norch.float16
    assert cupy.asnumpy(theirs).tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match=r"\[from_dlpack\] from cuda:0 to cpu is a copy"):
        norch.from_dlpack(theirs, device="cpu", copy=False)
    with pytest.raises(TypeError, match=r"\[from_dlpack\] dtype complex64 is not one of float32"):
        norch.as_tensor(cupy.asarray(np.zeros(2, np.complex64)))


@pytest.mark.parametrize("read", ["from_dlpack", "asarray"])
def test_cupy_reads_tensors_without_a_copy(read):
    tensor = norch.arange(6.0, device="cuda").reshape(2, 3).T
    theirs = getattr(cupy, read)(tensor)
    assert (theirs.shape, theirs.data.ptr) == ((3, 2), tensor.data_ptr())
    tensor.fill_(5)
    assert cupy.asnumpy(theirs.T).tolist() == [[5, 5, 5]] * 2
    with pytest.raises((BufferError, RuntimeError), match="that require gradient, use tensor"):
        getattr(cupy, read)(tensor.clone().requires_grad_())
    assert not hasattr(norch.ones(2), "__cuda_array_interface__")
    assert not hasattr(norch.ones(2, device="cuda-sim"), "__cuda_array_interface__")
