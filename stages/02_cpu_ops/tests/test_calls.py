"""Every function of the C++ module, called well and called wrongly: no reference is lost or kept.

One row an operation, as in the tables of csrc/bindings, but for those of one array alone; any other
without a row fails here.
"""

import contextlib
import gc
import inspect
import re
import sys

import numpy
import pytest

import norch_cpu_ops as cpu
from norch_cpu_ops import _cpu, ops

F, WHOLE, TRUTH = cpu.float32, cpu.int64, cpu.bool_


def ones(*shape, dtype=F):
    return ops.ones(shape, dtype)


def zeros(*shape, dtype=WHOLE):
    return ops.zeros(shape, dtype)


IMAGE, VOLUME = (1, 2, 4, 4), (1, 2, 4, 4, 4)
OF_ARRAY = re.compile(r"\w+\(a: Array\) -> Array")  # whoever takes an array alone needs no row
AND_OPTIONS = """
all amax amin any argmax argmin batch_norm gelu layer_norm logsumexp mean median peak_bandwidth prod
rms_norm sort sum unique var
"""
ONE_ARRAY = AND_OPTIONS.split()
ONE_ARRAY += [n for n, f in vars(_cpu).items() if OF_ARRAY.match(getattr(f, "__doc__", "") or "")]
TWO_ARRAYS = """
add add_ atan2 copy_ div div_ eq floor_divide fmod ge gelu_backward gt le logical_and logical_or
logical_xor lt maximum minimum mul mul_ ne pow relu_backward remainder sigmoid_backward
silu_backward sub sub_ tanh_backward
"""
WITH_DIM = "cummax cummin cumprod cumsum log_softmax logcumsumexp max min softmax"
NOTHING = "blas empty_cache get_num_threads instruction_set instruction_sets is_blas_enabled"
NOTHING += " memory_stats peak_flops has_lapack"


