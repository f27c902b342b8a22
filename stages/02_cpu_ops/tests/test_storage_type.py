"""int16 is for storage: what moves elements takes it, and every operation that computes refuses it.

The operations are asked of the module, so that a new one is refused without being named here.
"""

import numpy as np
import pytest

import norch_cpu_ops as cpu
from norch_cpu_ops import _cpu, ops

VALUES = np.array([[1, -2, 300], [4, 5, -32768]], np.int16)
MOVES = {
    "cast": lambda x: ops.cast(x, cpu.int64),
    "cat": lambda x: ops.cat([x, x]),
    "clone": ops.clone,
    "contiguous": ops.contiguous,
    "copy_": lambda x: ops.copy_(x, x),
    "fill_": lambda x: ops.fill_(x, 7),
    "from_cpu": ops.from_cpu,
    "gather": lambda x: ops.gather(x, 0, ops.zeros((1, 3), cpu.int64)),
    "index_copy_": lambda x: ops.index_copy_(x, 0, ops.zeros((1,), cpu.int64), first(x)),
    "index_select": lambda x: ops.index_select(x, 0, ops.ones((3,), cpu.int64)),
    "scatter": lambda x: ops.scatter(x, 0, ops.zeros((1, 3), cpu.int64), first(x)),
    "stack": lambda x: ops.stack([x, x]),
    "to_cpu": ops.to_cpu,
}
ROWS = {
    name: row
    for name, row in vars(_cpu).items()
    if "Array" in (getattr(row, "__doc__", None) or "").partition(") ->")[0] and name != "Array"
}


def stored(values=VALUES):
    return ops.from_buffer(values)


def first(x):
    return x.view(((1, 3), (3, 1), 0))


@pytest.mark.parametrize("name", MOVES)
def test_what_moves_elements_gives_numpys(name):
    wide = ops.cast(stored(), cpu.int32)
    x, found, expected = stored(), *(MOVES[name](each) for each in (stored(), wide))
    if found is None:  # written in place
        found, expected = x, wide
        MOVES[name](x)
    assert found.tolist() == expected.tolist()
    assert found.dtype is (cpu.int64 if name == "cast" else cpu.int16)


def arguments(row):
    """Return an argument for each parameter of a row: int16 where an array is meant."""
    given = {"Array": stored(), "Sequence[Array]": [stored()], "Array | float": stored()}
    given |= {"int": 0, "float": 0.5, "bool": True, "str": "sum", "DType": cpu.int64}
    given |= {"int | Sequence[int]": [0], "Sequence[int]": [0], "Array | None": None}
    parameters = row.__doc__.partition("(")[2].rpartition(") ->")[0].split(", ")
    kinds = [one.split(": ")[1].split(" = ")[0] for one in parameters if ": " in one]
    return [given.get(kind) for kind in kinds]


def test_every_operation_that_computes_refuses_it():
    accepted = []
    for name, row in ROWS.items():
        try:
            row(*arguments(row))
        except Exception as error:
            if str(error) == f"[{name}] int16 is for storage: cast to int32 or int64 first":
                assert isinstance(error, cpu.DTypeError)
                continue  # every other error is of what moves elements: the arguments do not fit
        accepted.append(name)
    assert sorted(accepted) == sorted(MOVES) and len(ROWS) > 150


@pytest.mark.parametrize(
    "operator", ["__add__", "__radd__", "__sub__", "__mul__", "__truediv__", "__matmul__"]
)
@pytest.mark.parametrize("other", [2, 1.5, "array"])
def test_operators_refuse_it(operator, other):
    other = ops.ones((2, 3), cpu.float32) if other == "array" else other
    if operator == "__matmul__" and isinstance(other, int | float):
        other = stored()
    with pytest.raises(cpu.DTypeError, match="int16 is for storage"):
        getattr(stored(), operator)(other)


def test_a_minus_refuses_it():
    with pytest.raises(cpu.DTypeError, match=r"\[neg\] int16 is for storage"):
        -stored()


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.uint8, np.bool_, np.float16])
def test_casts_as_numpy(dtype):
    values = np.arange(-40, 40).astype(dtype)
    there = ops.cast(ops.from_buffer(values), cpu.int16)
    np.testing.assert_array_equal(np.asarray(there), values.astype(np.int16))
    back = ops.cast(there, cpu.bool_ if dtype is np.bool_ else getattr(cpu, np.dtype(dtype).name))
    np.testing.assert_array_equal(np.asarray(back), values.astype(np.int16).astype(dtype))


def test_promotion_is_pytorchs():
    wider = {cpu.int32, cpu.int64, cpu.float16, cpu.bfloat16, cpu.float32, cpu.float64}
    for other in wider:
        assert cpu.promote_types(cpu.int16, other) is cpu.promote_types(other, cpu.int16) is other
    for other in (cpu.bool_, cpu.uint8, cpu.int8, cpu.int16):
        assert cpu.promote_types(cpu.int16, other) is cpu.int16
        assert cpu.promote_types(other, cpu.int16) is cpu.int16


def test_numbers_that_do_not_fit_are_refused():
    for make in (
        lambda: ops.full((1,), 32768, cpu.int16),
        lambda: ops.from_list([-32769], cpu.int16),
        lambda: ops.fill_(stored(), 40000),
    ):
        with pytest.raises(RuntimeError, match="does not fit int16"):
            make()
