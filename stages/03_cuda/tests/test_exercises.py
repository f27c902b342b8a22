"""The tests of exercises 3.1 to 3.14: from small cases to large, on the simulator, against NumPy.

`make check 3.4` runs those marked 3.4 on the reader's answer; pytest runs all of them on the
reference. A test calls one operation, whose kernel holds the hole and nothing else of another
exercise. Every call is made in each order of threads and blocks, every access watched: `expect`;
what a kernel costs is asked once: `expect_cost`. Whole numbers keep every sum exact, in whatever
order it is taken.
"""

import numpy as np

import norch_cuda
from norch_course.testing import exercise, expect as expect_cost, expect_error as expect_raised
from norch_cuda import CudaArray, profile
from norch_cuda.lessons import transpose
from norch_cuda.runtime.simulator_options import simulator
from norch_cuda.runtime.sources import ELEMENTS, family_source
from norch_strides import Layout

SIM = norch_cuda.ops_for("cuda-sim")
ORDERS = {
    "forward": "",
    "reversed": ", threads and blocks in reversed order",
    "shuffled": ", threads and blocks in a shuffled order",
}


def numbers(*shape, first=1):
    """Small whole numbers as float32: first, first + 1, ... below 12, then again."""
    count = np.arange(np.prod(shape)).reshape(shape)
    return ((count + first) % 12).astype(np.float32)


def device(values, dtype=np.float32):
    return SIM.from_buffer(np.array(values, dtype, order="C"))


def as_is(values):
    """The values on the device, in their own dtype."""
    return SIM.from_buffer(np.array(values, order="C"))


def view(stored, shape, strides, offset=0):
    """An array of the same memory; that elements lie outside of it is not looked at."""
    layout = Layout(tuple(shape), tuple(strides), offset)
    return CudaArray(stored.storage, layout, stored.dtype, SIM)


def turned(values):
    """The values on the device, as a view of memory in which they lie transposed."""
    stored = as_is(values.T)
    return view(stored, stored.shape[::-1], stored.strides[::-1])


def spread(values):
    """A row of values on the device, with a number between each two that belongs to nobody."""
    return view(device([[value, 500.0] for value in values]), (len(values),), (2,))


def backwards(values):
    """The values on the device, as a view that walks back in every dimension."""
    stored = as_is(np.flip(values))
    return view(stored, stored.shape, [-step for step in stored.strides], stored.numel - 1)


def once(rows):
    """Equal rows on the device, which lie once in memory: a stride of 0."""
    return view(as_is(rows[0]), rows.shape, (0, *as_is(rows[0]).strides))


FORMS = ("N = 1", "no elements", "negative stride", "stride 0", "float64", "float16")
FLOATS = FORMS[:5]  # of kernels that have no halves


def of_forms(x, forms=FORMS):
    """The forms of a table of small numbers: each with its values, and how they come to lie."""
    found = (
        x[:1],
        x[:0],
        x,
        np.repeat(x[:1], 3, 0),
        x.astype(float) + 2.0**40,
        x.astype(np.float16),
    )
    return zip(forms, found, (as_is, as_is, backwards, once, as_is, as_is), strict=False)


def expect_of_forms(shown, x, call, right, forms=FORMS):
    """Expect what a call gives of `x`, a table of small numbers, in all its forms."""
    for form, values, give in of_forms(x, forms):

        def one(values=values, give=give):
            return call(give(values)).tolist()

        expect(f"{shown}, {form}", one, right(values).tolist())


FAR = 2**33  # more than an int counts to


def far(values):
    """A row (or the rows of a table) whose first FAR entries have no memory, the others values."""
    stored = device(values)
    return view(
        stored, (FAR + len(values), *stored.shape[1:]), stored.strides, -FAR * stored.strides[0]
    )


def watched(call, order):
    """The call, its threads and blocks taking their turns in this order, every access watched."""

    def run():
        with simulator(order=order, check=True):
            return call()

    return run


def expect(shown, call, right):
    """Expect the same in every order of threads and blocks, every access watched."""
    for order, told in ORDERS.items():
        expect_cost(shown + told, watched(call, order), right)


def expect_error(shown, call, error):
    """Expect the same error in every order of threads and blocks."""
    for order, told in ORDERS.items():
        expect_raised(shown + told, watched(call, order), error)


def counted(call):
    """The accesses that a call makes."""
    with simulator(check=True) as counters:
        call()
    return counters


# ---- Products ------------------------------------------------------------------------------------


def product(name, a, b):
    return lambda: getattr(SIM, name)(device(a), device(b)).tolist()


def products_of_views(name):
    a, b = numbers(5, 3), numbers(3, 4, first=5)
    right = (a @ b).tolist()
    by_name = getattr(SIM, name)
    expect("a turned", lambda: by_name(turned(a), device(b)).tolist(), right)
    expect("b turned", lambda: by_name(device(a), turned(b)).tolist(), right)


def products_of_batches(name):
    for first, second in [((2, 2, 3), (2, 3, 2)), ((3, 1, 5, 3), (1, 2, 3, 4))]:
        a, b = numbers(*first), numbers(*second, first=5)
        expect(f"{name} of batches, {first} and {second}", product(name, a, b), (a @ b).tolist())


def products_of_forms(name):
    by_name, x = getattr(SIM, name), numbers(2, 3, 4) / 2 - 2
    left, right = numbers(5, 3) / 4 - 1, numbers(4, 5, first=5) / 4 - 1

    def first(a):
        return by_name(a, SIM.cast(device(right), a.dtype))

    def second(b):
        return by_name(SIM.cast(device(left), b.dtype), b)

    expect_of_forms("batches (2, 3, 4) and a matrix (4, 5)", x, first, lambda a: a @ right)
    expect_of_forms("a matrix (5, 3) and batches (2, 3, 4)", x, second, lambda b: left @ b)
    equal = np.repeat(x[0, :1], 3, 0)
    expect(
        "3 equal rows and a matrix", lambda: first(once(equal)).tolist(), (equal @ right).tolist()
    )
    expect(
        "a matrix and 3 equal rows", lambda: second(once(equal)).tolist(), (left @ equal).tolist()
    )
    expect(
        "shapes (2, 0) and (0, 3)",
        product(name, np.zeros((2, 0)), np.zeros((0, 3))),
        [[0.0] * 3] * 2,
    )
    over = product(name, np.full((2, 3), 3e38), np.ones((3, 2)))
    expect("str(a product whose sums overflow)", lambda: str(over()), "[[inf, inf], [inf, inf]]")
    edge = numbers(17, 5)
    edge[0, 4] = np.inf
    infinite = product(name, edge, np.ones((5, 2)))
    shown = "str(a (17, 5) with an infinity at its edge @ ones): the first two rows"
    right = str([[np.inf] * 2, [float(edge[1].sum())] * 2])
    expect(shown, lambda: str(infinite()[:2]), right)
    whole, ones = np.array([[2**60 + 1, 3], [1, -(2**60) - 1]]), np.array([[1, 0], [1, 1]])
    expect(
        "int64 of 61 bits",
        lambda: by_name(as_is(whole), as_is(ones)).tolist(),
        (whole @ ones).tolist(),
    )