def calls() -> dict[str, tuple]:
    """Return arguments for each function, new ones at each call."""
    x, y, square, index = ones(2, 3), ones(2, 3), ones(3, 3), zeros(2, 3)
    image, volume, row, one = ones(*IMAGE), ones(*VOLUME), ones(3), [ones(2, 3)]
    kernel, kernel3 = ones(2, 2, 3, 3), ones(2, 2, 3, 3, 3)
    rows = dict.fromkeys(ONE_ARRAY, (x,))
    rows |= dict.fromkeys(TWO_ARRAYS.split(), (x, y))
    rows |= dict.fromkeys(WITH_DIM.split(), (x, 1))
    rows |= dict.fromkeys(NOTHING.split(), ())
    rows |= {f"bitwise_{name}": (index, index) for name in ("and", "or", "xor")}
    whole, seed = (1, 0, 1), (F, 7, 0)
    gates = ones(2, 12)
    lstm = (ones(2, 1, 3), ones(1, 3), ones(1, 3), ones(12, 3), ones(12, 3))
    steps = (ones(2, 1, 3), ones(2, 1, 3), ones(2, 1, 12))
    return rows | {
        "adadelta_step": (one, one, one, one), "adagrad_step": (one, one, one, [1], 0.1),
        "adam_step": (one, one, one, one, None, [1], 0.1, 0.9, 0.99, 1e-8),
        "adaptive_avg_pool2d": (image, (2, 2)), "adaptive_max_pool2d": (image, (2, 2)),
        "adaptive_avg_pool2d_backward": (ones(1, 2, 2, 2), (4, 4)), "arange": (0, 5, 1, WHOLE),
        "avg_pool2d": (image, 2, 2, 0), "avg_pool2d_backward": (ones(1, 2, 2, 2), IMAGE, 2, 2, 0),
        "avg_pool3d": (volume, 2, 2, 0),
        "avg_pool3d_backward": (ones(1, 2, 2, 2, 2), VOLUME, 2, 2, 0),
        "batch_norm_backward": (x, y, row, row), "batch_norm_eval": (x, row, row),
        "bernoulli": ((2,), 0.5, *seed), "bincount": (zeros(3), row), "bitwise_not": (index,),
        "cast": (x, WHOLE), "cat": ([x, y], 0), "clamp": (x, 0, 1.5),
        "col2im": (ones(1, 8, 4), (4, 4), 2, 2, 0, 1), "conv2d": (image, kernel, None, *whole, 1),
        "conv2d_backward_input": (ones(1, 2, 2, 2), kernel, IMAGE, *whole, 1),
        "conv2d_backward_weight": (ones(1, 2, 2, 2), image, (2, 2, 3, 3), *whole, 1),
        "conv3d": (volume, kernel3, ones(2), *whole, 1),
        "conv3d_backward_input": (ones(1, 2, 2, 2, 2), kernel3, VOLUME, *whole, 1),
        "conv3d_backward_weight": (ones(1, 2, 2, 2, 2), volume, (2, 2, 3, 3, 3), *whole, 1),
        "cross_entropy": (x, zeros(2)), "cross_entropy_backward": (ones(2), x, ones(2), zeros(2)),
        "embedding_backward": (x, zeros(2), 4), "empty": ((2, 3), F), "fill_": (x, 2),
        "from_buffer": (b"abc",), "from_dlpack": (x,), "from_list": ([[1, 2.5], [3, 4]], F),
        "full": ([2, 3], 1.5, F), "gather": (x, 1, index), "group_norm": (image, 2),
        "group_norm_backward": (image, image, ones(1, 2), ones(1, 2), 2),
        "gru_cell": (ones(2, 9), ones(2, 9), x), "gru_cell_backward": (x, gates, y),
        "histc": (x, 3, 0, 2), "im2col": (image, 2, 2, 0, 1),
        "index_add": (x, 1, zeros(2), ones(2, 2)),
        "index_copy_": (x, 1, zeros(2), ones(2, 2)), "index_select": (x, 1, zeros(2)),
        "kthvalue": (x, 1),
        "svd": (x,), "eigh": (square,), "qr": (x,), "cholesky": (ops.full((1, 1), 4, F),),
        "lu_factor": (x,), "solve_triangular": (square, square, True), "require_lapack": ("svd",),
        "row_order": (ops.ones((2,), cpu.int32), 3), "lstsq": (x, ones(2, 1), 1e-6, "gelsy"),
        "layer_norm_backward": (x, y, ones(2), ones(2)),
        "lesson_fetches": (square, square),
        "lesson_matmul": (square, square, "naive"), "lesson_sum": (x, "pairwise"),
        "linear": (x, square, row),
        "linear_int8": (x, zeros(4, 3, dtype=cpu.int8), ones(4), ones(4)),
        "lion_step": (one, one, one, 0.1, 0.9, 0.99), "log_softmax_backward": (x, y, 1),
        "lstm_cell": (gates, x), "lstm_cell_backward": (x, None, gates, x, y), "lstm_layer": lstm,
        "lstm_layer_backward": (ones(2, 1, 3), None, None, *lstm, *steps),
        "matmul": (x, square), "matmul_blocked": (x, square), "matmul_naive": (x, square),
        "max_pool2d": (image, 2, 2, 0, 1),
        "max_pool2d_backward": (ones(1, 2, 2, 2), zeros(1, 2, 2, 2), IMAGE),
        "max_pool3d": (volume, 2, 2, 0, 1),
        "max_pool3d_backward": (ones(1, 2, 2, 2, 2), zeros(1, 2, 2, 2, 2), VOLUME),
        "normal": ((2, 3), 0, 1, *seed), "ones": ((2, 3), F), "philox4x32": (1, 2, 3, 4, 5, 6),
        "promote_types": (F, WHOLE), "randint": ((3,), 0, 9, 7, 0), "randperm": (9, 7, 0),
        "ravel_multi_index": ([index, zeros(3)], (2, 3), (1, 0)), "stack": ([x, y], 1),
        "rms_norm_backward": (x, y, ones(2)), "rmsprop_step": (one, one, one, None, None, 0.1),
        "scaled_dot_product_attention": (x, y, y, ones(2, dtype=TRUTH), False, 0.5),
        "scaled_dot_product_attention_backward": (x, x, y, y, x, ones(2)),
        "scatter": (x, 1, index, y), "scatter_add": (x, 1, index, y),
        "scatter_reduce": (x, 1, index, y, "amax"), "searchsorted": (row, y),
        "set_blas_enabled": (True,), "set_cache_limit": (1 << 30,), "set_direct_enabled": (True,),
        "set_instruction_set": (cpu.instruction_set(),),
        "run_compiled": (0, 0, 0, 1),  # of no elements, so the function at 0 is not called
        "set_num_threads": (cpu.get_num_threads(),),
        "set_winograd_enabled": (True,), "sgd_step": (one, one, None, 0.1),
        "share_buffer": (bytearray(8),),
        "softmax_backward": (x, y, 1), "topk": (x, 2), "uniform": ((2,), 0, 1, *seed),
        "upsample_bilinear2d": (image, (8, 8), False, (0.5, 0.5)),
        "upsample_nearest2d": (image, (8, 8)),
        "upsample_bilinear2d_backward": (ones(1, 2, 8, 8), (4, 4)),
        "upsample_nearest2d_backward": (ones(1, 2, 8, 8), (4, 4)), "use_lessons": (),
        "where": (ones(2, 3, dtype=TRUTH), x, 2.0), "zeros": ((2, 3), F),
    }  # fmt: skip


