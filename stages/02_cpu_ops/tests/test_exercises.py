"""The tests of exercises 2.1 to 2.12: from small cases to large, judged against plain Python.

`make check 2.1` compiles the reader's answer into a module and runs those marked 2.1 on it; pytest
runs all of them on the reference. They use the baseline kernels, the only ones that are compiled
for a check, and nothing that another exercise writes. Each array that an answer reads or writes is
watched: what lies beside it belongs to nobody.
"""

import array
import gc
import random
from bisect import bisect_left, bisect_right
from functools import partial
from itertools import product
from math import exp, fsum, inf, log, nan, prod, sqrt
from operator import mul

import norch_cpu_ops as cpu
from norch_course import meter
from norch_course.testing import exercise, expect
from norch_cpu_ops import _cpu, ops

DIGITS = 5
ROOM = 1 << 14  # elements; what a mistaken pointer meets there is the same in every run
HUGE = 2.0**127  # two of them are more than a float32 holds
KINDS = {cpu.float32: "f", cpu.float64: "d", cpu.int64: "q"}


def floats(values, *shape):
    """Return an array of ours with these numbers in row-major order."""
    flat = ops.from_buffer(array.array("f", values))
    return flat.view((shape, row_major(shape), 0)) if shape else flat


def nested(rows, dtype=cpu.float32):
    """Return an array of ours with the numbers of nested lists."""
    return _cpu.from_list(rows, dtype)


def amid(name, values, shape, others=nan, dtype=cpu.float32):
    """Return an array of ours amid others, and its place: nobody may read or write beside it."""
    room = meter.room(name, values, KINDS[dtype], others)
    return ops.share_buffer(room.memory).view((shape, row_major(shape), room.first)), room.place


def backwards(rows, dtype=cpu.float32):
    """Return an array with the elements of nested lists whose strides are all negative."""
    x = nested(rows, dtype)
    turned = nested([*_flat(rows)][::-1], dtype)
    return turned.view((x.shape, tuple(-step for step in row_major(x.shape)), prod(x.shape) - 1))


def repeated(row, count, dtype=cpu.float32):
    """Return an array with the same row `count` times, by a stride of 0."""
    x = nested(row, dtype)
    return x.view(((count, *x.shape), (0, *row_major(x.shape)), 0))


def _flat(rows):
    for row in rows:
        yield from _flat(row) if isinstance(row, list) else [row]


def made(shape, call, places=(), dtype=cpu.float32):
    """Return the result of a call, which finds room full of sevens, and leaves its places nowhere.

    The allocator hands the room out again that was given up last, so its place is known before;
    unless another array is collected just then, after which the call is made once more.
    """
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    gc.disable()
    try:
        for _ in range(3):
            found = ops.full(shape, 7, dtype)
            place = meter.place_of("result", found)
            meter.mark(place)
            del found
            found = meter.inside(_cpu, call, [*places, place])
            if meter.place_of("result", found).begin == place.begin:
                break
        return found.tolist()
    finally:
        gc.enable()


def at_most(count, call, place):
    """Return how many elements of a place a call reads, or that they are so many at most."""
    found = meter.read_by(_cpu, call, place)
    return f"at most {count}" if found is None or found <= count else found


def float32(value):
    """Round to the nearest number that a float32 holds."""
    return array.array("f", [value])[0]


def row_major(shape):
    """Return the strides of elements that lie row after row."""
    return tuple(prod(shape[i + 1 :]) for i in range(len(shape)))


def rounded(x, digits=DIGITS):
    """Return the elements as nested lists, with digits that do not depend on the order of sums."""
    x = x if isinstance(x, list | float) else x.tolist()
    return [rounded(row, digits) for row in x] if isinstance(x, list) else round(x, digits) + 0.0


def small_floats(count):
    """Return whole numbers from -3 to 3, whose products and sums are exact."""
    return [float((i * 5 + 2) % 7 - 3) for i in range(count)]


def rows_of(values, width):
    """Cut a list into rows."""
    return [values[i : i + width] for i in range(0, len(values), width)]


def strided(values, shape, strides, start=0):
    """Return the nested lists of a view."""
    if not shape:
        return values[start]
    starts = [start + i * strides[0] for i in range(shape[0])]
    return [strided(values, shape[1:], strides[1:], first) for first in starts]


def copied(view, dtype=cpu.float32):
    """Copy into the middle of much room: pointers that run too far spoil nothing else."""
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    size = prod(view.shape)
    found, place = amid("copy", [0] * size, view.shape, 0, dtype)
    meter.inside(_cpu, lambda: ops.copy_(found, view), [place])
    return found.tolist()


@exercise("2.1", forms=("N = 1", "negative stride", "stride 0", "no elements", "no dimensions"))
def test_the_odometer():
    numbers = [float(i) for i in range(2000)]
    buffer = floats(numbers)
    for shape, strides, start in [
        ((2, 3), (10, 2), 0),
        ((3, 2), (1, 40), 0),
        ((2, 2, 2), (100, 10, 2), 0),
        ((2, 3, 4), (40, 8, 2), 0),
        ((3, 2, 2, 3), (400, 90, 20, 3), 0),
        ((1, 3, 2), (500, 10, 3), 4),
        ((2, 3), (-10, -2), 50),
        ((2, 2, 2), (50, -7, 2), 20),
        ((2, 2, 3), (30, 0, 2), 0),
        ((2, 3, 2), (0, 10, 3), 0),
        ((2, 1, 2, 2, 2, 2), (700, 5, 300, -100, 20, 3), 400),
        ((2, 0, 3), (10, 5, 2), 0),
        ((), (), 3),
    ]:
        view = buffer.view((shape, strides, start))
        called = f"a copy of a view with shape {shape}, strides {strides} and offset {start}"
        expect(called, lambda v=view: copied(v), strided(numbers, shape, strides, start))