@exercise("3.1")
def test_the_naive_product_of_small_matrices():
    for a, b in [([[2]], [[3]]), ([[1, 2]], [[3], [4]]), ([[1, 2], [3, 4]], [[5, 6], [7, 8]])]:
        right = (np.array(a) @ np.array(b)).astype(float).tolist()
        expect(f"matmul_naive({a}, {b})", product("matmul_naive", a, b), right)
    a, b = [[0.0, 1.0]], [[np.inf], [2.0]]
    shown = "matmul_naive([[0, 1]], [[inf], [2]])"
    expect(shown, lambda: str(product("matmul_naive", a, b)()), "[[nan]]")


@exercise("3.1")
def test_the_naive_product_of_other_shapes():
    for m, k, n in [(1, 3, 2), (3, 1, 2), (2, 3, 4), (5, 7, 3)]:
        a, b = numbers(m, k), numbers(k, n, first=5)
        shown = f"matmul_naive of shapes {m, k} and {k, n}"
        expect(shown, product("matmul_naive", a, b), (a @ b).tolist())


@exercise("3.1")
def test_the_naive_product_of_views_and_batches():
    products_of_views("matmul_naive")
    products_of_batches("matmul_naive")


@exercise("3.1", forms=(*FORMS, "sum overflows"))
def test_the_naive_product_of_other_forms():
    products_of_forms("matmul_naive")


@exercise("3.1")
def test_the_naive_product_with_a_bias():
    x, weight, bias = numbers(1, 3), numbers(4, 3, first=5), [10.0, 20.0, 30.0, 40.0]
    right = (x @ weight.T + bias).tolist()
    for shown, give in [
        ("", device),
        (", every second number of a buffer", spread),
        (", backwards in memory", lambda bias: backwards(np.float32(bias))),
    ]:

        def linear(give=give):
            return SIM.linear(device(x), device(weight), give(bias)).tolist()

        expect(f"linear of a row, bias {bias}{shown}", linear, right)
    a, b, given = device(numbers(2, 2, 3)), device(weight.T), device(bias)

    def batches():
        out = device(np.zeros((2, 2, 4)))
        of_a = (Layout((2,), (6,)), 3, 1, a.pointer)
        of_b = (Layout((2,), (0,)), 4, 1, b.pointer, 1, given.pointer)
        args = (2, 2, 4, 3, *of_a, *of_b, out.pointer)
        SIM.launch_elements("matmul", a.dtype, "matmul_naive_kernel", *args)
        return out.tolist()

    right = (numbers(2, 2, 3) @ weight.T + bias).tolist()
    expect(f"matmul_naive_kernel of two batches, bias {bias}", batches, right)


@exercise("3.7")
def test_a_product_of_one_tile():
    a, b = numbers(16, 16), numbers(16, 16, first=5)
    expect("matmul of 16 x 16 matrices", product("matmul", a, b), (a @ b).tolist())


@exercise("3.7")
def test_a_product_with_edges():
    one_edge = [(16, 3, 16), (3, 16, 16), (16, 16, 3)]
    for m, k, n in [*one_edge, (2, 1, 2), (2, 3, 4), (17, 5, 3), (3, 5, 17)]:
        a, b = numbers(m, k), numbers(k, n, first=5)
        shown = f"matmul of shapes {m, k} and {k, n}"
        expect(shown, product("matmul", a, b), (a @ b).tolist())


@exercise("3.7")
def test_a_product_of_several_steps():
    for m, k, n in [(16, 32, 16), (20, 50, 18)]:
        a, b = numbers(m, k), numbers(k, n, first=5)
        shown = f"matmul of shapes {m, k} and {k, n}"
        expect(shown, product("matmul", a, b), (a @ b).tolist())


@exercise("3.7")
def test_a_product_of_views_and_batches():
    products_of_views("matmul")
    products_of_batches("matmul")


@exercise("3.7", forms=(*FORMS, "sum overflows"))
def test_a_product_of_other_forms():
    products_of_forms("matmul")


@exercise("3.7")
def test_what_a_product_fetches():
    for n, right in [(32, 2 * 2 * 32 * 32), (17, 2 * 2 * 32 * 32 - 2 * 32 * 15)]:
        a, b = device(numbers(32, 32)), device(numbers(32, n))

        def reads(a=a, b=b):
            return counted(lambda: SIM.matmul(a, b)).global_reads

        shown = f"numbers fetched for matmul of shapes (32, 32) and (32, {n}): each by two blocks"
        expect_cost(shown, reads, right)


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
    columns = x[:, [2, 0, 2]].tolist()

    def selected():
        return SIM.index_select(turned(x), 1, device([2, 0, 2], np.int64)).tolist()

    expect("columns 2, 0, 2 of a table that lies turned", selected, columns)


@exercise("3.2")
def test_a_place_that_does_not_exist():
    for places in ([3], [-1], [0, 1, 7], [2**32], [-(2**32)]):
        shown = f"index_select([5.0, 6.0, 7.0], 0, {places})"
        expect_error(shown, picked([5.0, 6.0, 7.0], places), IndexError)


def place_named(call):
    """The place of which the error of a call says that it does not exist."""

    def run():
        try:
            return f"no error: {call()}"
        except IndexError as error:
            return str(error).partition(" index ")[2].partition(" is out of range")[0]

    return run


@exercise("3.2")
def test_several_places_that_do_not_exist():
    for places in ([7, 9], [9, 0, 7, 1], [-1, 1, 3, 0, -2]):
        shown = f"index_select([5.0, 6.0, 7.0], 0, {places}): the last that does not exist"
        last = [place for place in places if not 0 <= place < 3][-1]
        expect(shown, place_named(picked([5.0, 6.0, 7.0], places)), str(last))
    many = [-1] + [0] * 1023 + [-2] + [0] * 75
    shown = "the same of 1100 places, of which 0 and 1024 do not exist: one thread has both"
    expect(shown, place_named(picked([5.0], many)), "-2")


