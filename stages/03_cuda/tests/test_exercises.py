"""The tests of exercises 3.1 to 3.7: from small cases to large, on the simulator, against NumPy.

`make check 3.4` runs those marked 3.4 on the reader's answer; pytest runs all of them on the
reference. A test calls one operation, whose kernel holds the hole and nothing else of another
exercise. Whole numbers keep every sum exact, in whatever order it is taken.
"""

import numpy as np

import norch_cuda
from norch_course.testing import exercise, expect, expect_error
from norch_cuda.runtime.simulator_options import simulator

SIM = norch_cuda.ops_for("cuda-sim")


def numbers(*shape, first=1):
    """Small whole numbers as float32: first, first + 1, ... below 12, then again."""
    count = np.arange(np.prod(shape)).reshape(shape)
    return ((count + first) % 12).astype(np.float32)


def device(values, dtype=np.float32):
    return SIM.from_buffer(np.ascontiguousarray(values, dtype=dtype))


def turned(values):
    """The values on the device, as a view of memory in which they lie transposed."""
    stored = device(values.T)
    layout = stored.layout
    return stored.view(layout._replace(shape=layout.shape[::-1], strides=layout.strides[::-1]))


# ---- Products ------------------------------------------------------------------------------------


def product(name, a, b):
    return lambda: getattr(SIM, name)(device(a), device(b)).tolist()


@exercise("3.1")
def test_the_naive_product_of_small_matrices():
    for a, b in [([[2]], [[3]]), ([[1, 2]], [[3], [4]]), ([[1, 2], [3, 4]], [[5, 6], [7, 8]])]:
        right = (np.array(a) @ np.array(b)).astype(float).tolist()
        expect(f"matmul_naive({a}, {b})", product("matmul_naive", a, b), right)


@exercise("3.1")
def test_the_naive_product_of_other_shapes():
    for m, k, n in [(1, 3, 2), (3, 1, 2), (2, 3, 4), (5, 7, 3)]:
        a, b = numbers(m, k), numbers(k, n, first=5)
        shown = f"matmul_naive of shapes {m, k} and {k, n}"
        expect(shown, product("matmul_naive", a, b), (a @ b).tolist())


@exercise("3.1")
def test_the_naive_product_of_views():
    a, b = numbers(2, 3), numbers(3, 4, first=5)
    right = (a @ b).tolist()
    expect("a turned", lambda: SIM.matmul_naive(turned(a), device(b)).tolist(), right)
    expect("b turned", lambda: SIM.matmul_naive(device(a), turned(b)).tolist(), right)


@exercise("3.7")
def test_a_product_of_one_tile():
    a, b = numbers(16, 16), numbers(16, 16, first=5)
    expect("matmul of 16 x 16 matrices", product("matmul", a, b), (a @ b).tolist())


@exercise("3.7")
def test_a_product_with_edges():
    for m, k, n in [(2, 1, 2), (2, 3, 4), (17, 5, 3), (3, 5, 17)]:
        a, b = numbers(m, k), numbers(k, n, first=5)
        shown = f"matmul of shapes {m, k} and {k, n}"
        expect(shown, product("matmul", a, b), (a @ b).tolist())


@exercise("3.7")
def test_a_product_of_several_steps():
    for order in ("forward", "reversed"):
        for m, k, n in [(16, 32, 16), (20, 50, 18)]:
            a, b = numbers(m, k), numbers(k, n, first=5)

            def ordered(a=a, b=b, order=order):
                with simulator(order=order):
                    return SIM.matmul(device(a), device(b)).tolist()

            shown = f"matmul of shapes {m, k} and {k, n}, threads {order}"
            expect(shown, ordered, (a @ b).tolist())


# ---- Places --------------------------------------------------------------------------------------


def picked(x, places):
    return lambda: SIM.index_select(device(x), 0, device(places, np.int64)).tolist()


@exercise("3.2")
def test_reading_at_places():
    for x, places in [([5.0], [0]), ([5.0, 6.0], [1]), ([5.0, 6.0, 7.0], [2, 0, 0, 1])]:
        right = [x[place] for place in places]
        expect(f"index_select({x}, 0, {places})", picked(x, places), right)


@exercise("3.2")
def test_reading_rows():
    x = numbers(4, 3)
    expect("rows 3, 1 of a table", picked(x, [3, 1]), x[[3, 1]].tolist())
    places = np.array([[0, 2, 1], [2, 0, 2]])
    right = np.take_along_axis(x, places, 0).tolist()

    def gathered():
        return SIM.gather(device(x), 0, device(places, np.int64)).tolist()

    expect(f"gather along dim 0 at {places.tolist()}", gathered, right)


