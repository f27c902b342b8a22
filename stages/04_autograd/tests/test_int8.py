"""int8: a way of storing whole numbers, computed in int32; NumPy is the judge."""

import pickle

import numpy as np
import pytest

import norch_autograd as norch

VALUES = np.array([[-128, -7, 0], [3, 100, 127]], np.int8)
OTHERS = np.array([[2, -3, 5], [100, 100, -1]], np.int8)


def tensors():
    return norch.tensor(VALUES), norch.tensor(OTHERS)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "floor_divide", "maximum", "bitwise_and",
                                  "eq", "lt", "remainder", "bitwise_xor"])  # fmt: skip
def test_arithmetic_wraps_around(name):
    x, y = tensors()
    with np.errstate(all="ignore"):
        wanted = getattr(np, {"sub": "subtract", "mul": "multiply", "eq": "equal",
                              "lt": "less"}.get(name, name))(VALUES, OTHERS)  # fmt: skip
    found = getattr(norch, name)(x, y)
    assert found.numpy().dtype == wanted.dtype and (found.numpy() == wanted).all()


def test_reductions_order_and_places():
    x, _ = tensors()
    assert (x.sum().item(), x.sum().dtype) == (95, norch.int64)
    assert (x.amax().item(), x.amin().item(), x.max(0).indices.tolist()) == (127, -128, [1, 1, 1])
    assert x.amax().dtype is norch.int8 and bool(x.any()) and not bool(x.all())
    assert x.flatten().sort().values.tolist() == sorted(VALUES.ravel().tolist())
    assert x.flatten().topk(2).values.tolist() == [127, 100]
    assert x.cumsum(1).tolist() == VALUES.cumsum(1, dtype=np.int64).tolist()
    assert x[x > 0].tolist() == [3, 100, 127] and x[:, norch.tensor([2, 0])].shape == (2, 2)
    assert x.unique().tolist() == np.unique(VALUES).tolist()
    assert (-x).tolist()[1] == [-3, -100, -127] and (~x).tolist() == (~VALUES).tolist()
    assert x.clamp(-5, 5).tolist() == VALUES.clip(-5, 5).tolist()


def test_promotion():
    x, _ = tensors()
    wanted = {"bool": "int8", "int8": "int8", "int32": "int32", "int64": "int64",
              "float16": "float16", "float32": "float32", "uint8": "int32"}  # fmt: skip
    for other, result in wanted.items():
        one = norch.ones(3, dtype=getattr(norch, other))
        assert (x + one).dtype is getattr(norch, result)
    assert (x + 1).dtype is norch.int8 and (x + 0.5).dtype is norch.float32
    assert (x / 2).dtype is norch.float32


def test_doors():
    x, _ = tensors()
    assert norch.from_numpy(VALUES).tolist() == VALUES.tolist()
    assert np.from_dlpack(x).dtype == np.int8
    assert norch.from_dlpack(VALUES.copy()).dtype is norch.int8
    assert norch.frombuffer(bytearray(b"\xff\x01"), dtype=norch.int8).tolist() == [-1, 1]
    assert x.view(norch.uint8).tolist() == VALUES.view(np.uint8).tolist()
    assert pickle.loads(pickle.dumps(x)).tolist() == VALUES.tolist()


def test_products_of_matrices_are_refused_in_words():
    x, _ = tensors()
    with pytest.raises(TypeError, match=r"\[matmul\] has no kernel for int8: cast to int32"):
        x @ x.T


def test_on_the_simulator():
    x, y = (t.to("cuda-sim") for t in tensors())
    here = tensors()
    for f in (norch.add, norch.mul, norch.maximum, norch.eq, norch.bitwise_and):
        assert f(x, y).tolist() == f(*here).tolist()
    for f in (norch.sum, norch.amax, norch.neg, norch.abs, norch.unique, lambda t: t.sort(1)[0],
              lambda t: t.float(), lambda t: t.cumsum(0), lambda t: t[:, 1:], norch.argmax,
              lambda t: norch.where(t > 0, t, t), lambda t: norch.bitwise_not(t)):  # fmt: skip
        assert f(x).tolist() == f(here[0]).tolist() and f(x).dtype is f(here[0]).dtype