@exercise("3.2")
def test_nothing_is_written_for_a_place_that_does_not_exist():
    def written(x, places):
        x, out, bad = device(x), device([-1.0] * len(places)), device([0], np.int64)
        still, row = Layout((len(places),), (0,)), Layout((len(places),), (1,))
        to = (row, device(places, np.int64).pointer, out.pointer, bad.pointer)
        given = (len(places), x.shape[0], 1, still, x.pointer, *to)
        SIM.launch_elements("index", x.dtype, "gather_kernel", *given)
        return out.tolist(), bad.item()

    shown = "gather_kernel, x [5.0, 6.0, 7.0], places [0, 7, 1], out full of -1.0: out, bad"
    expect(shown, lambda: written([5.0, 6.0, 7.0], [0, 7, 1]), ([5.0, -1.0, 6.0], 2))
    right = [-1.0] + [5.0] * 1099
    shown = "how many of 1100 elements gather_kernel writes, place 0 does not exist"
    expect(shown, lambda: written([5.0], [-1] + [0] * 1099)[0].count(5.0), right.count(5.0))


@exercise("3.2", forms=(*FORMS, "no dimensions", "sum overflows"))
def test_reading_other_forms():
    def picked_of(give, x, places):
        return lambda: SIM.index_select(give(x), 0, device(places, np.int64)).tolist()

    def columns(x):
        return SIM.index_select(x, 1, device([2, 0, 2], np.int64))

    expect_of_forms("columns 2, 0, 2", numbers(4, 3) / 4, columns, lambda x: x[:, [2, 0, 2]])
    expect(
        "rows 3, 1, negative stride",
        picked_of(backwards, numbers(4, 3), [3, 1]),
        numbers(4, 3)[[3, 1]].tolist(),
    )
    equal = np.repeat(numbers(1, 3), 4, 0)
    expect("rows 3, 1, stride 0", picked_of(once, equal, [3, 1]), equal[:2].tolist())
    expect("no rows", picked_of(as_is, numbers(4, 3), []), [])
    scalar = np.float32(5.0)
    expect(
        "gather of a number without a dimension",
        lambda: SIM.gather(as_is(scalar), 0, as_is(np.int64(0))).tolist(),
        5.0,
    )
    for some in ([2**60 + 1, 5], [True, False], np.float32([3e38, 3e38]).tolist()):
        x = np.array(some, np.float32 if some[0] == some[1] else None)
        expect(f"index_select({some}, 0, [1, 0])", picked_of(as_is, x, [1, 0]), some[::-1])
    places = [FAR + 2, FAR, FAR + 1]
    expect(
        f"index_select(x, 0, {places})", picked_of(far, [5.0, 6.0, 7.0], places), [7.0, 5.0, 6.0]
    )


def added(out, places, source, dim=0, give=device):
    def call():
        target, index = device(out), device(places, np.int64)
        return SIM.index_add(target, dim, index, give(source)).tolist()

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
def test_adding_rows_and_columns():
    out, rows = numbers(3, 2), numbers(4, 2, first=5)
    right = out.copy()
    np.add.at(right, [2, 0, 2, 1], rows)
    expect("4 rows added to rows 2, 0, 2, 1", added(out, [2, 0, 2, 1], rows), right.tolist())
    shown = "the same, of rows that lie turned"
    expect(shown, added(out, [2, 0, 2, 1], rows, give=turned), right.tolist())
    right = out.copy()
    np.add.at(right.T, [1, 1, 0], rows[:3, :1] + np.float32([[0, 20, 40]]))
    columns = (rows[:3, :1] + np.float32([[0, 20, 40]])).T
    shown = "3 columns added to columns 1, 1, 0"
    expect(shown, added(out, [1, 1, 0], columns, dim=1), right.tolist())


@exercise("3.3")
def test_adding_where_there_is_no_place():
    for places in ([2], [-1]):
        shown = f"index_add([0.0, 0.0], 0, {places}, [1.0])"
        expect_error(shown, added([0.0, 0.0], places, [1.0]), IndexError)


@exercise("3.3")
def test_adding_where_there_are_several_places_that_do_not_exist():
    for places in ([7, 9], [9, 0, 7, 1], [2**32], [0] * 100 + [-1] + [0] * 1023 + [-2]):
        last = [place for place in places if not 0 <= place < 3][-1]
        call = place_named(added([0.0] * 3, places, [1.0] * len(places)))
        said = places if len(places) < 9 else "1125 places"
        shown = f"index_add([0.0] * 3, 0, {said}, ones): the last that does not exist"
        expect(shown, call, str(last))


@exercise("3.3", forms=(*FORMS, "no dimensions", "sum overflows"))
def test_adding_other_forms():
    places = [1, 1, 0]

    def columns(source):
        out = SIM.cast(device(np.ones((source.shape[0], 2))), source.dtype)
        return SIM.index_add(out, 1, device(places, np.int64), source)

    def right(source):
        return np.stack([source[:, 2], source[:, 0] + source[:, 1]], 1) + 1

    expect_of_forms("3 columns added to columns 1, 1, 0 of ones", numbers(4, 3) / 4, columns, right)
    rows = np.zeros((0, 2), np.float32)
    expect("no rows added", added(numbers(3, 2), [], rows), numbers(3, 2).tolist())
    whole = [2**60 + 1, 5]

    def added_whole():
        x, index = device(whole, np.int64), device([1, 0], np.int64)
        return SIM.index_add(x, 0, index, x).tolist()

    expect(f"index_add({whole}, 0, [1, 0], {whole})", added_whole, [sum(whole)] * 2)
    over = added([3e38, 1.0], [0, 0], [3e38, 1.0])
    expect("str(index_add([3e38, 1.0], 0, [0, 0], [3e38, 1.0]))", lambda: str(over()), "[inf, 1.0]")

    def scalar():
        x = as_is(np.float32(5.0))
        return SIM.scatter_add(x, 0, as_is(np.int64(0)), x).tolist()

    expect("scatter_add of a number without a dimension", scalar, 10.0)


@exercise("3.3")
def test_adding_far_away():
    def call():
        out, bad = device([1.0, 2.0]), device([0], np.int64)
        index, source = device([FAR + 1, FAR, FAR + 1], np.int64), device([10.0, 20.0, 30.0])
        places = view(out, (FAR + 2,), (1,), -FAR)
        row = Layout((3,), (1,))
        to = (FAR + 2, 1, row._replace(strides=(0,)), places.pointer)
        named = (row, index.pointer, row, source.pointer, bad.pointer)
        SIM.launch_elements("scatter", out.dtype, "scatter_add_kernel", 3, *to, *named)
        return out.tolist()

    places = [FAR + 1, FAR, FAR + 1]
    expect(f"index_add(x, 0, {places}, [10.0, 20.0, 30.0])", call, [21.0, 42.0])


