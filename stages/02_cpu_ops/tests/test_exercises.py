"""The tests of exercises 2.1 to 2.12: from small cases to large, judged against plain Python.

`make check 2.1` compiles the reader's answer into a module and runs those marked 2.1 on it; pytest
runs all of them on the reference. They use the baseline kernels, the only ones that are compiled
for a check, and nothing that another exercise writes.
"""

import array
import random
from bisect import bisect_left, bisect_right
from functools import partial
from itertools import product
from math import exp, inf, log, nan, prod, sqrt
from operator import mul

import norch_cpu_ops as cpu
from norch_course import meter
from norch_course.testing import exercise, expect
from norch_cpu_ops import _cpu, ops

DIGITS = 5
ROOM = 1 << 14  # elements; what a mistaken pointer meets there is the same in every run


def floats(values, *shape):
    """Return an array of ours with these numbers in row-major order."""
    flat = ops.from_buffer(array.array("f", values))
    return flat.view((shape, row_major(shape), 0)) if shape else flat


def nested(rows, dtype=cpu.float32):
    """Return an array of ours with the numbers of nested lists."""
    return _cpu.from_list(rows, dtype)


def made(shape, call, places, kind="f"):
    """Return the result of a call, which finds room full of sevens, and leaves its places nowhere.

    The allocator hands the room out again that was given up last, so its place is known before.
    """
    found = ops.from_buffer(array.array(kind, [7]) * prod(shape))
    place = meter.place_of("result", found)
    del found
    found = meter.inside(_cpu, call, [*places, place])
    if meter.place_of("result", found).begin != place.begin:
        raise RuntimeError("[tests] the result does not lie where it was watched")
    return found


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


def rounded(x):
    """Return the elements as nested lists, with digits that do not depend on the order of sums."""
    x = x if isinstance(x, list | float) else x.tolist()
    return [rounded(row) for row in x] if isinstance(x, list) else round(x, DIGITS)


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
    starts = range(start, start + shape[0] * strides[0], strides[0])
    return [strided(values, shape[1:], strides[1:], first) for first in starts]


