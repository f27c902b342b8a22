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
from norch_cuda import profile
from norch_cuda.lessons import transpose
from norch_cuda.runtime.simulator_options import simulator

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
    return SIM.from_buffer(np.ascontiguousarray(values, dtype=dtype))


def turned(values):
    """The values on the device, as a view of memory in which they lie transposed."""
    stored = device(values.T)
    layout = stored.layout
    return stored.view(layout._replace(shape=layout.shape[::-1], strides=layout.strides[::-1]))


def spread(values):
    """A row of values on the device, with a number between each two that belongs to nobody."""
    stored = device([[value, 500.0] for value in values])
    return stored.view(stored.layout._replace(shape=(len(values),), strides=(2,)))


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
def test_the_naive_product_of_views_and_batches():
    products_of_views("matmul_naive")
    products_of_batches("matmul_naive")


@exercise("3.1")
def test_the_naive_product_with_a_bias():
    x, weight, bias = numbers(1, 3), numbers(4, 3, first=5), [10.0, 20.0, 30.0, 40.0]
    right = (x @ weight.T + bias).tolist()
    for shown, give in [("", device), (", every second number of a buffer", spread)]:

        def linear(give=give):
            return SIM.linear(device(x), device(weight), give(bias)).tolist()

        expect(f"linear of a row, bias {bias}{shown}", linear, right)


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
    for places in ([3], [-1], [0, 1, 7]):
        shown = f"index_select([5.0, 6.0, 7.0], 0, {places})"
        expect_error(shown, picked([5.0, 6.0, 7.0], places), IndexError)


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


@exercise("3.10")
def test_one_walk():
    def read():
        return profile(SIM.logsumexp, device(numbers(8, 500)), 1).bytes_read

    expect_cost("bytes read for 8 rows of 500 floats", read, 8 * 500 * 4)


def attention(q, k, v, mask=None, is_causal=False):
    def call():
        given = None if mask is None else SIM.from_buffer(mask)
        out = SIM.scaled_dot_product_attention(*map(device, (q, k, v)), given, is_causal)[0]
        return np.round(out.tolist(), 3).tolist()

    return call


def right_attention(q, k, v, mask=True):
    q, k, v = (np.array(a, np.float64) for a in (q, k, v))
    scores = np.where(mask, q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]), -np.inf)
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


def table_gradient(grad, index, rows, padding=-1, by_frequency=False, give=device):
    stood = np.argsort(index, kind="stable")  # not by sort_kernel, which is 3.13's

    def call():
        x, out = give(grad), device(np.zeros((rows, grad.shape[1])))
        places = [device(np.array(index)[stood], np.int64), device(stood, np.int64)]
        bad = device([0], np.int64)
        SIM.launch_lines(
            *("embedding", x.dtype, "embedding_backward_kernel", len(index), grad.shape[1], rows),
            *(array.pointer for array in places),
            *(*x.layout.strides, x.pointer, padding, int(by_frequency), out.pointer, bad.pointer),
        )
        return out.tolist()

    return call


def right_table(grad, index, rows, padding=-1, by_frequency=False):
    right = np.zeros((rows, grad.shape[-1]), np.float32)
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


@exercise("3.14")
def test_the_threads_share_the_columns():
    call = table_gradient(numbers(3, 64), [0, 1, 2], 3)
    shown = "numbers written for a table of 64 columns and 3 rows"
    expect_cost(shown, lambda: counted(call).global_writes, 3 * 64)

    def together():
        return profile(call).requests < 3 * 64

    expect_cost("does a warp read several of the 64 columns at a time?", together, True)