@exercise("3.3")
def test_adding_at_one_address_at_the_same_time():
    call = added([0.0], [0] * 64, [1.0] * 64)
    expect("64 threads add 1 to one place", call, [64.0])


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

    def largest():
        return SIM.amax(device(x), 1).tolist()

    expect("the largest of each of 3 rows", largest, x.max(1).tolist())
    many = numbers(9, 100)

    def summed():
        return SIM.sum(device(many), 1).tolist()

    expect("the sums of 9 rows by 4 blocks", summed, many.sum(1).tolist())


def by_blocks_of_1024():
    x, out = device([numbers(3000)] * 2), device([0.0] * 2)
    lines, inner = Layout((2,), (3000,)), Layout((3000,), (1,))
    arguments = (2, 3000, 1, lines, inner, x.pointer, out.pointer)
    source = family_source("reduce", ELEMENTS["float32"])
    SIM.backend.launch(source, "sum_kernel", (2, 1, 1), (1024, 1, 1), arguments)
    return out.tolist()


@exercise("3.4", forms=(*FORMS, "no dimensions", "sum overflows"))
def test_folds_of_other_forms():
    x = numbers(4, 70) / 4 - 1
    expect_of_forms("the sums of rows", x, lambda x: SIM.sum(x, 1), lambda x: x.sum(1))
    over = np.float32([3e38, 3e38, -3e38])
    for name, some, right in [
        ("sum", np.zeros(0, np.float32), 0.0),
        ("prod", np.zeros(0, np.float32), 1.0),
        ("sum", np.float32(5.0), 5.0),
        ("prod", np.full(40, 2, np.float32), 2.0**40),
        ("sum", np.full(40, 2**50 + 1), 40 * (2**50 + 1)),
        ("sum", over, float(over[0])),
        ("amax", np.full(33, -7), -7),
        ("amin", np.full(33, 7), 7),
        ("all", np.ones(33, bool), True),
        ("any", np.zeros(33, bool), False),
    ]:
        some = np.asarray(some)
        shown = f"{name} of {some.size} numbers, the first {some.flat[:1]}, {some.dtype}"
        expect(shown, lambda n=name, s=some: getattr(SIM, n)(as_is(s)).item(), right)
    expect("the sums of 2 rows of 3000 by blocks of 1024 threads", by_blocks_of_1024, [16500.0] * 2)
    for place in (0, 37, 69):
        some = x[0].copy()
        some[place] = np.nan
        shown = f"str(the largest of 70 numbers, of which number {place} is NaN)"
        expect(shown, lambda some=some: str(SIM.amax(as_is(some)).item()), "nan")


def running(x, dim=0, name="cumsum"):
    return lambda: getattr(SIM, name)(device(x), dim).tolist()


@exercise("3.5")
def test_running_sums_of_a_few():
    for x in ([3.0], [3.0, 4.0], [1.0, 2.0, 3.0, 4.0, 5.0]):
        expect(f"cumsum({x})", running(x), np.cumsum(x).tolist())


@exercise("3.5")
def test_running_sums_of_many():
    for size in (31, 256, 700):
        x = numbers(size)
        expect(f"cumsum of {size} numbers", running(x), np.cumsum(x).tolist())


@exercise("3.5")
def test_running_results_of_several_lines():
    x = numbers(9, 40)
    for dim in (1, 0):
        shown = f"cumsum of an array 9 x 40 along dim {dim}"
        expect(shown, running(x, dim), np.cumsum(x, dim).tolist())
    expect("cumprod([1, 2, 3, 4])", running([1, 2, 3, 4], name="cumprod"), [1.0, 2.0, 6.0, 24.0])

    def places():
        return SIM.cummax(device([1, 3, 3, 2]), 0)[1].tolist()

    expect("cummax([1, 3, 3, 2])[1], of equals the later", places, [0, 1, 2, 2])


@exercise("3.5", forms=(*FORMS, "no dimensions", "sum overflows"))
def test_running_results_of_other_forms():
    x = numbers(4, 40) / 4 - 1
    for dim in (0, 1):
        shown = f"cumsum along dim {dim}"
        expect_of_forms(shown, x, lambda x, d=dim: SIM.cumsum(x, d), lambda x, d=dim: x.cumsum(d))
    expect("cumsum of nothing", running([]), [])
    expect("cumsum of a number without a dimension", running(5.0), 5.0)
    bits = [2**60 + 1, 1, -1]
    expect(
        f"cumsum({bits})",
        lambda: SIM.cumsum(device(bits, np.int64), 0).tolist(),
        np.cumsum(bits).tolist(),
    )
    over = running([3e38, 3e38, -3e38, -3e38])
    expect(
        "str(cumsum([3e38, 3e38, -3e38, -3e38])), in double",
        lambda: str(over()),
        str([float(np.float32(3e38)), np.inf, float(np.float32(3e38)), 0.0]),
    )

    def extreme():
        values, places = SIM.cummin(device([3, 1, np.nan, 0, 1]), 0)
        return str(values.tolist()), places.tolist()

    shown = "cummin([3, 1, nan, 0, 1]): str(values), places"
    expect(shown, extreme, ("[3.0, 1.0, nan, nan, nan]", [0, 1, 2, 2, 2]))


@exercise("3.5")
def test_the_work_is_shared():
    x = device(numbers(256))

    def writes():
        return counted(lambda: SIM.cumsum(x, 0)).shared_writes >= 256 + sum(
            256 - 2**round for round in range(8)
        )

    expect_cost(
        "do 256 threads write in each of the eight rounds that have a left one?", writes, True
    )

    def reads():
        return counted(lambda: SIM.cumsum(x, 0)).shared_reads <= 256 * (8 * 3 + 2)

    expect_cost("does a thread read at most three parts in a round?", reads, True)


# ---- What it costs -------------------------------------------------------------------------------


def column_sums(x):
    return lambda: SIM.sum(device(x), 0).tolist()


@exercise("3.8")
def test_the_sums_of_columns():
    for rows, columns in [(2, 32), (9, 33), (20, 70)]:
        x = numbers(rows, columns)
        shown = f"the sums of the columns, {rows} x {columns}"
        expect(shown, column_sums(x), x.sum(0).tolist())


@exercise("3.8")
def test_the_sums_of_more_columns_than_threads():
    x = numbers(3, 300)
    expect("the sums of 300 columns by 4 blocks", column_sums(x), x.sum(0).tolist())


@exercise("3.8")
def test_the_sums_of_other_columns():
    x = numbers(2, 5, 40)

    def summed():
        return SIM.sum(device(x), 1).tolist()

    expect("the sum of an array 2 x 5 x 40 along dim 1", summed, x.sum(1).tolist())
    large = np.ones((64, 32), np.float32)
    large[0] = 1e8
    expect("1e8 and 63 ones in each column", lambda: column_sums(large)()[0], 100000064.0)
    half = large[:33]  # 5 elements in the part of share 0, 4 in each other: no float holds 1e8 + 4
    expect("1e8 and 32 ones in each column", lambda: column_sums(half)()[0], 100000032.0)