@exercise("2.1")
def test_the_odometer_moves_all_operands():
    numbers = [float(n) for n in range(-ROOM // 2, ROOM // 2)]
    first, second, middle = (100, 10, 2), (7, 20, 300), ROOM // 2
    shape = (2, 2, 2)

    def views():
        cpu.set_instruction_set(cpu.instruction_sets()[0])
        x, y = floats(numbers), floats(numbers)
        return x.view((shape, first, middle)), y.view((shape, second, middle))

    def added_in_place():
        x, y = views()
        ops.add_(y, x)
        return y.tolist()

    def chosen():
        x, y = views()
        flags = [0.0] * ROOM
        flags[middle + 1] = flags[middle + 5] = 1.0
        mask = ops.gt(floats(flags), floats([0.5] * ROOM))
        return ops.where(mask.view((shape, (4, 2, 1), middle)), x, y)

    right = [[[0.0, 302.0], [30.0, 332.0]], [[107.0, 409.0], [137.0, 439.0]]]
    called = f"x + y of strides {first} and {second}"
    expect(f"{called}, in place of y", added_in_place, right)
    expect(called, lambda: made(shape, lambda: ops.add(*views())), right)
    right = [[[0.0, 2.0], [20.0, 320.0]], [[7.0, 102.0], [27.0, 327.0]]]
    expect(f"where(mask, x, y) of strides {first} and {second}", lambda: made(shape, chosen), right)


@exercise("2.1")
def test_the_odometer_moves_five_operands():
    numbers, middle = [float(n % 16) for n in range(ROOM)], ROOM // 2
    shape, steps = (2, 2, 2), [(100, 10, 2), (7, 20, 300), (90, 8, 3), (50, 5, 200), (11, 70, 2)]

    def averaged():
        cpu.set_instruction_set(cpu.instruction_sets()[0])
        arrays = [floats(numbers).view((shape, strides, middle)) for strides in steps]
        lists = [[one] for one in arrays]
        meter.inside(_cpu, lambda: ops.adam_step(*lists, [1], 0.0, 0.5, 0.5, 1.0), [])
        return arrays[2].tolist()

    grad, mean = (strided(numbers, shape, strides, middle) for strides in steps[1:3])
    right = [
        [[(x + y) / 2 for x, y in zip(*rows, strict=True)] for rows in zip(*planes, strict=True)]
        for planes in zip(grad, mean, strict=True)
    ]
    expect("the mean after a step of Adam with five arrays, beta1 = 0.5", averaged, right)


@exercise("2.1", forms=("float16", "float64", "sum overflows"))
def test_the_odometer_counts_bytes():
    shape, strides, middle = (3, 2, 2), (12, 5, 2), 900
    for dtype, top in [(cpu.float64, 2.0**1023), (cpu.int64, 1 << 40), (cpu.float16, 60000.0)]:
        numbers = [float(i % 50) for i in range(2 * middle)]
        numbers[middle + 31] = numbers[middle + 19] = float(top)
        numbers = [int(x) for x in numbers] if dtype == cpu.int64 else numbers
        view = nested(numbers, dtype).view((shape, strides, middle))

        def turned(view=view, dtype=dtype):
            if dtype in KINDS:
                return copied(view, dtype)
            return made(shape, lambda: ops.contiguous(view), dtype=dtype)

        called = f"a copy of a view of {dtype} with shape {shape} and strides {strides}"
        expect(called, turned, strided(numbers, shape, strides, middle))


def pairwise(numbers):
    """Return the sum of numbers that lie amid others."""
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    x, place = amid("x", numbers, (len(numbers),))
    return meter.inside(_cpu, lambda: _cpu.lesson_sum(x, "pairwise"), [place])


@exercise("2.2", forms=("N = 1", "no elements"))
def test_pairwise_sum():
    for n in [1, 5, 1024, 1026, 1025, 4099, 100_001, 0]:
        expect(f"pairwise_sum of {n} ones", lambda n=n: pairwise([1.0] * n), float(n))
    for first, last in [(0, 2047), (1, 1025)]:
        numbers = [float(i) for i in range(first, last + 1)]
        shown = f"pairwise_sum of {first} to {last}"
        expect(shown, lambda x=numbers: pairwise(x), sum(numbers))


@exercise("2.2", forms=("sum overflows",))
def test_pairwise_sum_is_infinite_where_a_float32_is():
    numbers = [HUGE] + [0.0] * 1023
    called = "pairwise_sum of 2**127, 1023 zeros, and the same again"
    expect(called, lambda: str(pairwise(numbers * 2)), "inf")


def summed(numbers, level):
    """Return the sum of numbers by one lesson kernel."""
    return _cpu.lesson_sum(floats(numbers), level)


def ways_of_adding(numbers):
    """Return what comes of some orders of adding, each with its name."""
    parts = [summed(part, "vectorised") for part in rows_of(numbers, 1024)]
    halves = rows_of(numbers, max(1, len(numbers) // 2))
    return [
        (float32(fsum(numbers)), "exactly"),
        (summed(numbers, "naive"), "one number after the other"),
        (summed(numbers, "unrolled"), "every fourth number, one after the other"),
        (summed(numbers, "vectorised"), "all in one run"),
        (one_by_one(parts), "1024 numbers after the other"),
        (one_by_one(parts[::-1]), "1024 numbers after the other"),
        (float32(sum(summed(half, "vectorised") for half in halves)), "two halves in one run each"),
        (in_halves(numbers, "naive"), "halves of halves, and those one number after the other"),
        (in_halves(numbers, "unrolled"), "halves of halves, and those four numbers at a time"),
        (in_halves(numbers, "vectorised"), "halves of halves, down to 1024 numbers"),
    ]


def one_by_one(parts):
    """Return the sum of parts in a float32, one after the other."""
    total = 0.0
    for part in parts:
        total = float32(total + part)
    return total


def in_halves(numbers, level):
    """Return the sum of halves of halves; those of 1024 numbers are summed by a lesson kernel."""
    parts = [summed(part, level) for part in rows_of(numbers, 1024)]
    while len(parts) > 1:
        parts = [float32(sum(pair)) for pair in rows_of(parts, 2)]
    return parts[0]


@exercise("2.2")
def test_halves_are_cut_down_to_1024_numbers():
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    draw = random.Random(7)
    swallowed = [2.0**24] + [float(i in range(512, 1024, 64)) for i in range(1, 2048)]
    ours = "halves of halves, down to 1024 numbers"

    def drawn(count):
        return [float32(draw.uniform(-1, 2)) for _ in range(count)]

    def way(lists):
        """Name the order that explains all sums: two orders may well round one list alike."""
        names = []
        for x in lists:
            found = _cpu.lesson_sum(floats(x), "pairwise")
            names.append({name for total, name in ways_of_adding(x) if total == found})
        common = set.intersection(*names)
        return ours if ours in common else min(common, default="another order")

    for shown, lists in [
        ("16384 numbers, eight times", [drawn(1 << 14) for _ in range(8)]),
        ("2**24 and 1023 ones", [[2.0**24] + [1.0] * 1023]),
        ("2**24, then zeros and eight ones", [swallowed]),
        ("2048 numbers, eight times", [drawn(2048) for _ in range(8)]),
    ]:
        called = f"in which order pairwise_sum adds {shown}"
        expect(called, lambda x=lists: way(x), ours)


@exercise("2.2")
def test_pairwise_sum_keeps_digits():
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    n = 1 << 21
    tenths = floats([0.1] * n)
    exact = n * float32(0.1)
    called = f"the error of pairwise_sum of {n} times 0.1 is below 1e-6"
    expect(called, lambda: abs(_cpu.lesson_sum(tenths, "pairwise") / exact - 1) < 1e-6, True)


def matmul(a, b, k, n):
    """Multiply two lists as matrices (m, k) and (k, n)."""
    columns = list(zip(*rows_of(b, n), strict=True))
    return [[sum(map(mul, row, column)) for column in columns] for row in rows_of(a, k)]


def weighted(rows):
    """Return one number that changes when a number is changed or moved, exact in any order."""
    return sum(x * (1 + i % 11) for i, x in enumerate(x for row in rows for x in row))


def multiplied(level, a, b, m, k, n):
    """Return the product of two lists by the lesson kernel of a level, which leaves neither."""
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    x, of_a = amid("a", a, (m, k), 3)
    y, of_b = amid("b", b, (k, n), -2)
    return made((m, n), lambda: _cpu.lesson_matmul(x, y, level), [of_a, of_b])


def products(level, sizes):
    """Expect the lesson kernel of a level to multiply matrices of these sizes."""
    for m, k, n in sizes:
        a, b = small_floats(m * k), small_floats(k * n)
        right = matmul(a, b, k, n) if k * n else [[0.0] * n] * m
        right = right if m * n <= 64 else weighted(right)

        def multiply(args=(level, a, b, m, k, n), small=m * n <= 64):
            c = multiplied(*args)
            return c if small else weighted(c)

        what = "" if m * n <= 64 else "the weighted sum of "
        expect(f"{what}a ({m}, {k}) @ b ({k}, {n})", multiply, right)


@exercise("2.3", forms=("N = 1", "no elements"))
def test_blocked_product():
    sizes = [(1, 1, 1), (1, 2, 1), (2, 3, 2), (2, 64, 3), (2, 65, 3), (1, 2, 60)]
    sizes += [(3, 70, 300), (5, 130, 520), (2, 128, 512), (2, 0, 3), (0, 2, 3), (2, 3, 0)]
    products("blocked", sizes)


@exercise("2.3", forms=("sum overflows",))
def test_blocked_product_of_huge_numbers():
    b = [HUGE, -HUGE, 0.5, HUGE, HUGE, 0.25]
    called = f"[[1, 1]] @ {rows_of(b, 3)}"
    expect(called, lambda: str(multiplied("blocked", [1, 1], b, 1, 2, 3)), "[[inf, 0.0, 0.75]]")


@exercise("2.3")
def test_a_block_is_fetched_once():
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    for m, k, n in [(1, 64, 256), (4, 64, 512), (4, 128, 256), (5, 130, 520)]:
        a, b = floats(small_floats(m * k), m, k), floats(small_floats(k * n), k, n)
        called = f"numbers of b fetched in a ({m}, {k}) @ b ({k}, {n}), if a cache holds a block"
        expect(called, lambda a=a, b=b: _cpu.lesson_fetches(a, b), k * n)


@exercise("2.4")
def test_tile_of_registers():
    """Each row of b is one number up to the last: no answer depends on how wide a vector is."""
    for m, k, n in [(6, 1, 128), (6, 2, 128), (6, 3, 128), (6, 3, 160), (12, 70, 128)]:
        a = small_floats(m * k)
        ends = [number for p in range(1, k + 1) for number in (p**2, p**2 + 100)]
        b = [number for p in range(1, k + 1) for number in (*[p**2] * (n - 1), p**2 + 100)]

        def multiply(a=a, b=b, m=m, k=k, n=n):
            rows = multiplied("registers", a, b, m, k, n)
            return [[row[0], row[-1]] for row in rows]

        shown = f"the first and the last column of a ({m}, {k}) @ b ({k}, {n})"
        expect(shown, multiply, matmul(a, ends, k, 2))


@exercise("2.4", forms=("N = 1", "no elements"))
def test_tiles_with_edges():
    sizes = [(12, 64, 64), (13, 70, 67), (30, 130, 40), (1, 3, 64), (7, 0, 64), (0, 3, 64)]
    products("registers", sizes)


@exercise("2.4", forms=("sum overflows",))
def test_tiles_of_huge_numbers():
    def ends():
        rows = multiplied("registers", [1.0, 1.0] * 6, [HUGE, *[0.0] * 127] * 2, 6, 2, 128)
        return [[str(row[0]), row[-1]] for row in rows]

    called = "the first and the last column of ones (6, 2) @ rows of 2**127 and 127 zeros"
    expect(called, ends, [["inf", 0.0]] * 6)


def softmax(row):
    """Return e to each number over their sum."""
    terms = [exp(x - max(row)) for x in row]
    return [term / sum(terms) for term in terms]


def columns_of(rows):
    """Turn nested lists around."""
    return [list(column) for column in zip(*rows, strict=True)]


def softmax_of_rows(rows, dim, dtype=cpu.float32):
    """Return softmax by ours of rows that lie amid others."""
    shape = (len(rows), len(rows[0]))
    x, place = amid("x", [number for row in rows for number in row], shape, nan, dtype)
    return made(shape, lambda: ops.softmax(x, dim), [place], dtype)


@exercise("2.5", forms=("N = 1", "float64", "sum overflows"))
def test_softmax_of_rows_and_columns():
    square, right = [[0.0, 0.0], [0.0, 1.0]], [[0.5, 0.26894], [0.5, 0.73106]]
    expect(f"softmax({square}, dim=0)", lambda: rounded(softmax_of_rows(square, 0)), right)
    rows = [[0.0], [0.0, 0.0], [0.0, 1.0, 2.0], [1000.0, 1001.0], [-60.0, -61.0]]
    for row in [*rows, [-1000.0, -999.0, -998.0]]:
        right = rounded(softmax(row))
        expect(f"softmax({row})", lambda r=row: rounded(softmax_of_rows([r], 1)[0]), right)
    repeats = [[0.0, 200.0, 0.0, 100.0] * 10]
    for shown, rows, dim, dtype in [
        ("[[0, 200, 0, 100] * 10]", repeats, 1, cpu.float32),
        ("", [[0.0, 1000.0, 1001.0], [-1001.0, -1000.0, 0.0]], 1, cpu.float32),
        ("", [[-1000.0, 0.0], [-1001.0, 1.0], [-1000.0, 2.0]], 0, cpu.float32),
        ("", [[0.0, -1000.0], [1.0, -1001.0], [2.0, -1000.0]], 0, cpu.float32),
        ("", [[0.0, 1000.0, 1001.0], [-1001.0, -1000.0, 0.0]], 1, cpu.float64),
        ("[[i * j for j in range(33)] for i in range(3)]", TABLE, 0, cpu.float64),
        ("[[i * j for j in range(33)] for i in range(3)]", TABLE, 1, cpu.float32),
        ("", [[3e38, 3e38], [-3e38, 3e38]], 1, cpu.float32),
    ]:
        digits = 12 if dtype == cpu.float64 else DIGITS
        right = [softmax(line) for line in (rows if dim else columns_of(rows))]
        right = rounded(right if dim else columns_of(right), digits)
        called = f"softmax({shown or rows}, dim={dim}) in {dtype}, {digits} digits"

        def ours(args=(rows, dim, dtype), digits=digits):
            return rounded(softmax_of_rows(*args), digits)

        expect(called, ours, right)

    for row in [[0.0, nan, 1.0], [-inf, -inf]]:  # 0 / 0 is no number, and no 0
        called = f"softmax({row})"
        expect(called, lambda r=row: str(softmax_of_rows([r], 1)[0]), str([nan] * len(row)))


TABLE = [[float(i * j) for j in range(33)] for i in range(3)]


@exercise("2.5", forms=("negative stride", "stride 0", "no dimensions", "float16", "no elements"))
def test_softmax_of_views():
    def of(make, dim, digits=DIGITS):
        cpu.set_instruction_set(cpu.instruction_sets()[0])
        return rounded(ops.softmax(make(), dim), digits)

    row = [0.0, 1.0, 3.0]
    right, half = rounded(softmax(row)), rounded(softmax(row), 2)
    for shown, make, wanted in [
        ("[0, 1, 3], read backwards", lambda: backwards(row), right),
        ("[[0, 1, 3]] * 2, by a stride of 0", lambda: repeated(row, 2), [right] * 2),
        ("[2, 2, 2], by a stride of 0", lambda: repeated(2.0, 3), rounded([1 / 3] * 3)),
        ("a number", lambda: nested(5.0), 1.0),
        ("an array of shape (0, 3)", lambda: ops.empty((0, 3), cpu.float32), []),
        ("an array of shape (2, 0)", lambda: ops.empty((2, 0), cpu.float32), [[], []]),
    ]:
        expect(f"softmax of {shown}", lambda m=make: of(m, -1), wanted)
    shown = "softmax of [0, 1, 3] in float16, two digits"
    expect(shown, lambda: of(lambda: nested(row, cpu.float16), 0, 2), half)


def gradient_of(logits, target, grad, lse, dtype=cpu.float32):
    """Return the gradient by ours, of lists that lie amid others; lse is every second number."""
    shape = (len(logits), len(logits[0]) if logits else 3)
    x, of_x = amid("x", [number for row in logits for number in row], shape, 7, dtype)
    apart, of_lse = amid("lse", [one for x in lse for one in (x, 500)], (2 * len(lse),), 500, dtype)
    g, of_g = amid("grad", grad, (len(grad),), 300, dtype)
    apart = apart.view(((len(lse),), (2,), ROOM * 4 // of_lse.itemsize))
    args = (g, x, apart, nested(target or [0], cpu.int64).view(((len(target),), (1,), 0)), -100)
    return made(shape, lambda: ops.cross_entropy_backward(*args), [of_x, of_lse, of_g], dtype)


def logsumexp(row):
    """Return the logarithm of the sum of e to each number."""
    return max(row) + log(sum(exp(x - max(row)) for x in row))


def right_gradient(logits, target, grad, digits=DIGITS):
    """Return softmax less 1 at the target, times the gradient from above."""
    rows = [
        [(share - (j == at)) * g for j, share in enumerate(softmax(row))]
        for row, at, g in zip(logits, target, grad, strict=True)
    ]
    return rounded(rows, digits)


@exercise("2.6", forms=("N = 1", "float64", "sum overflows", "no elements"))
def test_cross_entropy_backward():
    for logits, target, grad, dtype in [
        ([[0.0, 0.0]], [0], [1.0], cpu.float32),
        ([[0.0, 1.0, 2.0]], [2], [1.0], cpu.float32),
        ([[0.0, 1.0, 2.0]], [1], [0.5], cpu.float32),
        ([[-200.0, -201.0, -202.0]], [0], [1.0], cpu.float32),
        ([[8.0, 0.0]], [0], [1.0], cpu.float32),
        ([[0.0, 100.0, 101.0]], [1], [1.0], cpu.float32),
        ([[3.0, 1.0], [0.0, 200.0], [-5.0, 5.0]], [0, 1, 0], [1.0, 2.0, -0.25], cpu.float32),
        ([[0.0, 1.0], [-200.0, -201.0]], [1, 0], [1.0, 1.0], cpu.float32),
        ([[16384.0, 16384.0]], [1], [1.0], cpu.float32),
        ([[2.0**20, 2.0**20 - 1.0, 0.0]], [0], [2.0], cpu.float32),
        ([[3e38, 3e38, -3e38]], [0], [1.0], cpu.float32),
        ([[0.0, 1.0, 2.0], [5.0, 5.0, 5.0]], [1, 2], [0.0, -1.0], cpu.float64),
        ([[0.0, 1.0, 2.0]], [1], [0.1], cpu.float64),
        ([[float(j % 5) for j in range(33)]], [32], [8.0], cpu.float32),
        ([], [], [], cpu.float32),
    ]:
        args = (logits, target, grad, list(map(logsumexp, logits)), dtype)
        called = f"cross_entropy_backward(grad={grad}, logits={logits}, target={target})"
        digits = 12 if dtype == cpu.float64 else DIGITS
        right = right_gradient(logits, target, grad, digits)
        expect(called, lambda a=args, digits=digits: rounded(gradient_of(*a), digits), right)


@exercise("2.6", forms=("negative stride", "stride 0", "float16"))
def test_cross_entropy_backward_of_views():
    def of(logits, grad, lse, digits=DIGITS):
        cpu.set_instruction_set(cpu.instruction_sets()[0])
        target = nested([1, 0], cpu.int64)
        return rounded(ops.cross_entropy_backward(grad(), logits(), lse(), target, -100), digits)

    rows = [[0.0, 1.0], [3.0, 1.0]]
    lse, same = list(map(logsumexp, rows)), [logsumexp(rows[0])] * 2

    def lse_backwards():  # amid others, so that a wrong stride reads the same in every run
        return nested([7.0, 9.0, *lse[::-1], 5.0, 3.0]).view(((2,), (-1,), 3))

    for shown, arrays, right in [
        (
            "logits and lse read backwards",
            (lambda: backwards(rows), lambda: nested([2.0, -1.0]), lse_backwards),
            right_gradient(rows, [1, 0], [2.0, -1.0]),
        ),
        (
            "grad by a stride of 0",
            (lambda: nested(rows), lambda: repeated(0.5, 2), lambda: nested(lse)),
            right_gradient(rows, [1, 0], [0.5, 0.5]),
        ),
        (
            "all by a stride of 0",
            (lambda: repeated(rows[0], 2), lambda: repeated(0.5, 2), lambda: repeated(same[0], 2)),
            right_gradient(rows[:1] * 2, [1, 0], [0.5, 0.5]),
        ),
    ]:
        expect(f"cross_entropy_backward, {shown}", lambda a=arrays: of(*a), right)
    half = (
        lambda: nested([[0.0, 0.0]] * 2, cpu.float16),
        lambda: nested([2.0, 4.0], cpu.float16),
        lambda: nested([log(2.0)] * 2, cpu.float16),
    )
    shown = "cross_entropy_backward in float16, two digits"
    expect(shown, lambda: of(*half, 2), [[1.0, -1.0], [-2.0, 2.0]])


def philox(seed, quad, lane=0):
    """Return the four words of one counter, in plain Python: kernels/philox.h in other words."""
    a, b, c, d = quad & 0xFFFFFFFF, quad >> 32, lane, 0
    key0, key1 = seed & 0xFFFFFFFF, seed >> 32
    for _ in range(10):
        p0, p1 = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b = (p1 >> 32) ^ b ^ key0, p1 & 0xFFFFFFFF
        c, d = (p0 >> 32) ^ d ^ key1, p0 & 0xFFFFFFFF
        key0, key1 = (key0 + 0x9E3779B9) & 0xFFFFFFFF, (key1 + 0xBB67AE85) & 0xFFFFFFFF
    return a, b, c, d


@exercise("2.7", forms=("no elements", "no dimensions", "N = 1", "float64"))
def test_philox():
    for seed, offset, shape in [
        (0, 0, (1,)),
        (0, 0, (4,)),
        (1, 0, (4,)),
        (7 << 33, 1000, (8,)),
        (12345, 1 << 34, (6,)),
        (99, 2, (300,)),
        (5, 0, ()),
        (5, 0, (2, 0)),
    ]:
        n, first = prod(shape), offset // 4
        words = [w for q in range(first, first + n // 4 + 2) for w in philox(seed, q)]
        right = [(w >> 8) * 2.0**-24 for w in words[offset % 4 :][:n]]
        right = strided(right, shape, row_major(shape))
        called = f"uniform({shape}, 0.0, 1.0, float32, seed={seed}, offset={offset})"
        draw = (0.0, 1.0, cpu.float32, seed, offset)
        if n > 8:
            called, right = f"the sum of {called}", fsum(right)
        expect(called, partial(drawn, shape, draw, n > 8), right)
    pairs = zip(philox(3, 0, 0), philox(3, 0, 1), strict=True)
    right = [((high << 32 | low) >> 11) * 2.0**-53 for high, low in pairs]
    called = "uniform((4,), 0.0, 1.0, float64, seed=3, offset=0)"
    expect(called, partial(drawn, (4,), (0.0, 1.0, cpu.float64, 3, 0), False), right)


def drawn(shape, draw, is_summed):
    """Return what ours draws, or the sum of it."""
    found = made(shape, lambda: ops.uniform(shape, *draw), (), draw[2])
    return fsum(found) if is_summed else found


CASES = [  # param, gradient, buffer, dampening, nesterov, first, decay
    (1.0, 0.5, 0.0, 0.0, False, False, 0.0),
    (1.0, 0.5, 2.0, 0.0, False, False, 0.0),
    (1.0, 0.5, nan, 0.0, False, True, 0.0),
    (1.0, 0.5, 2.0, 0.25, False, False, 0.0),
    (1.0, 0.5, nan, 0.25, False, True, 0.0),
    (1.0, 0.5, 2.0, 0.0, True, False, 0.0),
    (1.0, 0.5, nan, 0.0, True, True, 0.0),
    (1.0, 0.5, 4.0, 0.0, False, True, 0.0),
    (1.0, 0.5, 2.0, 0.0, False, False, 0.125),
    (1.0, 0.5, 2.0, 0.0, True, False, 0.125),
    (-1.0, 0.0, -2.0, 0.5, False, False, 0.0),
    (1.0, 0.5, nan, 0.5, False, True, 0.125),
    (1.0, 0.5, nan, 0.0, True, True, 0.125),
]


def one_step(param, grad, buffer, dampening, nesterov, first, decay):
    """Return a number of a parameter and of its buffer after a step, by arithmetic."""
    g = grad + decay * param
    new = g if first else 0.5 * buffer + (1 - dampening) * g
    return param - 0.25 * (g + 0.5 * new if nesterov else new), new


def step(arrays, dampening, nesterov, first, decay, places=()):
    """Make a step by ours; return param and buffer."""
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    p, g, b = arrays
    rule = (0.25, 0.5, dampening, decay, nesterov, first)
    meter.inside(_cpu, lambda: ops.sgd_step([p], [g], [b], *rule), places)
    return [p.tolist(), b.tolist()]


@exercise("2.8", forms=("N = 1",))
def test_momentum_step():
    for param, grad, buffer, *rule in CASES:
        right = [[number] for number in one_step(param, grad, buffer, *rule)]

        def stepped(numbers=(param, grad, buffer), rule=rule):
            pairs = [
                amid(name, [x], (1,))
                for name, x in zip(("param", "grad", "buffer"), numbers, strict=True)
            ]
            arrays, places = zip(*pairs, strict=True)
            return step(arrays, *rule, places)

        dampening, nesterov, first, decay = rule
        called = f"[param, buffer] = [{param}, {buffer}] after a step: lr 0.25, momentum 0.5, "
        called += f"gradient {grad}, dampening {dampening}, nesterov {nesterov}, first {first}"
        expect(called + (f", weight decay {decay}" if decay else ""), stepped, right)


@exercise(
    "2.8",
    forms=(
        "no elements",
        "no dimensions",
        "negative stride",
        "stride 0",
        "float16",
        "float64",
        "sum overflows",
    ),
)
def test_momentum_step_of_many():
    rule = (0.0, True, False, 0.0)
    numbers = [float(i % 9 - 4) for i in range(20)]
    right = columns_of([one_step(x, -x, 2 * x, *rule) for x in numbers])
    doubles = [2 * x for x in numbers]
    for dtype in (cpu.float32, cpu.float64, cpu.float16):

        def stepped(dtype=dtype):
            lists = (numbers, [-x for x in numbers], doubles)
            return step([nested(one, dtype) for one in lists], *rule)

        expect(f"[param, buffer] of 20 numbers in {dtype} after a step", stepped, right)
    fine = 1.0 + 2.0**-40

    def finely():
        return step([nested([x], cpu.float64) for x in (fine, fine, fine)], *rule)

    right = columns_of([one_step(fine, fine, fine, *rule)])
    expect("[param, buffer] of 1 + 2**-40 in float64 after a step", finely, right)

    def backwards_and_repeated():
        return step([backwards(numbers), repeated(3.0, 20), backwards(doubles)], *rule)

    right = columns_of([one_step(x, 3.0, 2 * x, *rule) for x in numbers])
    called = "[param, buffer] read backwards, the gradient by a stride of 0"
    expect(called, backwards_and_repeated, right)
    right = columns_of([one_step(x, HUGE, x, *rule) for x in (0.0, HUGE)])
    called = "[param, buffer] = [0, 2**127] after a step with gradients of 2**127"
    huge = ([0.0, HUGE], [HUGE, HUGE], [0.0, HUGE])
    expect(called, lambda: step([nested(one) for one in huge], *rule), right)
    for shown, shape, right in [("no numbers", (0, 2), [[], []]), ("a number", (), [0.375, 3.0])]:

        def small(shape=shape):
            return step(
                [nested([x]).view((shape, row_major(shape), 0)) for x in (1.0, 1.0, 4.0)], *rule
            )

        expect(f"[param, buffer] of {shown} after a step", small, right)


def outputs(size, kernel, stride, padding, dilation):
    """Return in how many places a kernel fits."""
    return (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


def windows_of(shape, kernel, stride, padding, dilation):
    """Return the columns of an image (C, H, W) of 1, 2, 3, ...: (C KH KW, OH OW)."""
    out = [outputs(shape[1 + k], kernel[k], stride[k], padding[k], dilation[k]) for k in (0, 1)]

    def element(c, *at):
        inside = all(0 <= at[k] < shape[1 + k] for k in (0, 1))
        return 1.0 + (c * shape[1] + at[0]) * shape[2] + at[1] if inside else 0.0

    def window(c, *first):
        places = product(*map(range, out))
        steps = [
            [o[k] * stride[k] + first[k] * dilation[k] - padding[k] for k in (0, 1)] for o in places
        ]
        return [element(c, *at) for at in steps]

    return [window(*first) for first in product(range(shape[0]), *map(range, kernel))]


IMAGES = [  # shape, kernel, stride, padding, dilation
    ((1, 1, 3), (1, 2), (1, 1), (0, 0), (1, 1)),
    ((1, 1, 3), (1, 2), (1, 1), (0, 1), (1, 1)),
    ((1, 1, 5), (1, 2), (1, 2), (0, 0), (1, 1)),
    ((1, 1, 4), (1, 3), (1, 2), (0, 2), (1, 1)),
    ((1, 3, 3), (2, 2), (1, 1), (1, 1), (1, 1)),
    ((2, 4, 5), (3, 2), (2, 1), (1, 1), (1, 2)),
    ((2, 3, 7), (2, 3), (1, 3), (1, 0), (2, 2)),
]


def called_with(name, shape, words):
    """Return a call as one reads it."""
    facts = zip(("kernel", "stride", "padding", "dilation"), words, strict=True)
    said = ", ".join(f"{fact} {value[0]} x {value[1]}" for fact, value in facts)
    return f"{name} of an image {shape}: {said}"


@exercise("2.9", forms=("N = 1",))
def test_windows_as_columns():
    for shape, *words in IMAGES:
        right = windows_of(shape, *words)
        to = (len(right), len(right[0]))

        def columns(shape=shape, words=words, to=to):
            x, place = amid("image", range(1, prod(shape) + 1), shape, -1)
            return made(to, lambda: ops.im2col(x, *words), [place])

        expect(called_with("im2col", shape, words), columns, right)


VIEWS = [  # how it is called, what makes it, the dtype
    ("read backwards", backwards, cpu.float32),
    ("in float64", nested, cpu.float64),
    ("in float16", nested, cpu.float16),
]


@exercise(
    "2.9",
    forms=("no elements", "negative stride", "stride 0", "float16", "float64", "sum overflows"),
)
def test_windows_of_views():
    shape, *words = IMAGES[4]
    image = [rows_of([float(i) for i in range(1, 10)], 3)]
    right = windows_of(shape, *words)

    def of(x):
        cpu.set_instruction_set(cpu.instruction_sets()[0])
        return ops.im2col(x, *words).tolist()

    for shown, make, dtype in VIEWS:
        called = f"{called_with('im2col', shape, words)}, {shown}"
        expect(called, lambda m=make, dtype=dtype: of(m(image, dtype)), right)
    fine = [[x + 2.0**-40 if x else 0.0 for x in row] for row in right]
    finer = [[[x + 2.0**-40 for x in row] for row in image[0]]]
    called = f"{called_with('im2col', shape, words)}, each pixel 2**-40 larger, in float64"
    expect(called, lambda: of(nested(finer, cpu.float64)), fine)
    right = [[HUGE if x else 0.0 for x in row] for row in right]
    called = f"{called_with('im2col', shape, words)} that is 2**127 everywhere, by strides of 0"
    expect(called, lambda: of(nested(HUGE).view((shape, (0, 0, 0), 0))), right)
    expect("im2col of an image without channels", lambda: of(ops.empty((0, 3, 3), cpu.float32)), [])


def added_back(shape, words, numbers):
    """Return the image to whose pixels the numbers of its columns were added, by arithmetic."""
    right = [0.0] * (1 + prod(shape))  # the first one takes what falls on the edge
    rows = windows_of(shape, *words)
    for number, place in zip(numbers, (int(x) for row in rows for x in row), strict=True):
        right[place] += number
    return strided(right, shape, row_major(shape), 1)


@exercise("2.10", forms=("N = 1",))
def test_columns_back_to_the_image():
    for shape, *words in IMAGES:
        rows = windows_of(shape, *words)
        size = (len(rows), len(rows[0]))
        numbers = [float(i) for i in range(1, prod(size) + 1)]

        def image(shape=shape, words=words, numbers=numbers, size=size):
            x, place = amid("columns", numbers, size)
            kernel, *others = words
            return made(shape, lambda: ops.col2im(x, shape[1:], kernel, *others), [place])

        right = added_back(shape, words, numbers)
        expect(called_with("col2im", shape, words), image, right)


@exercise(
    "2.10",
    forms=("no elements", "negative stride", "stride 0", "float16", "float64", "sum overflows"),
)
def test_columns_of_views():
    shape, *words = IMAGES[4]
    kernel, *others = words
    columns = rows_of([float(i % 7) for i in range(64)], 16)

    def of(x):
        cpu.set_instruction_set(cpu.instruction_sets()[0])
        return ops.col2im(x, shape[1:], kernel, *others).tolist()

    right = added_back(shape, words, [x for row in columns for x in row])
    for shown, make, dtype in VIEWS:
        called = f"{called_with('col2im', shape, words)}, {shown}"
        expect(called, lambda m=make, dtype=dtype: of(m(columns, dtype)), right)
    fine = added_back(shape, words, [1.0 + 2.0**-40] * 64)
    called = f"{called_with('col2im', shape, words)}, all 1 + 2**-40, in float64"
    finer = [[1.0 + 2.0**-40] * 16] * 4
    expect(called, lambda: of(nested(finer, cpu.float64)), fine)
    called = f"{called_with('col2im', shape, words)}, all 2**127, by strides of 0"
    right = str([[["inf"] * 3] * 3]).replace("'", "")
    expect(called, lambda: str(of(nested(HUGE).view(((4, 16), (0, 0), 0)))), right)
    called = "col2im of no columns"
    expect(called, lambda: of(ops.empty((0, 16), cpu.float32)), [])


def normed(rows, dtype=cpu.float32, digits=4):
    """Return rows normed by ours, in so many digits."""
    shape = (len(rows), len(rows[0]) if rows else 3)
    x, place = amid("x", [number for row in rows for number in row], shape, nan, dtype)
    # The result is the first of three arrays that come out, and the first that is made.
    found = made(shape, lambda: ops.layer_norm(x, None)[0], [place], dtype)
    return rounded(found, digits)


def right_norm(row, digits=4):
    """Return a row normed by arithmetic: its mean is a whole number."""
    mean = fsum(row) / len(row)
    spread = sqrt(fsum((x - mean) ** 2 for x in row) / len(row) + 1e-5)
    return [round((x - mean) / spread, digits) + 0.0 for x in row]


@exercise("2.11", forms=("N = 1", "no elements", "float64"))
def test_layer_norm_far_from_zero():
    for middle in (0, 3, 100, 10_000, 1_000_000):
        for row in [[-1, 1], [-2, 0, 2], [-3, -1, 1, 3], [0, 0], list(range(-20, 21))]:
            rows = [[float(x + middle) for x in one] for one in (row, row[::-1])]
            right = list(map(right_norm, rows))
            expect(f"layer_norm({rows}), four digits", lambda x=rows: normed(x), right)
    for rows, dtype, digits in [
        ([[5.0]], cpu.float32, 4),
        ([], cpu.float32, 4),
        ([[2.0**40 - 1.0, 2.0**40 + 1.0]], cpu.float64, 4),
        ([[-3.0, -1.0, 1.0, 3.0]], cpu.float64, 12),
        ([[float(j % 2) for j in range(65)] + [0.0]], cpu.float64, 12),
    ]:
        called = f"layer_norm({rows}) in {dtype}, {digits} digits"
        right = [right_norm(row, digits) for row in rows]
        expect(called, lambda args=(rows, dtype, digits): normed(*args), right)
    n = 50_000
    row = [float(n)] + [0.0] * (n - 1)
    called = f"the first number of layer_norm([[{n}.0, and {n - 1} zeros]]), one digit"
    expect(called, lambda: normed([row], digits=1)[0][0], round((n - 1) / sqrt(n - 1), 1))


@exercise("2.11")
def test_layer_norm_adds_eps():
    for dtype in (cpu.float32, cpu.float64):
        shown = f"layer_norm([[0.0, 0.002]]) in {dtype}, four digits"
        right = round(0.001 / sqrt(1e-6 + 1e-5), 4)
        expect(shown, lambda dtype=dtype: normed([[0.0, 0.002]], dtype), [[-right, right]])


@exercise("2.11")
def test_one_over_the_deviation():
    for row in ([0.0, 0.0], [5.0], [-1.0, 1.0], [-6.0, 0.0, 6.0]):

        def found(row=row):
            cpu.set_instruction_set(cpu.instruction_sets()[0])
            return rounded(ops.layer_norm(nested([row]), None)[2], 2)

        right = round(1 / sqrt(fsum(x * x for x in row) / len(row) + 1e-5), 2)
        right = right if len(row) > 1 else round(1 / sqrt(1e-5), 2)
        expect(f"one over the deviation of {row}, two digits", found, [right])


@exercise("2.11", forms=("negative stride", "stride 0"))
def test_layer_norm_of_views():
    def of(make):
        cpu.set_instruction_set(cpu.instruction_sets()[0])
        return rounded(ops.layer_norm(make(), None)[0], 4)

    rows = [[9999.0, 10001.0], [3.0, 1.0]]
    right = list(map(right_norm, rows))
    expect(f"layer_norm({rows}), read backwards", lambda: of(lambda: backwards(rows)), right)
    called = f"layer_norm({rows[:1] * 3}), by a stride of 0"
    expect(called, lambda: of(lambda: repeated(rows[0], 3)), [right[0]] * 3)


def searched(row, values, right, dtype=cpu.float32):
    """Return where ours puts values into a sorted row; it reads nothing beside the row."""
    x, place = amid("sorted", row, (len(row),), -9 if dtype == cpu.int64 else -inf, dtype)
    y = nested(values, dtype)
    return made((len(values),), lambda: ops.searchsorted(x, y, right), [place], cpu.int64)


def places(row, values, right):
    """Return where values belong in a sorted row."""
    return [(bisect_right if right else bisect_left)(row, value) for value in values]


ROWS = [[], [5], [5, 7], [1, 3, 5], [1, 3, 3, 3, 5], [2, 2, 2, 2], list(range(0, 40, 2))]


@exercise("2.12", forms=("N = 1", "no elements", "float64", "sum overflows"))
def test_searching_a_sorted_row():
    cases = [(row, cpu.float32) for row in ROWS] + [(ROWS[4], cpu.float64), (ROWS[4], cpu.int64)]
    cases += [([-inf, -1.0, inf], cpu.float32), ([-3e38, 3e38, 3.2e38], cpu.float32)]
    cases += [([1.0, 1.0 + 2.0**-40], cpu.float64), ([1 << 60, (1 << 60) + 1], cpu.int64)]
    for row, dtype in cases:
        for right in (False, True):
            values = [row[0] - 1, *(v + d for v in row for d in (0, 1))] if row else [3]
            shown = f"searchsorted({row}, {values}, right={right}) in {dtype}"
            args = (row, values, right, dtype)
            wanted = places(row, values, right)
            expect(shown, lambda args=args: searched(*args), wanted)
    values = [0, 70_001, 131_071, 131_072]
    long = list(range(1 << 17))
    for right in (False, True):
        shown = f"searchsorted(0 to 131071, {values}, right={right})"
        expect(shown, lambda r=right: searched(long, values, r), places(long, values, right))
        shown = f"searchsorted([1, 2, 4], [nan, 1.5], right={right})"
        expect(shown, lambda r=right: searched([1, 2, 4], [nan, 1.5], r), [3, 1])


@exercise("2.12", forms=("negative stride", "stride 0", "float16", "no dimensions"))
def test_searching_views():
    def of(x, y):
        cpu.set_instruction_set(cpu.instruction_sets()[0])
        return ops.searchsorted(x(), y(), False).tolist()

    row = [1.0, 2.0, 2.0, 4.0]
    half = cpu.float16
    for shown, x, y, wanted in [
        ("a row read backwards", lambda: backwards(row), lambda: nested([2.0, 5.0]), [1, 4]),
        ("a row by a stride of 0", lambda: repeated(2.0, 4), lambda: nested([2.0, 5.0]), [0, 4]),
        ("float16", lambda: nested(row, half), lambda: nested([2.0, 5.0], half), [1, 4]),
        ("a number", lambda: nested(row), lambda: nested(3.0), 3),
    ]:
        expect(f"searchsorted of {shown} in {row}", lambda x=x, y=y: of(x, y), wanted)


@exercise("2.12")
def test_a_search_halves_the_row():
    for shown, row, value, right, most in [
        ("0 to 1023", range(1 << 10), 0, False, 40),
        ("0 to 1023", range(1 << 10), 1023, True, 40),
        ("2**15 times 2", [2] * (1 << 15), 2, False, 60),
        ("2**15 times 2", [2] * (1 << 15), 2, True, 60),
    ]:

        def search(row=row, value=value, right=right, most=most):
            x, place = amid("sorted", row, (len(row),), -inf)
            y = nested([value], cpu.float32)
            return at_most(most, lambda: ops.searchsorted(x, y, right), place)

        called = f"elements of {shown} that the search for {value} reads, right={right}"
        expect(called, search, f"at most {most}")