BY_LAPACK = "cholesky eigh lstsq lu_factor qr require_lapack solve_triangular svd"
ABSENT = set() if _cpu.has_lapack() else set(BY_LAPACK.split())  # test_linalg.py sees them refuse
FUNCTIONS = {n: f for n, f in vars(_cpu).items() if inspect.isbuiltin(f) and n not in ABSENT}
SLOW = {"peak_flops", "peak_bandwidth"}  # measure for a tenth of a second: once is enough


def wrong_calls(name, good):
    """Return calls of `name` that must be refused before anything happens: (args, keywords)."""
    function = FUNCTIONS[name]
    given = [(tuple(good) + (None,) * 20, {}), (good, {"unknown": 1})]
    first = (function.__doc__ or "").split("(")[1].split(":")[0] if good else None
    if first:
        given += [(good, {first: good[0]})]
        given += [((*good[:k], object(), *good[k + 1 :]), {}) for k in range(len(good))]
    return given


def test_every_function_has_its_row_here_and_answers():
    rows = calls()
    assert set(rows) - ABSENT == set(FUNCTIONS)
    for name, function in FUNCTIONS.items():
        function(*rows[name])


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_names_and_positions_say_the_same(name):
    args = calls()[name]
    head = FUNCTIONS[name].__doc__.splitlines()[0]
    words = [part.split(":")[0] for part in head[head.index("(") + 1 :].split(", ") if ":" in part]
    by_name = FUNCTIONS[name](**dict(zip(words, args, strict=False)))
    if name not in SLOW | {"empty", "memory_stats", "from_dlpack"}:
        assert repr(by_name) == repr(FUNCTIONS[name](*calls()[name])), words


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_wrong_calls_are_refused_in_words(name):
    for args, keywords in wrong_calls(name, calls()[name]):
        with pytest.raises((TypeError, RuntimeError), match=r"^\[\w+\] "):
            FUNCTIONS[name](*args, **keywords)


def flat(values) -> list:
    """Return what a call was given, and what that holds."""
    return [each for x in values for each in ([x, *x] if isinstance(x, (list, tuple)) else [x])]