def sums_of_columns(x):
    """The kernel alone: `sum` hands what is one row, or nothing, to another one."""
    x = SIM.cast(x, device(0.0).dtype) if x.dtype.name == "float16" else x
    out = SIM.cast(device(np.zeros(x.shape[1])), x.dtype)
    outer, inner = (Layout(x.shape[d : d + 1], x.strides[d : d + 1]) for d in (1, 0))
    given = (x.shape[1], x.shape[0], outer, inner, x.pointer, out.pointer)
    source = family_source("sum_columns", ELEMENTS[x.dtype.name])
    SIM.backend.launch(source, "sum_columns_kernel", (2, 1, 1), (32, 8, 1), given)
    return out


@exercise("3.8", forms=(*FORMS, "sum overflows"))
def test_the_sums_of_columns_of_other_forms():
    x = numbers(9, 40) / 4 - 1
    expect_of_forms("the sums of 40 columns", x, sums_of_columns, lambda x: x.sum(0))
    volume = numbers(2, 5, 3, 40)
    shown = "the sums of an array 2 x 5 x 3 x 40 over the dims 0 and 2"
    expect(shown, lambda: SIM.sum(device(volume), (0, 2)).tolist(), volume.sum((0, 2)).tolist())
    over = np.tile(np.float32([[3e38], [3e38], [-3e38]]), (1, 32))
    expect("3e38, 3e38 and -3e38 in each column", column_sums(over), over[0].tolist())


@exercise("3.8")
def test_the_efficiency_of_column_sums():
    x = device(numbers(64, 64))

    def efficiency():
        return f"{profile(SIM.sum, x, 0).efficiency:.0%}"

    expect_cost("profile(ops.sum, x, 0).efficiency, 64 x 64", efficiency, "100%")

    def handed_over():
        with simulator(check=True) as counters:
            SIM.sum(x, 0)
        return counters.shared_writes >= 2 * 7 * 32

    expect_cost("do eight threads of a column hand over their parts?", handed_over, True)


def turned_by_tiles(x):
    return lambda: transpose(device(x), "padded").tolist()


@exercise("3.9")
def test_a_transpose_by_tiles():
    for rows, columns in [(1, 1), (2, 2), (32, 32), (33, 70)]:
        x = numbers(rows, columns)
        shown = f"lessons.transpose of {rows} x {columns}"
        expect(shown, turned_by_tiles(x), x.T.tolist())


@exercise("3.9", forms=(*FLOATS, "sum overflows"))
def test_a_transpose_of_other_forms():
    x = numbers(33, 32) / 4

    def call(x):
        return transpose(x, "padded")

    expect_of_forms("lessons.transpose", x, call, lambda x: x.T, FLOATS)
    over = np.full((2, 3), 3e38, np.float32)
    expect("lessons.transpose of six times 3e38", turned_by_tiles(over), over.T.tolist())


@exercise("3.9")
def test_no_bank_conflicts():
    def ways():
        lines = profile(transpose, device(numbers(64, 64)), "padded").lines
        return [round(line.ways, 2) for line in lines if line.shared_requests]

    expect_cost("ways: a row written into the tile, a column read from it", ways, [1.0, 1.0])


def three_digits(right):
    """The right results, rounded; none so near to an edge that a float could be rounded apart."""
    from_edge = np.abs((right * 1000) % 1 - 0.5) / 1000
    assert (from_edge > 1e-5 + 1e-7 * np.abs(right)).all(), "choose other inputs"
    return (np.round(right, 3) + 0).tolist()


def log_of_sum(x, dim=-1):
    x = np.array(x)
    return lambda: np.round(SIM.logsumexp(device(x), dim).tolist(), 3).tolist()


def right_log(x, dim=-1):
    x = np.array(x, np.float64)
    top = x.max(dim, keepdims=True)
    return three_digits(np.squeeze(top, dim) + np.log(np.exp(x - top).sum(dim)))


@exercise("3.10")
def test_the_logsumexp_of_a_few():
    for x in ([3.0], [0.0, 0.0], [3.0, 1.0], [-1000.0, -1001.0], [1000.0, 999.0]):
        expect(f"logsumexp({x}), three digits", log_of_sum(x), right_log(x))


@exercise("3.10")
def test_the_logsumexp_of_long_lines():
    falling, rising = np.arange(100, 0, -1) / 4, np.arange(700) / 4
    expect("logsumexp of 100 falling numbers", log_of_sum(falling), right_log(falling))
    expect("logsumexp of 700 rising numbers", log_of_sum(rising), right_log(rising))
    x = numbers(6, 300) * 3
    expect("of 6 rows by 4 blocks", log_of_sum(x), right_log(x))
    expect("of the columns of 40 x 3", log_of_sum(x[:, :3], 0), right_log(x[:, :3], 0))


@exercise("3.10")
def test_the_logsumexp_of_infinities():
    minus = float("-inf")
    expect("logsumexp([-inf, 0.0])", lambda: log_of_sum([minus, 0.0])(), 0.0)
    expect("str(logsumexp([-inf, -inf]))", lambda: str(log_of_sum([minus] * 2)()), "-inf")
    late = [minus] * 600 + [-1000.0, -1001.0] * 50
    expect("logsumexp([-inf] * 600 + [-1000.0, -1001.0] * 50)", log_of_sum(late), right_log(late))
    for text in ("nan", "inf"):
        special = float(text)
        for shown, x in [
            (f"[1.0, {text}]", [1.0, special]),
            (f"[{text}, -inf]", [special, minus]),
            (f"[{text}] + [1.0] * 600", [special] + [1.0] * 600),
            (f"[1.0] * 600 + [{text}]", [1.0] * 600 + [special]),
            (f"[{text}] * 600", [special] * 600),
        ]:
            expect(f"str(logsumexp({shown}))", lambda x=x: str(log_of_sum(x)()), text)


