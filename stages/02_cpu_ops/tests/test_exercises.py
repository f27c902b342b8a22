"""The tests of exercises 2.1 to 2.12: from small cases to large, judged against NumPy and Python.

`make check 2.1` compiles the reader's answer into a module and runs those marked 2.1 on it; pytest
runs all of them on the reference. They use the baseline kernels, the only ones that are compiled
for a check, and nothing that another exercise writes.
"""

import numpy as np

import norch_cpu_ops as cpu
from norch_course.testing import exercise, expect
from norch_cpu_ops import _cpu, ops

DIGITS = 5
ROOM = 1 << 14  # elements; what a mistaken pointer meets there is the same in every run


def array(x):
    """Return an array of ours with NumPy's elements."""
    return ops.from_buffer(np.ascontiguousarray(x))


def rounded(x):
    """Return the elements as nested lists, with digits that do not depend on the order of sums."""
    return np.asarray(x, dtype="float64").round(DIGITS).tolist()


def small_floats(*shape):
    """Return whole numbers from -3 to 3, whose products and sums are exact."""
    count = int(np.prod(shape))
    return ((np.arange(count) * 5 + 2) % 7 - 3).astype("float32").reshape(shape)


def copied(view):
    """Copy into the middle of much room: pointers that run too far spoil nothing else."""
    steps = [int(np.prod(view.shape[i + 1 :])) for i in range(view.ndim)]
    found = array(np.zeros(ROOM, "float32")).view((view.shape, tuple(steps), ROOM // 2))
    ops.copy_(found, view)
    return found.tolist()


@exercise("2.1")
def test_the_odometer():
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    buffer = array(np.arange(2000, dtype="float32"))
    for shape, strides in [
        ((2, 3), (10, 2)),
        ((3, 2), (1, 40)),
        ((2, 2, 2), (100, 10, 2)),
        ((2, 3, 4), (40, 8, 2)),
        ((3, 2, 2, 3), (400, 90, 20, 3)),
    ]:
        steps = [4 * stride for stride in strides]
        right = np.lib.stride_tricks.as_strided(np.arange(2000, dtype="float32"), shape, steps)
        view = buffer.view((shape, strides, 0))
        called = f"a copy of a view with shape {shape} and strides {strides}"
        expect(called, lambda v=view: copied(v), right.tolist())


@exercise("2.1")
def test_the_odometer_moves_all_operands():
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    right = [[[0.0, 302.0], [30.0, 332.0]], [[107.0, 409.0], [137.0, 439.0]]]

    def added():
        x = array(np.arange(ROOM, dtype="float32")).view(((2, 2, 2), (100, 10, 2), 0))
        y = array(np.arange(ROOM, dtype="float32")).view(((2, 2, 2), (7, 20, 300), 0))
        ops.add_(y, x)
        return y.tolist()

    expect("x + y of strides (100, 10, 2) and (7, 20, 300)", added, right)


@exercise("2.2")
def test_pairwise_sum():
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    for n in [1, 5, 1024, 1026, 1025, 4099, 100_001]:
        x = array(np.ones(n, "float32"))
        called = f"pairwise_sum of {n} ones"
        expect(called, lambda x=x: _cpu.lesson_sum(x, "pairwise"), float(n))


@exercise("2.2")
def test_pairwise_sum_keeps_digits():
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    n = 1 << 21
    tenths = array(np.full(n, 0.1, "float32"))
    exact = n * float(np.float32(0.1))
    called = f"the error of pairwise_sum of {n} times 0.1 is below 1e-6"
    expect(called, lambda: abs(_cpu.lesson_sum(tenths, "pairwise") / exact - 1) < 1e-6, True)


@exercise("2.2")
def test_short_sums_are_left_to_vectors():
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    for n, cut in [(1024, 1024), (1025, 512)]:
        x = np.random.default_rng(7).normal(size=n).astype("float32")

        def to_the_last_digit(x=x, cut=cut):
            parts = [array(x[:cut]), array(x[cut:])]
            two = [np.float32(_cpu.lesson_sum(part, "vectorised")) for part in parts]
            return _cpu.lesson_sum(array(x), "pairwise") == float(two[0] + two[1])

        what = "vectorised_sum of them" if n == 1024 else "those of 512 and of 513, added"
        expect(
            f"is pairwise_sum of {n} numbers {what}, to the last digit?", to_the_last_digit, True
        )


def in_much_room(x):
    """Return an array of ours that begins a buffer which is much longer."""
    buffer = small_floats(ROOM + x.size)
    buffer[: x.size] = x.ravel()
    return array(buffer).view((x.shape, (x.shape[1], 1), 0))


def weighted(c):
    """Return one number that changes when a number is changed or moved, exact in any order."""
    c = np.asarray(c, dtype="float64")
    return float((c * (1 + np.arange(c.size).reshape(c.shape) % 11)).sum())


def products(level, sizes):
    """Expect the lesson kernel of a level to multiply matrices of these sizes."""
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    for m, k, n in sizes:
        a, b = small_floats(m, k), small_floats(k, n)
        x, y = in_much_room(a), in_much_room(b)
        right = (a @ b).tolist() if m * n <= 64 else weighted(a @ b)

        def multiply(x=x, y=y, small=m * n <= 64):
            c = _cpu.lesson_matmul(x, y, level)
            return c.tolist() if small else weighted(c)

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
        a, b = array(small_floats(m, k)), array(small_floats(k, n))
        called = f"numbers of b fetched in a ({m}, {k}) @ b ({k}, {n}), if a cache holds a block"
        expect(called, lambda a=a, b=b: _cpu.lesson_fetches(a, b), k * n)


@exercise("2.4")
def test_tile_of_registers():
    """Each row of b is one number up to the last: no answer depends on how wide a vector is."""
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    for m, k, n in [(6, 1, 128), (6, 2, 128), (6, 3, 128), (6, 3, 160), (12, 70, 128)]:
        a = small_floats(m, k)
        b = np.repeat(np.arange(1, k + 1, dtype="float32")[:, None] ** 2, n, 1)
        b[:, -1] += 100
        x, y = in_much_room(a), in_much_room(b)

        def multiply(x=x, y=y):
            return np.array(_cpu.lesson_matmul(x, y, "registers").tolist())[:, [0, -1]].tolist()

        shown = f"the first and the last column of a ({m}, {k}) @ b ({k}, {n})"
        expect(shown, multiply, (a @ b)[:, [0, -1]].tolist())


@exercise("2.4")
def test_tiles_with_edges():
    products("registers", [(12, 64, 64), (13, 70, 67), (30, 130, 40)])


@exercise("2.5")
def test_softmax_of_rows_and_columns():
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    for row in [[0.0], [0.0, 0.0], [0.0, 1.0, 2.0], [1000.0, 1001.0], [-1000.0, -999.0, -998.0]]:
        e = np.exp(np.array(row) - max(row))
        called = f"softmax({row})"
        expect(
            called,
            lambda r=row: rounded(ops.softmax(array(np.float32(r)), 0)),
            rounded(e / e.sum()),
        )
    far = [[0.0, 200.0, 0.0, 100.0] * 10]
    e = np.exp(np.array(far) - 200)
    x = array(np.float32(far))
    expect(
        "softmax([[0, 200, 0, 100] * 10])", lambda: rounded(ops.softmax(x, 1)), rounded(e / e.sum())
    )
    rows = np.float32([[0, 1000, 1001], [-1001, -1000, 0]])
    e = np.exp(rows - rows.max(1, keepdims=True))
    right = rounded(e / e.sum(1, keepdims=True))
    expect(
        "softmax([[0, 1000, 1001], [-1001, -1000, 0]])",
        lambda: rounded(ops.softmax(array(rows), 1)),
        right,
    )
    columns = np.float32([[0, -1000], [1, -1001], [2, -1000]])
    e = np.exp(columns - columns.max(0))
    expect(
        "softmax([[0, -1000], [1, -1001], [2, -1000]], dim=0)",
        lambda: rounded(ops.softmax(array(columns), 0)),
        rounded(e / e.sum(0)),
    )


def behind(shape, call):
    """Return what lies behind the result of a call, where 7 was written before."""
    size = int(np.prod(shape))

    def run():
        for numbers in (lambda: array(np.full(size + 1, 7, "float32")), call):
            numbers()  # what it returns is given up at once, and the next one gets its room
        return ops.empty((size + 1,), cpu.float32).tolist()[size]

    return run


@exercise("2.5")
def test_nothing_is_written_behind_the_result():
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    for shape in [(1, 3), (3, 5), (2, 33)]:
        x = array(np.zeros(shape, "float32"))
        for dim in (1, 0):
            shown = f"what lies behind softmax of zeros {shape}, dim={dim}, and was 7"
            expect(shown, behind(shape, lambda x=x, dim=dim: ops.softmax(x, dim)), 7.0)


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
        x, g = np.float32(logits), np.float32(grad)
        lse = np.log(np.exp(x - x.max(1, keepdims=True)).sum(1)) + x.max(1)
        e = np.exp(x - lse[:, None])
        right = (e / e.sum(1, keepdims=True) - np.eye(x.shape[1])[target]) * g[:, None]
        # Every second number of a buffer: the others belong to nobody.
        lse = array(np.float32([[one, 500] for one in lse])).view(((len(lse),), (2,), 0))
        inputs = (array(g), array(x), lse, array(np.int64(target)))
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
    none = float("nan")
    cases = [  # param, gradient, buffer, dampening, nesterov, first
        (1.0, 0.5, 0.0, 0.0, False, False),
        (1.0, 0.5, 2.0, 0.0, False, False),
        (1.0, 0.5, none, 0.0, False, True),
        (1.0, 0.5, 2.0, 0.25, False, False),
        (1.0, 0.5, none, 0.25, False, True),
        (1.0, 0.5, 2.0, 0.0, True, False),
        (1.0, 0.5, none, 0.0, True, True),
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
        p, g, b = (array(np.float32([value])) for value in (param, grad, buffer))
        ops.sgd_step([p], [g], [b], 0.25, 0.5, dampening, decay, nesterov, first)
        return [p.tolist()[0], b.tolist()[0]]

    called = f"[param, buffer] = [{param}, {buffer}] after a step: lr 0.25, momentum 0.5, "
    called += f"gradient {grad}, dampening {dampening}, nesterov {nesterov}, first {first}"
    expect(called + (f", weight decay {decay}" if decay else ""), step, right)


def reused(shape, call):
    """Make a call whose result takes the room of an array of sevens: what nobody writes is 7."""
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    del_me = array(np.full(shape, 7, "float32"))
    del del_me
    return call().tolist()


def amid(x, others):
    """Return an array of ours amid others: a pointer that runs too far always meets the same."""
    room = np.full(ROOM, others, "float32")
    first = ROOM // 2
    room[first : first + x.size] = x.ravel()
    steps = tuple(int(np.prod(x.shape[i + 1 :])) for i in range(x.ndim))
    return array(room).view((x.shape, steps, first))


def outputs(size, kernel, stride, padding, dilation):
    """Return in how many places a kernel fits."""
    return (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1


def windows_of(x, kernel, stride, padding, dilation):
    """Return the columns of an image (C, H, W): (C KH KW, OH OW)."""
    wide = np.pad(x, [(0, 0), (padding[0],) * 2, (padding[1],) * 2])
    out = [outputs(x.shape[1 + k], kernel[k], stride[k], padding[k], dilation[k]) for k in (0, 1)]
    rows = []
    for c, i, j in np.ndindex(x.shape[0], *kernel):
        top, left = i * dilation[0], j * dilation[1]
        part = wide[c, top:, left:][:: stride[0], :: stride[1]]
        rows.append(part[: out[0], : out[1]].ravel())
    return np.array(rows)


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
        x = np.arange(1, np.prod(shape) + 1, dtype="float32").reshape(shape)
        right = windows_of(x, *words)
        given = amid(x, -1)
        expect(
            called_with("im2col", shape, words),
            lambda x=given, words=words, to=right.shape: reused(to, lambda: ops.im2col(x, *words)),
            right.tolist(),
        )


@exercise("2.10")
def test_columns_back_to_the_image():
    for shape, *words in IMAGES:
        numbers = np.arange(1, np.prod(shape) + 1, dtype="float32").reshape(shape)
        rows = windows_of(numbers, *words)
        columns = np.arange(1, rows.size + 1, dtype="float32").reshape(rows.shape)
        right = np.zeros(numbers.size)
        for place, value in zip(rows.ravel().astype(int), columns.ravel(), strict=True):
            right[place - 1] += value if place else 0
        given, (kernel, *others) = array(columns), words
        expect(
            called_with("col2im", shape, words),
            lambda x=given, to=shape, k=kernel, rest=others: reused(
                to, lambda: ops.col2im(x, to[1:], k, *rest)
            ),
            right.reshape(shape).tolist(),
        )


def normed(row, weight=None):
    """Return a row normed by ours, in four digits."""
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    x = array(np.float32(row))
    return np.array(ops.layer_norm(x, weight)[0].tolist()).round(4).tolist()


@exercise("2.11")
def test_layer_norm_far_from_zero():
    for middle in (0, 3, 100, 10_000, 1_000_000):
        for row in [[-1, 1], [-2, 0, 2], [-3, -1, 1, 3], [0, 0], list(range(-20, 21))]:
            x = np.float64([row, row[::-1]])
            right = (x / np.sqrt((x**2).mean(1, keepdims=True) + 1e-5)).round(4) + 0.0
            given = (x + middle).tolist()
            shown = f"layer_norm({given}), four digits"
            expect(shown, lambda x=given: normed(x), right.tolist())


@exercise("2.11")
def test_layer_norm_adds_eps():
    shown = "layer_norm([[0.0, 0.002]]), four digits"
    right = float(np.round(0.001 / np.sqrt(1e-6 + 1e-5), 4))
    expect(shown, lambda: normed([[0.0, 0.002]]), [[-right, right]])


@exercise("2.12")
def test_searching_a_sorted_row():
    cpu.set_instruction_set(cpu.instruction_sets()[0])
    nan = float("nan")
    for row in [[], [5], [5, 7], [1, 3, 5], [1, 3, 3, 3, 5], [2, 2, 2, 2], list(range(0, 40, 2))]:
        for right in (False, True):
            values = [row[0] - 1, *(v + d for v in row for d in (0, 1))] if row else [3]
            wanted = np.searchsorted(row, values, "right" if right else "left").tolist()
            x, y = amid(np.float32(row), -np.inf), array(np.float32(values))
            shown = f"searchsorted({row}, {values}, right={right})"
            expect(shown, lambda x=x, y=y, r=right: ops.searchsorted(x, y, r).tolist(), wanted)
    for right in (False, True):
        x, y = array(np.float32([1, 2, 4])), array(np.float32([nan, 1.5]))
        shown = f"searchsorted([1, 2, 4], [nan, 1.5], right={right})"
        expect(shown, lambda x=x, y=y, r=right: ops.searchsorted(x, y, r).tolist(), [3, 1])
