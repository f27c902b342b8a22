"""Every bad input is refused with a message that says what was given and how to mend it."""

import subprocess

import pytest

import norch_cpu_ops as cpu
import norch_cuda
from norch_cuda.devices import device

F16, F32, I8, I64 = cpu.float16, cpu.float32, cpu.int8, cpu.int64


@pytest.fixture
def a(ops):
    return ops.zeros((2, 3), F32)


@pytest.fixture
def whole(ops):
    return ops.ones((2, 3), I64)


CASES = {
    "add broadcast": (lambda o, a, w: o.add(a, o.zeros((4,), F32)),
        RuntimeError, r"\(2, 3\) and \(4,\)"),
    "add numbers": (lambda o, a, w: o.add(1, 2), TypeError, r"\[add\] expected at least one array"),
    "add text": (lambda o, a, w: o.add(a, "x"), TypeError, r"\[add\] expected an array, got str"),
    "add devices": (lambda o, a, w: o.add(a, cpu.ops.zeros((2, 3), F32)), RuntimeError,
                    r"\[add\] the arrays are on two devices, cuda.* and cpu"),
    "exp device": (lambda o, a, w: o.exp(cpu.ops.zeros((2,), F32)), RuntimeError, "two devices"),
    "copy_ devices": (lambda o, a, w: o.copy_(a, cpu.ops.zeros((2, 3), F32)),
        RuntimeError, r"\[copy_\].*two devices"),
    "neg bool": (lambda o, a, w: o.neg(o.isnan(a)), RuntimeError, r"\[neg\].*logical_not"),
    "sub bool": (lambda o, a, w: o.sub(o.isnan(a), o.isnan(a)),
        RuntimeError, r"\[sub\].*logical_xor"),
    "divide by zero": (lambda o, a, w: o.floor_divide(w, 0),
        RuntimeError, r"\[floor_divide\] division .* by zero"),
    "divide by zeros": (lambda o, a, w: o.remainder(w, o.zeros((3,), I64)),
        RuntimeError, "by zero"),
    "pow": (lambda o, a, w: o.pow(w, -1), RuntimeError, r"\[pow\] whole numbers to the power -1"),
    "bits": (lambda o, a, w: o.bitwise_and(a, a),
        RuntimeError, r"\[bitwise_and\] expected whole numbers"),
    "where": (lambda o, a, w: o.where(a, a, a),
        RuntimeError, r"\[where\] the condition is float32, expected bool"),
    "where number": (lambda o, a, w: o.where(o.gt(a, 0), o.ones((3,), cpu.uint8), 300),
        RuntimeError, "the number 300 does not fit uint8"),
    "full number": (lambda o, a, w: o.full((3,), 2**31, cpu.int32), RuntimeError, "not fit int32"),
    "fill_ number": (lambda o, a, w: o.fill_(o.ones((3,), cpu.int8), -129),
        RuntimeError, "does not fit int8"),
    "add number": (lambda o, a, w: o.add(o.ones((3,), cpu.uint8), 256),
        RuntimeError, "does not fit uint8"),
    "clamp": (lambda o, a, w: o.clamp(a), RuntimeError, r"\[clamp\] expected min, max or both"),
    "in place dtype": (lambda o, a, w: o.add_(w, 0.5),
        RuntimeError, r"\[add_\] the result is float32 .* int64"),
    "in place shape": (lambda o, a, w: o.add_(o.zeros((3,), F32), a),
        RuntimeError, r"\[add_\] the result has shape \(2, 3\)"),
    "in place overlap": (lambda o, a, w: o.fill_(a.view(a.layout._replace(strides=(0, 1))), 1),
        RuntimeError,
                         r"\[fill_\].*share their memory.*clone it first"),
    "fill_ array": (lambda o, a, w: o.fill_(a, a),
        TypeError, r"\[fill_\] expected a number, got CudaArray: use copy_"),
    "copy_ shape": (lambda o, a, w: o.copy_(a, o.zeros((4,), F32)), RuntimeError, r"\(4,\)"),
    "cat shapes": (lambda o, a, w: o.cat([a, o.zeros((2, 4), F32)], 0),
        RuntimeError, r"\[cat\].*only dim 0 may differ"),
    "cat nothing": (lambda o, a, w: o.cat([], 0),
        RuntimeError, r"\[cat\] expected at least one array"),
    "stack shapes": (lambda o, a, w: o.stack([a, o.zeros((3,), F32)], 0), RuntimeError,
                     r"\[stack\].*number 0 has .*, number 1 has \(3,\)"),
    "stack nothing": (lambda o, a, w: o.stack([], 0), RuntimeError, r"\[stack\].*at least one"),
    "ravel": (lambda o, a, w: o.ravel_multi_index([o.full((2,), -4, I64)], (2, 3), (1,)),
              IndexError, "index -4 is out of bounds for dimension 1 with size 3"),
    "ravel dtype": (lambda o, a, w: o.ravel_multi_index([a], (2, 3), (1,)), TypeError, "int64"),
    "index_copy_": (lambda o, a, w: o.index_copy_(a, 0, o.zeros((1,), I64), a), RuntimeError,
                    r"\[index_copy_\] source .* does not match array .* with 1 indices"),
    "index_copy_ place": (
        lambda o, a, w: o.index_copy_(a, 0, o.full((a.shape[0],), 9, I64), a), IndexError,
        r"\[index_copy_\] index 9 is out of range for dim 0"),
    "cat dim": (lambda o, a, w: o.cat([a], 2), IndexError, r"\[cat\]"),
    "arange": (lambda o, a, w: o.arange(0, 5, 0, I64), RuntimeError, r"\[arange\] step is 0"),
    "arange direction": (lambda o, a, w: o.arange(0, 5, -1, I64),
        RuntimeError, r"\[arange\] a step of -1"),
    "empty": (lambda o, a, w: o.empty((2, -1), F32),
        RuntimeError, r"\[empty\] shape \(2, -1\) has a negative size"),
    "ragged": (lambda o, a, w: o.from_list([[1, 2], [3]]), ValueError, r"\[from_list\]"),
    "share_buffer": (lambda o, a, w: o.share_buffer(b"abcd"),
        RuntimeError, "cannot be shared with cuda.*from_buffer"),
    "from_cpu": (lambda o, a, w: o.from_cpu([1]),
        TypeError, r"\[from_cpu\] expected an array on the CPU, got list"),
    "sum dim": (lambda o, a, w: o.sum(a, 2), IndexError, r"\[sum\]"),
    "sum dims twice": (lambda o, a, w: o.sum(a, (0, -2)), RuntimeError, r"\[sum\]"),
    "mean": (lambda o, a, w: o.mean(w), RuntimeError, r"\[mean\].*cast to a real dtype"),
    "amax empty": (lambda o, a, w: o.amax(o.zeros((0, 2), F32), 0),
        IndexError, r"\[amax\].*no element"),
    "sub bools": (lambda o, a, w: o.sub(1, o.gt(a, 0)), RuntimeError, r"\[sub\] bools"),
    "amax of nothing": (lambda o, a, w: o.amax(o.zeros((0,), F32)),
        RuntimeError, r"\[amax\] shape \(0,\) has no elements: name the dims"),
    "argmax empty": (lambda o, a, w: o.argmax(o.zeros((0,), F32)),
        IndexError, r"\[argmax\].*no element"),
    "matmul": (lambda o, a, w: o.matmul(a, a), RuntimeError,
               r"\[matmul\] shapes \(2, 3\) and \(2, 3\) do not match: 3 columns against 2 rows"),
    "matmul dtype": (lambda o, a, w: o.matmul(a, o.ones((3, 2), I64)),
        RuntimeError, "float32 and int64"),
    "matmul point": (lambda o, a, w: o.matmul(a, o.zeros((), F32)),
        RuntimeError, "at least one dimension"),
    "linear": (lambda o, a, w: o.linear(a, o.zeros((4, 2), F32)),
        RuntimeError, r"\[linear\] input \(2, 3\) and weight"),
    "linear bias": (lambda o, a, w: o.linear(a, a, o.zeros((3,), F32)),
        RuntimeError, r"\[linear\] bias \(3,\)"),
    "linear_int8": (lambda o, a, w: o.linear_int8(a, o.zeros((4, 2), I8), o.zeros((4,), F32)),
        RuntimeError, r"\[linear_int8\] x \(2, 3\) and weight \(4, 2\) do not match"),
    "linear_int8 dtype": (lambda o, a, w: o.linear_int8(a, a, o.zeros((2,), F32)),
        TypeError, r"\[linear_int8\] expected a weight of int8.*got float32, float32, float32"),
    "linear_int8 scale": (lambda o, a, w: o.linear_int8(a, o.zeros((4, 3), I8), o.zeros((3,), F32)),
        RuntimeError, r"\[linear_int8\] scale \(3,\) does not match weight \(4, 3\)"),
    "linear_int8 bias": (lambda o, a, w: o.linear_int8(
            a, o.zeros((4, 3), I8), *(o.zeros((n,), F32) for n in (4, 1))),
        RuntimeError, r"\[linear_int8\] bias \(1,\) does not match weight \(4, 3\)"),
    "softmax": (lambda o, a, w: o.softmax(w, 0),
        TypeError, r"\[softmax\] expected a real dtype, got int64"),
    "softmax dim": (lambda o, a, w: o.softmax(a, -3), IndexError, r"\[softmax\]"),
    "target": (lambda o, a, w: o.cross_entropy(a, o.full((2,), 3, I64)), IndexError,
r"\[cross_entropy\] target 3 in row . is out of range: expected a class from 0 to 2"),
    "target dtype": (lambda o, a, w: o.cross_entropy(a, o.zeros((2,), F32)),
        TypeError, "expected a target of int64"),
    "target shape": (lambda o, a, w: o.cross_entropy(a, o.zeros((3,), I64)),
        RuntimeError, r"expected \(N, C\) and \(N,\)"),
    "index": (lambda o, a, w: o.index_select(a, 0, o.full((1,), 2, I64)), IndexError,
              r"\[index_select\] index 2 is out of range for dim 0 of size 2: expected 0 to 1"),
    "index of nothing": (
        lambda o, a, w: o.index_select(o.ones((0, 3), F32), 0, o.full((1,), 2, I64)),
        IndexError, "for dim 0 of size 0, which has nothing to choose"),
    "index negative": (lambda o, a, w: o.gather(a, 1, o.full((2, 3), -1, I64)),
        RuntimeError, r"\[gather\] index -1"),
    "index dtype": (lambda o, a, w: o.gather(a, 0, a),
        TypeError, "expected an index of int64 or int32"),
    "index_add": (lambda o, a, w: o.index_add(a, 0, o.zeros((1,), I64), a),
        RuntimeError, r"expected \(1, 3\)"),
    "scatter_add": (lambda o, a, w: o.scatter_add(a, 0, o.full((2, 3), 7, I64), a),
        RuntimeError, r"\[scatter_add\] index 7"),
    "scatter dtype": (lambda o, a, w: o.scatter_add(a, 0, w, w),
        TypeError, "the array is float32 but the source is int64"),
    "gather shape": (lambda o, a, w: o.gather(a, 0, o.zeros((2, 4), I64)),
        RuntimeError, "does not fit into the array"),
    "uniform": (lambda o, a, w: o.uniform((2,), 1.0, 0.0, F32, 0, 0),
        RuntimeError, r"\[uniform\] expected finite low <= high"),
    "uniform dtype": (lambda o, a, w: o.uniform((2,), 0.0, 1.0, I64, 0, 0),
        TypeError, "randint makes whole numbers"),
    "normal": (lambda o, a, w: o.normal((2,), 0.0, -1.0, F32, 0, 0),
        RuntimeError, r"\[normal\] expected std >= 0"),
    "randint": (lambda o, a, w: o.randint((2,), 3, 3, 0, 0),
        RuntimeError, r"\[randint\] expected low < high"),
    "bernoulli": (lambda o, a, w: o.bernoulli((2,), 1.5, F32, 0, 0),
        RuntimeError, r"\[bernoulli\].*from 0 to 1"),
    "sgd": (lambda o, a, w: o.sgd_step([a], [w], None, 0.1, 0.0, 0.0, 0.0, False, True),
        TypeError,
        r"\[sgd_step\] a parameter is float32 but its gradient or buffer is int64"),
    "sgd halves": (lambda o, a, w: o.sgd_step([o.cast(a, F16)], [a], None, 0.1, 0.0, 0.0, 0.0,
                                              False, True),
        TypeError, "a parameter is float16 but its gradient or buffer is float32"),
    "sgd count": (lambda o, a, w: o.sgd_step([a], [], None, 0.1, 0.0, 0.0, 0.0, False, True),
        ValueError, "1 parameters but 0"),
    "adam": (
        lambda o, a, w: o.adam_step([a], [a], [a], [a], None, [0], 0.1, 0.9, 0.9, 0.1, 0.0, False),
        ValueError,
             r"\[adam_step\] steps \[0\]"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_bad_input(ops, a, whole, name):
    attempt, error, text = CASES[name]
    with pytest.raises(error, match=text):
        attempt(ops, a, whole)
        ops.backend.synchronize()  # where a GPU tells what a kernel found wrong
    assert a.tolist() == [[0, 0, 0], [0, 0, 0]]  # nothing was half-written
    assert whole.tolist() == [[1, 1, 1], [1, 1, 1]]


def test_errors_have_the_types_of_the_cpu():
    ours = {"add devices", "exp device", "copy_ devices", "share_buffer"}  # no errors on the CPU
    for name, (attempt, error, _) in CASES.items():
        if name not in ours:
            with pytest.raises(error):
                attempt(cpu.ops, cpu.ops.zeros((2, 3), F32), cpu.ops.ones((2, 3), I64))


def test_an_operation_of_the_cpu_refuses_an_array_of_a_device(ops):
    there = ops.ones((2, 2), F32)
    here = cpu.ops.ones((2, 2), F32)
    for attempt in (cpu.ops.add, cpu.ops.matmul, cpu.ops.copy_):
        with pytest.raises(RuntimeError, match="the arrays are on two devices, cpu and cuda"):
            attempt(here, there)
    assert here.tolist() == [[1, 1], [1, 1]]


def test_a_step_with_one_bad_gradient_changes_no_parameter(ops, a):
    other = ops.zeros((2,), F32)
    ones = ops.ones((2, 3), F32)
    with pytest.raises(RuntimeError):
        ops.sgd_step([a, other], [ones, ones], None, 0.1, 0.0, 0.0, 0.0, False, True)
    assert a.tolist() == [[0, 0, 0], [0, 0, 0]]
    assert a.version == 0


# ---- devices -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cpu", "cuda:x", "cuda-sim:0", "gpu", "", 3])
def test_names_that_are_no_cuda_device(name):
    with pytest.raises(
        RuntimeError,
        match=r"\[device\] .* is no CUDA device: expected 'cuda', 'cuda:0' or 'cuda-sim'",
    ):
        norch_cuda.ops_for(name)


def test_cuda_without_a_gpu_is_an_error_that_names_the_simulator(monkeypatch):
    monkeypatch.setattr(device, "_has_nvidia_driver", lambda: False)
    monkeypatch.setattr(device, "_import_cupy", lambda: None)
    with pytest.raises(
        RuntimeError, match=r"\[device\] 'cuda'.* has no CUDA GPU .*; choose device 'cuda-sim'"
    ):
        norch_cuda.ops_for("cuda")
    assert not norch_cuda.is_available()


def test_gpu_without_cupy_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(device, "_has_nvidia_driver", lambda: True)
    monkeypatch.setattr(device, "_import_cupy", lambda: None)
    with pytest.raises(
        RuntimeError, match=r"CuPy is not installed: python -m pip install 'norch\[cuda12\]'"
    ):
        norch_cuda.ops_for("cuda:0")


def test_an_error_about_a_gpu_starts_no_program(monkeypatch):
    """Looking for the driver ran ldconfig, gcc and ld: slow, and stuck in some forked children."""
    monkeypatch.setattr(subprocess, "Popen", lambda *args, **options: pytest.fail(str(args)))
    monkeypatch.setattr(device, "_import_cupy", lambda: None)
    with pytest.raises(RuntimeError, match="'cuda' was asked for"):
        norch_cuda.ops_for("cuda")


def test_ops_of_a_device_are_one_object():
    assert norch_cuda.ops_for("cuda-sim") is norch_cuda.ops_for("cuda-sim")