@exercise("3.10", forms=(*FORMS, "no dimensions", "sum overflows"))
def test_the_logsumexp_of_other_forms():
    def rounded(x, dim, digits=3):
        return np.round(SIM.logsumexp(x, dim).tolist(), digits).tolist()

    for form, x, give in of_forms(drawn(5, 40)):
        x = x - 2.0**40 if form == "float64" else x
        right = np.array(right_log(x, 1))
        if form == "float16":
            right = np.round(right.astype(np.float16).astype(np.float64), 3)

        def call(x=x, give=give):
            return rounded(give(x), 1)

        expect(f"logsumexp of rows of 40, {form}, three digits", call, right.tolist())
    nothing = np.zeros((2, 0), np.float32)
    expect(
        "str(logsumexp of 2 rows of nothing)",
        lambda: str(rounded(as_is(nothing), 1)),
        "[-inf, -inf]",
    )
    expect(
        "logsumexp of a number without a dimension",
        lambda: rounded(as_is(np.float32(2.0)), -1),
        2.0,
    )
    some = np.arange(600) / -128
    shown, right = (
        "logsumexp of 600 falling numbers, float64, twelve digits",
        np.log(np.exp(some).sum()),
    )
    expect(shown, lambda: rounded(as_is(some), 0, 12), round(float(right), 12))
    least = np.float32([-3e38] * 2)
    expect(
        "logsumexp([-3e38, -3e38])", lambda: SIM.logsumexp(as_is(least), 0).item(), float(least[0])
    )
    volume = drawn(2, 3, 4)
    shown = "logsumexp of an array 2 x 3 x 4 over the dims 0 and 2, three digits"
    flat = volume.transpose(1, 0, 2).reshape(3, 8)
    expect(shown, lambda: rounded(as_is(volume), (0, 2)), right_log(flat, 1))
    over = np.array([1e308, 1e308, -1e308])
    expect(
        f"logsumexp({over.tolist()}), float64",
        lambda: SIM.logsumexp(as_is(over), 0).tolist(),
        1e308,
    )


@exercise("3.10")
def test_one_walk():
    def read():
        return profile(SIM.logsumexp, device(numbers(8, 500)), 1).bytes_read

    expect_cost("bytes read for 8 rows of 500 floats", read, 8 * 500 * 4)


def attention(q, k, v, mask=None, is_causal=False, scale=None, give=device):
    def call():
        given = None if mask is None else SIM.from_buffer(mask)
        arrays = map(give, (q, k, v))
        out = SIM.scaled_dot_product_attention(*arrays, given, is_causal, scale)[0]
        return np.round(out.tolist(), 3).tolist()

    return call


def right_attention(q, k, v, mask=True, scale=None, added=0.0):
    q, k, v = (np.array(a, np.float64) for a in (q, k, v))
    scale = 1 / np.sqrt(q.shape[-1]) if scale is None else scale
    scores = np.where(mask, q @ np.swapaxes(k, -1, -2) * scale + added, -np.inf)
    top = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isinf(top), 0, top))
    total = weights.sum(-1, keepdims=True)
    return three_digits(weights @ v / np.where(total == 0, 1, total))


def drawn(*shape):
    """Numbers without an order, between -3 and 3."""
    return (np.random.default_rng(97).integers(-12, 13, shape) / 4).astype(np.float32)


@exercise("3.11")
def test_attention_to_a_few_keys():
    for queries, keys in [(1, 1), (1, 2), (2, 3)]:
        q, k, v = numbers(queries, 2) / 4, numbers(keys, 2) / 4, numbers(keys, 2, first=5)
        shown = f"attention of {queries} queries to {keys} keys, three digits"
        expect(shown, attention(q, k, v), right_attention(q, k, v))


@exercise("3.11")
def test_attention_to_a_later_tile():
    q, k = np.ones((1, 1)), np.arange(20).reshape(20, 1) / 4
    v = np.array([[4.0]] * 16 + [[8.0]] * 4)
    shown = "attention of a query to 20 keys, the largest score in the second tile"
    expect(shown, attention(q, k, v), right_attention(q, k, v))


@exercise("3.11")
def test_attention_over_several_tiles():
    q, k, v = drawn(2, 20, 5), drawn(2, 40, 5), drawn(2, 40, 3)
    shown = "2 batches of 20 queries and 40 keys"
    expect(shown, attention(q, k, v), right_attention(q, k, v))
    large = 60 * q
    expect("scores in the hundreds", attention(large, k, v), right_attention(large, k, v))


@exercise("3.11")
def test_attention_with_a_mask():
    q, k, v = drawn(2, 20, 5), drawn(2, 20, 5), drawn(2, 20, 3)
    seen = np.tril(np.ones((20, 20), bool))
    expect("is_causal=True", attention(q, k, v, None, True), right_attention(q, k, v, seen))
    seen[4] = False
    shown = "a mask in which query 4 sees no key"
    expect(shown, attention(q, k, v, seen), right_attention(q, k, v, seen))
    q, k, v = np.ones((1, 1)), np.full((20, 1), -200.0), np.array([[4.0]] * 16 + [[8.0]] * 4)
    last = np.arange(20).reshape(1, 20) >= 16
    shown = "a mask that hides the first tile, scores of -200"
    expect(shown, attention(q, k, v, last), right_attention(q, k, v, last))


@exercise("3.11", forms=(*FORMS, "sum overflows"))
def test_attention_of_other_forms():
    q, k, v = drawn(3, 4), drawn(19, 4), drawn(19, 2) + np.float32(3)
    for scale in (-1.0, -40.0, 40.0, 0.0):
        shown = f"attention of 3 queries to 19 keys, scale {scale}"
        expect(shown, attention(q, k, v, scale=scale), right_attention(q, k, v, scale=scale))
    for form, x, give in of_forms(q):
        x = x - 2.0**40 if form == "float64" else x
        call = attention(x, x, x[:, ::3], give=give)
        right = right_attention(x, x, x[:, ::3]) if len(x) else []
        expect(f"queries, keys and values, {form}", call, right)
    zeros, fine = np.zeros((4, 1)), 2.0**40 + np.array([[1], [2], [3], [6.0]])
    call = attention(zeros, zeros, fine, give=as_is)
    expect("4 equal weights of values above 2 ** 40, float64", call, [[2.0**40 + 3]] * 4)
    some = np.where(drawn(3, 19) > 2, -np.inf, drawn(3, 19)[::-1]).astype(np.float32)
    right = right_attention(q, k, v, added=some)
    expect("a mask that is added, with -infinity in it", attention(q, k, v, some), right)
    seen = np.tril(np.ones((3, 19), bool))
    shown = "is_causal=True, more keys than queries"
    expect(shown, attention(q, k, v, None, True), right_attention(q, k, v, seen))
    no = np.zeros((0, 4), np.float32)
    expect("3 queries, no keys", attention(q, no, no[:, :2]), [[0.0, 0.0]] * 3)
    for score in (-1e5, -1e35):
        same = np.full((19, 1), score, np.float32)
        shown = f"attention of a query to 19 keys, all scores {score}"
        right = three_digits(v.astype(np.float64).mean(0, keepdims=True))
        expect(shown, attention(np.ones((1, 1)), same, v, scale=1.0), right)
    x = np.arange(3.0)[:, None]

    def fine():
        out = SIM.scaled_dot_product_attention(
            *(as_is(a) for a in (x + 1, x, 4 * x)), None, False, 1.0
        )
        return np.round(out[0].tolist(), 12).tolist()

    powers = np.exp((x + 1) * x.T)
    right = np.round(powers @ (4 * x) / powers.sum(1, keepdims=True), 12).tolist()
    expect("3 queries, 3 keys, float64, twelve digits", fine, right)
    large = np.float32([[3e38], [1e38]])

    def apart():
        eye = SIM.from_buffer(np.eye(2, dtype=bool))
        alike = device(np.zeros((2, 1)))
        return SIM.scaled_dot_product_attention(alike, alike, as_is(large), eye)[0].tolist()

    expect("values of 3e38 and 1e38, each seen by one query", apart, large.tolist())