def copied(view):
    """Copy into the middle of much room: pointers that run too far spoil nothing else."""
    found = floats([0] * ROOM).view((view.shape, row_major(view.shape), ROOM // 2))
    ops.copy_(found, view)
    return found.tolist()


@exercise("2.1")
def test_the_odometer():
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    numbers = [float(i) for i in range(2000)]
    buffer = floats(numbers)
    for shape, strides in [
        ((2, 3), (10, 2)),
        ((3, 2), (1, 40)),
        ((2, 2, 2), (100, 10, 2)),
        ((2, 3, 4), (40, 8, 2)),
        ((3, 2, 2, 3), (400, 90, 20, 3)),
    ]:
        view = buffer.view((shape, strides, 0))
        called = f"a copy of a view with shape {shape} and strides {strides}"
        expect(called, lambda v=view: copied(v), strided(numbers, shape, strides))


@exercise("2.1")
def test_the_odometer_moves_all_operands():
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    right = [[[0.0, 302.0], [30.0, 332.0]], [[107.0, 409.0], [137.0, 439.0]]]

    def added():
        middle = ROOM // 2
        numbers = range(-middle, middle)
        x = floats(numbers).view(((2, 2, 2), (100, 10, 2), middle))
        y = floats(numbers).view(((2, 2, 2), (7, 20, 300), middle))
        ops.add_(y, x)
        return y.tolist()

    expect("x + y of strides (100, 10, 2) and (7, 20, 300)", added, right)


@exercise("2.2")
def test_pairwise_sum():
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    for n in [1, 5, 1024, 1026, 1025, 4099, 100_001]:
        x = floats([1] * n)
        called = f"pairwise_sum of {n} ones"
        expect(called, lambda x=x: _cpu.lesson_sum(x, "pairwise"), float(n))


@exercise("2.2")
def test_pairwise_sum_keeps_digits():
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    n = 1 << 21
    tenths = floats([0.1] * n)
    exact = n * float32(0.1)
    called = f"the error of pairwise_sum of {n} times 0.1 is below 1e-6"
    expect(called, lambda: abs(_cpu.lesson_sum(tenths, "pairwise") / exact - 1) < 1e-6, True)


@exercise("2.2")
def test_short_sums_are_left_to_vectors():
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    for n, cut in [(1024, 1024), (1025, 512)]:
        draw = random.Random(7)
        x = [draw.gauss() for _ in range(n)]

        def to_the_last_digit(x=x, cut=cut):
            two = [
                _cpu.lesson_sum(floats(part), "vectorised") for part in (x[:cut], x[cut:]) if part
            ]
            return _cpu.lesson_sum(floats(x), "pairwise") == float32(sum(two))

        what = "vectorised_sum of them" if n == 1024 else "those of 512 and of 513, added"
        expect(
            f"is pairwise_sum of {n} numbers {what}, to the last digit?", to_the_last_digit, True
        )


def in_much_room(values, rows, columns):
    """Return a matrix of ours that begins a buffer which is much longer."""
    buffer = small_floats(ROOM + len(values))
    buffer[: len(values)] = values
    return floats(buffer).view(((rows, columns), (columns, 1), 0))


def matmul(a, b, k, n):
    """Multiply two lists as matrices (m, k) and (k, n)."""
    columns = list(zip(*rows_of(b, n), strict=True))
    return [[sum(map(mul, row, column)) for column in columns] for row in rows_of(a, k)]


def weighted(rows):
    """Return one number that changes when a number is changed or moved, exact in any order."""
    return sum(x * (1 + i % 11) for i, x in enumerate(x for row in rows for x in row))


def products(level, sizes):
    """Expect the lesson kernel of a level to multiply matrices of these sizes."""
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    for m, k, n in sizes:
        a, b = small_floats(m * k), small_floats(k * n)
        x, y = in_much_room(a, m, k), in_much_room(b, k, n)
        right = matmul(a, b, k, n)
        right = right if m * n <= 64 else weighted(right)

        def multiply(x=x, y=y, small=m * n <= 64):
            c = _cpu.lesson_matmul(x, y, level).tolist()
            return c if small else weighted(c)

        what = "" if m * n <= 64 else "the weighted sum of "
        expect(f"{what}a ({m}, {k}) @ b ({k}, {n})", multiply, right)


@exercise("2.3")
def test_blocked_product():
    sizes = [(1, 1, 1), (1, 2, 1), (2, 3, 2), (2, 64, 3), (2, 65, 3), (1, 2, 60)]
    products("blocked", [*sizes, (3, 70, 300), (5, 130, 520), (2, 128, 512)])


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
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    for m, k, n in [(6, 1, 128), (6, 2, 128), (6, 3, 128), (6, 3, 160), (12, 70, 128)]:
        a = small_floats(m * k)
        ends = [number for p in range(1, k + 1) for number in (p**2, p**2 + 100)]
        b = [number for p in range(1, k + 1) for number in (*[p**2] * (n - 1), p**2 + 100)]
        x, y = in_much_room(a, m, k), in_much_room(b, k, n)

        def multiply(x=x, y=y):
            rows = _cpu.lesson_matmul(x, y, "registers").tolist()
            return [[row[0], row[-1]] for row in rows]

        shown = f"the first and the last column of a ({m}, {k}) @ b ({k}, {n})"
        expect(shown, multiply, matmul(a, ends, k, 2))


@exercise("2.4")
def test_tiles_with_edges():
    products("registers", [(12, 64, 64), (13, 70, 67), (30, 130, 40)])


def behind(shape, call):
    """Return what lies behind the result of a call, where 7 was written before."""
    size = prod(shape)

    def run():
        for numbers in (lambda: floats([7] * (size + 1)), call):
            numbers()  # what it returns is given up at once, and the next one gets its room
        return ops.empty((size + 1,), cpu.float32).tolist()[size]

    return run


@exercise("2.5")
def test_nothing_is_written_behind_the_result():
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    for shape in [(1, 3), (3, 5), (2, 33)]:
        x = floats([0] * prod(shape), *shape)
        for dim in (1, 0):
            shown = f"what lies behind softmax of zeros {shape}, dim={dim}, and was 7"
            expect(shown, behind(shape, lambda x=x, dim=dim: ops.softmax(x, dim)), 7.0)


def softmax(row):
    """Return e to each number over their sum."""
    terms = [exp(x - max(row)) for x in row]
    return [term / sum(terms) for term in terms]


@exercise("2.5")
def test_softmax_of_rows_and_columns():
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    for row in [[0.0], [0.0, 0.0], [0.0, 1.0, 2.0], [1000.0, 1001.0], [-1000.0, -999.0, -998.0]]:
        expect(
            f"softmax({row})",
            lambda r=row: rounded(ops.softmax(floats(r), 0)),
            rounded(softmax(row)),
        )
    for shown, rows in [
        ("[[0, 200, 0, 100] * 10]", [[0, 200, 0, 100] * 10]),
        ("[[0, 1000, 1001], [-1001, -1000, 0]]", [[0, 1000, 1001], [-1001, -1000, 0]]),
    ]:
        right = [rounded(softmax(row)) for row in rows]
        expect(f"softmax({shown})", lambda x=rows: rounded(ops.softmax(nested(x), 1)), right)
    rows = [[0, -1000], [1, -1001], [2, -1000]]
    right = zip(*(softmax(column) for column in zip(*rows, strict=True)), strict=True)
    expect(
        f"softmax({rows}, dim=0)",
        lambda: rounded(ops.softmax(nested(rows), 0)),
        [rounded(list(row)) for row in right],
    )


@exercise("2.6")
def test_cross_entropy_backward():
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    cases = [
        ([[0.0, 0.0]], [0], [1.0]),
        ([[0.0, 1.0, 2.0]], [2], [1.0]),
        ([[0.0, 1.0, 2.0]], [1], [0.5]),
        ([[-200.0, -201.0, -202.0]], [0], [1.0]),
        ([[3.0, 1.0], [0.0, 200.0], [-5.0, 5.0]], [0, 1, 0], [1.0, 2.0, -0.25]),
        ([[0.0, 1.0], [-200.0, -201.0]], [1, 0], [1.0, 1.0]),
    ]
    for logits, target, grad in cases:
        lse = [max(row) + log(sum(exp(x - max(row)) for x in row)) for row in logits]
        right = [
            [(share - (j == at)) * g for j, share in enumerate(softmax(row))]
            for row, at, g in zip(logits, target, grad, strict=True)
        ]
        # Every second number of a buffer: the others belong to nobody.
        lse = floats([x for one in lse for x in (one, 500)]).view(((len(lse),), (2,), 0))
        inputs = (floats(grad), nested(logits), lse, nested(target, cpu.int64))
        called = f"cross_entropy_backward(grad={grad}, logits={logits}, target={target})"
        expect(
            called, lambda a=inputs: rounded(ops.cross_entropy_backward(*a, -100)), rounded(right)
        )


def philox(seed, quad):
    """Return the four words of one counter, in plain Python: kernels/philox.h in other words."""
    a, b, c, d = quad & 0xFFFFFFFF, quad >> 32, 0, 0
    key0, key1 = seed & 0xFFFFFFFF, seed >> 32
    for _ in range(10):
        p0, p1 = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b = (p1 >> 32) ^ b ^ key0, p1 & 0xFFFFFFFF
        c, d = (p0 >> 32) ^ d ^ key1, p0 & 0xFFFFFFFF
        key0, key1 = (key0 + 0x9E3779B9) & 0xFFFFFFFF, (key1 + 0xBB67AE85) & 0xFFFFFFFF
    return a, b, c, d


@exercise("2.7")
def test_philox():
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    for seed, offset, n in [
        (0, 0, 1),
        (0, 0, 4),
        (1, 0, 4),
        (7 << 33, 1000, 8),
        (12345, 1 << 34, 6),
    ]:
        words = [w for q in range(offset // 4, offset // 4 + n // 4 + 1) for w in philox(seed, q)]
        right = [(w >> 8) * 2.0**-24 for w in words[:n]]
        called = f"uniform(({n},), 0.0, 1.0, float32, seed={seed}, offset={offset})"
        draw = (0.0, 1.0, cpu.float32, seed, offset)
        expect(called, lambda n=n, draw=draw: ops.uniform((n,), *draw).tolist(), right)


@exercise("2.8")
def test_momentum_step():
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    cases = [  # param, gradient, buffer, dampening, nesterov, first
        (1.0, 0.5, 0.0, 0.0, False, False),
        (1.0, 0.5, 2.0, 0.0, False, False),
        (1.0, 0.5, nan, 0.0, False, True),
        (1.0, 0.5, 2.0, 0.25, False, False),
        (1.0, 0.5, nan, 0.25, False, True),
        (1.0, 0.5, 2.0, 0.0, True, False),
        (1.0, 0.5, nan, 0.0, True, True),
    ]
    for param, grad, buffer, dampening, nesterov, first in cases:
        take_step(param, grad, buffer, dampening, nesterov, first, decay=0.0)
    for nesterov in (False, True):
        take_step(1.0, 0.5, 2.0, 0.0, nesterov, False, decay=0.125)


def take_step(param, grad, buffer, dampening, nesterov, first, decay):
    """Expect one step of a parameter to be right."""
    g = grad + decay * param
    new = g if first else 0.5 * buffer + (1 - dampening) * g
    right = [param - 0.25 * (g + 0.5 * new if nesterov else new), new]

    def step():
        p, g, b = (floats([value]) for value in (param, grad, buffer))
        ops.sgd_step([p], [g], [b], 0.25, 0.5, dampening, decay, nesterov, first)
        return [p.tolist()[0], b.tolist()[0]]

    called = f"[param, buffer] = [{param}, {buffer}] after a step: lr 0.25, momentum 0.5, "
    called += f"gradient {grad}, dampening {dampening}, nesterov {nesterov}, first {first}"
    expect(called + (f", weight decay {decay}" if decay else ""), step, right)


def reused(shape, call):
    """Make a call whose result takes the room of an array of sevens: what nobody writes is 7."""
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    del_me = floats([7] * prod(shape))
    del del_me
    return call().tolist()


def amid(values, shape, others):
    """Return an array of ours amid others: a pointer that runs too far always meets the same."""
    room = [others] * ROOM
    first = ROOM // 2
    room[first : first + len(values)] = values
    return floats(room).view((shape, row_major(shape), first))


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


@exercise("2.9")
def test_windows_as_columns():
    for shape, *words in IMAGES:
        right = windows_of(shape, *words)
        given = amid(range(1, prod(shape) + 1), shape, -1)
        to = (len(right), len(right[0]))
        expect(
            called_with("im2col", shape, words),
            lambda x=given, words=words, to=to: reused(to, lambda: ops.im2col(x, *words)),
            right,
        )


@exercise("2.10")
def test_columns_back_to_the_image():
    for shape, *words in IMAGES:
        rows = windows_of(shape, *words)
        right = [0.0] * (1 + prod(shape))  # the first one takes what falls on the edge
        for value, place in enumerate((x for row in rows for x in row), start=1):
            right[int(place)] += value
        size = len(rows) * len(rows[0])
        given, (kernel, *others) = floats(range(1, size + 1), len(rows), len(rows[0])), words
        expect(
            called_with("col2im", shape, words),
            lambda x=given, to=shape, k=kernel, rest=others: reused(
                to, lambda: ops.col2im(x, to[1:], k, *rest)
            ),
            strided(right, shape, row_major(shape), 1),
        )


def normed(row, weight=None):
    """Return a row normed by ours, in four digits."""
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    rows = ops.layer_norm(nested(row), weight)[0].tolist()
    return [[round(x, 4) for x in row] for row in rows]


@exercise("2.11")
def test_layer_norm_far_from_zero():
    for middle in (0, 3, 100, 10_000, 1_000_000):
        for row in [[-1, 1], [-2, 0, 2], [-3, -1, 1, 3], [0, 0], list(range(-20, 21))]:
            spread = sqrt(sum(x * x for x in row) / len(row) + 1e-5)
            rows = [row, row[::-1]]
            right = [[round(x / spread, 4) + 0.0 for x in one] for one in rows]
            given = [[float(x + middle) for x in one] for one in rows]
            shown = f"layer_norm({given}), four digits"
            expect(shown, lambda x=given: normed(x), right)


@exercise("2.11")
def test_layer_norm_adds_eps():
    shown = "layer_norm([[0.0, 0.002]]), four digits"
    right = round(0.001 / sqrt(1e-6 + 1e-5), 4)
    expect(shown, lambda: normed([[0.0, 0.002]]), [[-right, right]])


def searched(row, values, right, kind="f"):
    """Return where ours puts values into a sorted row; it reads nothing beside the row."""
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    sorted_row = meter.room("sorted", row, kind, -inf)
    x = ops.share_buffer(sorted_row.memory).view(((len(row),), (1,), sorted_row.first))
    y = ops.from_buffer(array.array(kind, values))
    found = made((len(values),), lambda: ops.searchsorted(x, y, right), [sorted_row.place], "q")
    return found.tolist()


@exercise("2.12")
def test_searching_a_sorted_row():
    for row in [[], [5], [5, 7], [1, 3, 5], [1, 3, 3, 3, 5], [2, 2, 2, 2], list(range(0, 40, 2))]:
        for right in (False, True):
            values = [row[0] - 1, *(v + d for v in row for d in (0, 1))] if row else [3]
            wanted = [(bisect_right if right else bisect_left)(row, value) for value in values]
            shown = f"searchsorted({row}, {values}, right={right})"
            expect(shown, lambda x=row, y=values, r=right: searched(x, y, r), wanted)
    for right in (False, True):
        shown = f"searchsorted([1, 2, 4], [nan, 1.5], right={right})"
        expect(shown, lambda r=right: searched([1, 2, 4], [nan, 1.5], r), [3, 1])


@exercise("2.12")
def test_a_search_halves_the_row():
    for n, most in [(1 << 10, 40), (1 << 15, 60)]:
        for value, right in [(0, False), (n - 1, True)]:
            sorted_row = meter.room("sorted", range(n), "f", -inf)
            x = ops.share_buffer(sorted_row.memory).view(((n,), (1,), sorted_row.first))
            call = partial(ops.searchsorted, x, floats([value]), right)
            shown = f"elements of a row of {n} that the search for {value} reads"
            expect(shown, partial(at_most, most, call, sorted_row.place), f"at most {most}")