@pytest.fixture
def no_collection():
    """Keep the collector away: it empties lists of spare objects, which then fill up again."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - SLOW))
def test_no_call_loses_or_keeps_a_reference(name, no_collection):
    args = calls()[name]
    wrong = wrong_calls(name, args)
    function, held, times = FUNCTIONS[name], flat(args), 50

    def growth() -> int:
        """Return how many blocks of memory more there are after many calls."""
        blocks = sys.getallocatedblocks()
        for _ in range(times):
            function(*args)
            for bad, keywords in wrong:
                with contextlib.suppress(TypeError, RuntimeError):
                    function(*bad, **keywords)
        return sys.getallocatedblocks() - blocks

    growth()  # what is looked up once is looked up
    before = [sys.getrefcount(x) for x in held]
    least = growth()
    after = [sys.getrefcount(x) for x in held]
    assert all(abs(x - y) < times for x, y in zip(before, after, strict=True)), (before, after)
    for _ in range(4):  # what Python keeps for reuse is full at some time; what is lost is not
        least = least if least < times else growth()
    assert least < times


RAW = bytes([0, 1, 2, 255, 128, 0, 64])  # a byte is true unless it is 0, whoever wrote it


def with_raw_bytes(model):
    """Return two arrays of bools as large as `model`: foreign bytes, and the same as 0 and 1."""
    n = model.numel
    memory = numpy.frombuffer(bytearray((RAW * n)[:n]), numpy.uint8).reshape(model.shape)
    return ops.share_buffer(memory.view(bool)), ops.share_buffer(memory != 0)


def arrays_in(answer) -> list:
    """Return the arrays among what a call was given or answered."""
    parts = answer if isinstance(answer, (list, tuple)) else []
    return [answer] * isinstance(answer, cpu.Array) + [x for part in parts for x in arrays_in(part)]


def with_bools(args, places):
    """Return the arguments twice, the arrays at `places` as raw bools and as clean ones."""
    raw, clean = [], []
    for k, given in enumerate(args):
        pairs = [
            with_raw_bytes(x) if k in places else (ops.clone(x), ops.clone(x))
            for x in arrays_in(given)
        ]
        both = [list(x) for x in zip(*pairs, strict=True)] or [given, given]
        is_list = isinstance(given, list) or not pairs
        raw.append(both[0] if is_list else both[0][0])
        clean.append(both[1] if is_list else both[1][0])
    return raw, clean


def outcome(name, args):
    """Return what a call gives and what stands in its arrays then, or the type of its error."""
    try:
        found = FUNCTIONS[name](*args)
    except (TypeError, RuntimeError, IndexError) as error:
        return type(error)
    return repr([found, *(x.tolist() for x in arrays_in([found, *args]))])


def larger(name, args):
    """Return arguments that fill vectors, for the operations whose shapes are free."""
    x = ops.ones((37, 70), F)
    rows = dict.fromkeys(ONE_ARRAY, (x,)) | dict.fromkeys(TWO_ARRAYS.split(), (x, x))
    rows |= dict.fromkeys(WITH_DIM.split(), (x, 0)) | {"cat": ([x, x], 0), "where": (x, x, x)}
    rows |= {"cast": (x, WHOLE), "bitwise_and": (x, x), "bitwise_not": (x,)}
    return rows.get(name, args)


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - SLOW))
def test_any_byte_but_0_is_true(name):
    for args in (calls()[name], larger(name, calls()[name])):
        places = [k for k, x in enumerate(args) if arrays_in(x)]
        for chosen in [places, *([k] for k in places)]:
            raw, clean = with_bools(args, chosen)
            assert outcome(name, raw) == outcome(name, clean), chosen


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - SLOW - {"empty"}))
def test_what_is_written_as_a_bool_is_0_or_1(name):
    args = calls()[name]
    raw, _ = with_bools(args, [k for k, x in enumerate(args) if arrays_in(x)])
    with contextlib.suppress(TypeError, RuntimeError, IndexError):
        for x in arrays_in(FUNCTIONS[name](*raw)):
            is_view = any(x.shares_storage(given) for given in arrays_in(raw))
            if x.dtype is TRUTH and not is_view:
                assert set(numpy.asarray(x).view(numpy.uint8).ravel()) <= {0, 1}


class Fresh:
    """Stands for an array, and makes a new one whenever it is asked."""

    def __init__(self, array):
        self.make = lambda: ops.clone(array)

    @property
    def __norch_array__(self):
        return self.make()


def stand_ins(given):
    """Return an argument with `Fresh` in the place of arrays, in lists too."""
    if isinstance(given, (list, tuple)):
        return type(given)(map(stand_ins, given))
    return Fresh(given) if arrays_in(given) else given


# from_dlpack takes another library's arrays, and asks them by another name
@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - SLOW - {"from_dlpack"}))
def test_what_stands_for_an_array_need_not_keep_it(name):
    plain = []
    for place, given in enumerate(calls()[name]):
        for x in arrays_in(given):
            if x.dtype is F:  # no two alike: one that was given back too soon is seen
                ops.mul_(x, ops.full(x.shape, 1 + place / 4, F))
        plain.append(given)
    found = []
    for args in (plain, stand_ins(plain)):
        try:
            found.append(repr([x.tolist() for x in arrays_in(FUNCTIONS[name](*args))]))
        except (TypeError, RuntimeError, IndexError) as error:
            found.append(type(error))
    assert found[0] == found[1]