@exercise("3.11")
def test_the_logsumexp_of_the_scores():
    q, k, v = drawn(3, 4), drawn(40, 4), drawn(40, 2)

    def of(scale):
        out = SIM.scaled_dot_product_attention(*map(device, (q, k, v)), None, False, scale)[1]
        return np.round(out.tolist(), 3).tolist()

    for scale in (1.0, -1.0, 8.0):
        right = right_log(scale * (q.astype(np.float64) @ k.T))
        expect(
            f"the logsumexp of 3 x 40 scores, scale {scale}", lambda scale=scale: of(scale), right
        )


def counts(x, bins, high):
    return lambda: SIM.histc(device(x), bins, 0.0, high).tolist()


def right_counts(x, bins, high):
    return np.histogram(x, bins, (0, high))[0].astype(float).tolist()


@exercise("3.12")
def test_counting_a_few():
    for x, bins in [([0.5], 1), ([0.5, 1.5, 1.5], 2), ([0.5] * 64, 4)]:
        shown = f"{bins} bins of {len(x)} values"
        high = float(bins)
        expect(shown, counts(x, bins, high), right_counts(x, bins, high))


@exercise("3.12")
def test_counting_in_many_bins():
    x = np.arange(600) % 250 + 0.5
    for bins in (300, 1024, 2000):
        shown = f"{bins} bins of 600 values"
        expect(shown, counts(x, bins, 300.0), right_counts(x, bins, 300.0))


@exercise("3.12")
def test_few_bins_are_counted_in_shared_memory():
    call = counts([0.5, 1.5] * 32, 2, 2.0)

    def shared():
        return counted(call).shared_writes >= 2 + 64

    expect_cost("2 bins of 64 values: do all threads count in shared memory?", shared, True)


@exercise("3.12", forms=(*FORMS, "no dimensions", "sum overflows"))
def test_counting_other_forms():
    def few(x):
        return SIM.histc(x, 4, 0.0, 4.0)

    def right(x):
        return np.histogram(x, 4, (0, 4))[0].astype(x.dtype)

    expect_of_forms("4 bins of a table", numbers(4, 9) / 4, few, right)
    x = np.float32([-0.5, 0.5, 1.5, 4.5, np.nan, np.inf, 1.5, 4.0])
    shown = "4 bins of [-0.5, 0.5, 1.5, 4.5, nan, inf, 1.5, 4.0]"
    expect(shown, counts(x, 4, 4.0), [1.0, 2.0, 0.0, 1.0])
    expect("4 bins of a number without a dimension", counts(2.5, 4, 4.0), [0.0, 0.0, 1.0, 0.0])
    expect("4 bins of 3000 equal values", counts([2.5] * 3000, 4, 4.0), [0.0, 0.0, 3000.0, 0.0])
    expect("2 bins of [0.0, 3e38, 3e38]", counts([0.0, 3e38, 3e38], 2, 3e38), [1.0, 2.0])
    double = 2.0**40 + np.array([0.5, 1.5, 1.5])

    def fine():
        return SIM.histc(as_is(double), 2, 2.0**40, 2.0**40 + 2).tolist()

    expect("2 bins of 3 values of 42 bits, float64", fine, [1.0, 2.0])
    for size, whole in [
        (4, [3, 0, 3, 1]),
        (1024, [1023, 5, 5]),
        (1025, [1024] * 40),
        (3000, [2999, 0] * 300),
    ]:

        def counted_whole(size=size, whole=whole):
            x, bins = device(whole, np.int64), device([0] * size, np.int64)
            given = (len(whole), size, x.pointer, bins.pointer)
            SIM.launch_elements("histogram", x.dtype, "bincount_kernel", *given)
            return bins.tolist()

        shown = f"bincount of {len(whole)} whole numbers below {size}"
        expect(shown, counted_whole, np.bincount(whole).tolist())


def ordered(x, dim=-1, descending=False):
    def call():
        values, places = SIM.sort(device(x), dim, descending)
        return values.tolist(), places.tolist()

    return call


def right_order(x, dim=-1, descending=False):
    places = np.argsort(-x if descending else x, dim, kind="stable")
    return np.take_along_axis(x, places, dim).tolist(), places.tolist()


@exercise("3.13")
def test_sorting_a_row():
    for x in ([4.0], [2.0, 1.0], [3.0, 1.0, 2.0], [2.0, 2.0, 1.0, 2.0, 1.0]):
        shown = f"sort({x}): values and places"
        expect(shown, ordered(x), right_order(np.array(x)))
    x = drawn(300)
    expect("sort of 300 numbers, descending", ordered(x, 0, True), right_order(x, 0, True))


@exercise("3.13")
def test_sorting_more_rows_than_blocks():
    x = drawn(11, 5)
    expect("sort of 11 rows of 5 by 4 blocks", ordered(x), right_order(x))
    x = drawn(6, 9)
    expect("the columns of 6 x 9", ordered(x, 0), right_order(x, 0))
    x = drawn(3, 1500)[:, ::2]
    expect("rows of 750", ordered(x), right_order(x))