@exercise("3.2")
def test_a_place_that_does_not_exist():
    for places in ([3], [-1], [0, 1, 7]):
        shown = f"index_select([5.0, 6.0, 7.0], 0, {places})"
        expect_error(shown, picked([5.0, 6.0, 7.0], places), IndexError)


def added(out, places, source):
    def call():
        target, index = device(out), device(places, np.int64)
        return SIM.index_add(target, 0, index, device(source)).tolist()

    return call


@exercise("3.3")
def test_adding_at_places():
    for out, places, source in [
        ([1.0], [0], [5.0]),
        ([0.0, 0.0], [1, 0], [5.0, 7.0]),
        ([0.0, 10.0], [1, 1, 0, 1], [1.0, 2.0, 3.0, 4.0]),
    ]:
        right = np.array(out)
        np.add.at(right, places, source)
        shown = f"index_add({out}, 0, {places}, {source})"
        expect(shown, added(out, places, source), right.tolist())


@exercise("3.3")
def test_adding_where_there_is_no_place():
    for places in ([2], [-1]):
        shown = f"index_add([0.0, 0.0], 0, {places}, [1.0])"
        expect_error(shown, added([0.0, 0.0], places, [1.0]), IndexError)


@exercise("3.3")
def test_adding_at_one_address_at_the_same_time():
    def watched():
        with simulator(check=True):
            return added([0.0], [0] * 64, [1.0] * 64)()

    expect("64 threads add 1 to one place, every access watched", watched, [64.0])


# ---- Blocks --------------------------------------------------------------------------------------


@exercise("3.4")
def test_a_sum_within_a_warp():
    for size in (1, 2, 32):
        x = numbers(size)
        shown = f"the sum of {size} numbers"
        expect(shown, lambda x=x: SIM.sum(device(x)).item(), float(x.sum()))


@exercise("3.4")
def test_a_sum_over_warps():
    for size in (33, 64, 300, 1000):
        x = numbers(size)
        shown = f"the sum of {size} numbers"
        expect(shown, lambda x=x: SIM.sum(device(x)).item(), float(x.sum()))


@exercise("3.4")
def test_other_folds_and_several_results():
    x = numbers(3, 100) - 20
    expect("the largest of each row", lambda: SIM.amax(device(x), 1).tolist(), x.max(1).tolist())

    def backwards():
        with simulator(order="reversed"):
            return SIM.sum(device(x), 1).tolist()

    expect("the sum of each row, threads reversed", backwards, x.sum(1).tolist())


def running(x, order="forward"):
    def call():
        with simulator(order=order):
            return SIM.cumsum(device(x), 0).tolist()

    return call


@exercise("3.5")
def test_running_sums_of_a_few():
    for x in ([3.0], [3.0, 4.0], [1.0, 2.0, 3.0, 4.0, 5.0]):
        expect(f"cumsum({x})", running(x), np.cumsum(x).tolist())


@exercise("3.5")
def test_running_sums_of_many():
    for size in (31, 256, 700):
        x = numbers(size)
        for order in ("forward", "reversed"):
            right = np.cumsum(x).tolist()
            expect(f"cumsum of {size} numbers, threads {order}", running(x, order), right)


def softmax(x):
    def call():
        return [round(p, 4) for p in SIM.softmax(device(x), 0).tolist()]

    return call


def shares(x):
    powers = np.exp(np.array(x, np.float64) - np.max(x))
    return [round(float(p), 4) for p in powers / powers.sum()]


@exercise("3.6")
def test_the_softmax_of_a_few():
    for x in ([3.0], [0.0, 0.0], [1.0, 2.0, 3.0]):
        expect(f"softmax({x}), four digits", softmax(x), shares(x))


@exercise("3.6")
def test_the_softmax_of_large_numbers():
    for x in ([1000.0, 1000.0], [-1000.0, -1001.0], [0.0, 200.0]):
        expect(f"softmax({x}), four digits", softmax(x), shares(x))


@exercise("3.6")
def test_the_softmax_of_a_long_line():
    x = (numbers(300) / 4).tolist()
    expect("softmax of 300 numbers, four digits", softmax(x), shares(x))


@exercise("3.6")
def test_infinities():
    minus = float("-inf")
    expect("softmax([-inf, 0.0])", softmax([minus, 0.0]), [0.0, 1.0])