@exercise("3.13", forms=(*FORMS, "no dimensions", "sum overflows"))
def test_sorting_other_forms():
    for part in (0, 1):
        shown, x = f"sort of rows, {('values', 'places')[part]}", drawn(4, 8) * 4
        expect_of_forms(
            shown,
            x,
            lambda x, p=part: SIM.sort(x, -1, False)[p],
            lambda x, p=part: np.array(right_order(x)[p], x.dtype if p == 0 else np.int64).reshape(
                x.shape
            ),
        )
    expect("sort of a row of 64", ordered(drawn(64)), right_order(drawn(64)))
    expect("sort of 2 rows of nothing", ordered(np.zeros((2, 0))), ([[], []], [[], []]))
    expect("sort of a number without a dimension", ordered(np.float32(2.0), 0), (2.0, 0))
    equal = np.float32([2.0, 1.0, 2.0, 1.0, 2.0])
    shown = "sort([2.0, 1.0, 2.0, 1.0, 2.0], descending): values and places"
    expect(shown, ordered(equal, 0, True), right_order(equal, 0, True))
    large = np.float32([3e38, -3e38, 3.1e38])
    expect("sort([3e38, -3e38, 3.1e38]): values and places", ordered(large), right_order(large))
    some = [2.0, np.nan, 1.0, np.nan, np.inf, -np.inf]
    shown = "sort([2.0, nan, 1.0, nan, inf, -inf]): str(values), places"
    right = ("[-inf, 1.0, 2.0, inf, nan, nan]", [5, 2, 0, 4, 1, 3])
    expect(shown, lambda: (str(ordered(some)()[0]), ordered(some)()[1]), right)
    bits = np.array([2**60 + 1, 2**60, 2**60 + 2])

    def whole():
        values, places = SIM.sort(as_is(bits), 0, False)
        return values.tolist(), places.tolist()

    expect(f"sort({bits.tolist()}): values and places", whole, right_order(bits))


@exercise("3.13")
def test_sorting_rows_too_long_for_shared_memory():
    x = drawn(2, 1100)
    expect("2 rows of 1100", ordered(x), right_order(x))


@exercise("3.13")
def test_the_threads_sort_together():
    x = device(drawn(64))

    def counts():
        return profile(SIM.sort, x, 0, False)

    expect_cost(
        "64 numbers, 21 rounds: are there as many waits?", lambda: counts().barriers >= 21, True
    )

    def requests():
        return sum(line.shared_requests for line in counts().lines) < 21 * 32 * 4

    expect_cost("64 numbers: does a warp handle several pairs at a time?", requests, True)


def table_gradient(grad, index, rows, padding=-1, by_frequency=False, give=device, first=0):
    """The call; `first` is the number of the first row of `grad`, and of the table."""
    stood = np.argsort(index, kind="stable")  # not by sort_kernel, which is 3.13's

    def call():
        x = give(grad)
        out = device(np.zeros((rows, grad.shape[1])), grad.dtype)
        places = [device(np.array(index)[stood] + first, np.int64), device(stood + first, np.int64)]
        bad, table = (
            device([0], np.int64),
            view(out, out.shape, out.strides, -first * grad.shape[1]),
        )
        SIM.compute(
            *("embedding", x.dtype, "embedding_backward"),
            *(first + rows, *(array.pointer for array in places), *x.layout.strides, x.pointer),
            *(padding, int(by_frequency), table.pointer, bad.pointer),
            lines=(len(index), grad.shape[1]),
        )
        return out.tolist()

    return call


def right_table(grad, index, rows, padding=-1, by_frequency=False):
    right = np.zeros((rows, grad.shape[-1]), grad.dtype)
    np.add.at(right, index, grad)
    counts = np.bincount(index, minlength=rows)[:, None]
    right = right / np.maximum(1, counts) if by_frequency else right
    if padding >= 0:
        right[padding] = 0
    return right.tolist()


@exercise("3.14")
def test_the_gradient_of_a_table():
    for index, rows in [([0], 1), ([1, 0], 2), ([2, 0, 2], 3), ([1] * 5, 2)]:
        grad = numbers(len(index), 2)
        shown = f"the gradient of a table of 2 columns, index {index}, {rows} rows"
        expect(shown, table_gradient(grad, index, rows), right_table(grad, index, rows))


@exercise("3.14")
def test_the_gradient_of_many_rows_and_columns():
    index = [5, 0, 3, 5, 1, 2, 5, 0, 4, 3, 5]
    for width in (1, 40, 300):
        grad = numbers(len(index), width)
        shown = f"the gradient of a table of {width} columns, 6 rows by 4 blocks"
        expect(shown, table_gradient(grad, index, 7), right_table(grad, index, 7))
    grad = numbers(len(index), 3)
    shown = "the same of 3 columns, of a gradient that lies turned"
    expect(shown, table_gradient(grad, index, 7, give=turned), right_table(grad, index, 7))


@exercise("3.14")
def test_the_gradient_with_padding_and_by_frequency():
    grad, index = numbers(6, 3) * 4, [1, 3, 1, 0, 3, 3]
    shown = "the gradient of a table, row 3 is padding"
    expect(shown, table_gradient(grad, index, 4, 3), right_table(grad, index, 4, 3))
    grad = np.repeat(numbers(3, 1) * 12, 6, 0)[:6] * np.float32([[1, 2]])
    shown = "the gradient of a table, divided by how often a row was asked for"
    right = right_table(grad, index, 4, -1, True)
    expect(shown, table_gradient(grad, index, 4, -1, True), right)


@exercise("3.14", forms=(*FLOATS, "sum overflows"))
def test_the_gradient_of_other_forms():
    for form, grad, give in of_forms(numbers(4, 3) / 4 - 1, FLOATS):
        index = [2, 0, 2, 5][: len(grad)]
        shown = f"the gradient of a table, index {index}, {form}"
        expect(shown, table_gradient(grad, index, 6, give=give), right_table(grad, index, 6))
    shown, grad = "the gradient of a table without columns", np.zeros((3, 0), np.float32)
    expect(shown, table_gradient(grad, [2, 0, 2], 3), [[]] * 3)
    grad, index = numbers(4, 2) / 4, [3, 1, 3, 1]
    call = table_gradient(grad, index, 4, -1, True)
    expect("quarters, divided by two", call, right_table(grad, index, 4, -1, True))
    over = table_gradient(np.full((2, 1), 3e38, np.float32), [1, 1], 2)
    expect("str(the gradient of a table, twice 3e38)", lambda: str(over()), "[[0.0], [inf]]")


@exercise("3.14")
def test_the_gradient_of_a_table_of_more_rows_than_an_int_counts():
    index, grad = [2, 0, 2], numbers(3, 2)
    shown = f"the gradient of a table, row {FAR} and two more, index [{FAR + 2}, {FAR}, {FAR + 2}]"

    def give(x):
        return view(device(x), x.shape, (2, 1), -2 * FAR)

    call = table_gradient(grad, index, 3, give=give, first=FAR)
    expect(shown, call, right_table(grad, index, 3))
    call = table_gradient(grad, index, 3, -1, True, give=give, first=FAR)
    expect(shown + ", divided", call, right_table(grad, index, 3, -1, True))


@exercise("3.14")
def test_the_threads_share_the_columns():
    call = table_gradient(numbers(3, 64), [0, 1, 2], 3)
    shown = "numbers written for a table of 64 columns and 3 rows"
    expect_cost(shown, lambda: counted(call).global_writes, 3 * 64)

    def together():
        return profile(call).requests < 3 * 64

    expect_cost("does a warp read several of the 64 columns at a time?", together, True)
