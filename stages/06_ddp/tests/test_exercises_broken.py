"""The tests of exercises 6.15 and 6.16, which begin with broken code: from small cases to large.

As in test_exercises.py, ranks are threads, and no MPI is started.
"""

from types import SimpleNamespace
from unittest.mock import patch

from norch_autograd import Tensor, float16, float64, no_grad, tensor, zeros
from norch_course.ranks import Ranks
from norch_course.testing import exercise, expect
from norch_ddp.data_parallel import sync_batchnorm
from norch_ddp.data_parallel.sync_batchnorm import SyncBatchNorm
from norch_ddp.model_parallel import gradients
from norch_ddp.model_parallel.sharding import ShardedParameter, ShardMetadata
from norch_nn import BatchNorm1d, Parameter


class Groups(Ranks):
    """Ranks in threads that add up in groups; each rank's calls are listed."""

    def __init__(self, size):
        super().__init__(size)
        self.made = [[] for _ in range(size)]

    def all_reduce(self, tensor_, op="sum", group=None, async_op=False):
        """Add up, in place, what the ranks of a group bring."""
        here = self.rank()
        name, members = (group.name, group.ranks) if group else ("all", range(self.size))
        self.made[here].append(name)
        for rank in members:
            if rank != here:
                self.post(rank, tensor_.tolist())
        mine = tensor_.detach().clone()
        for rank in members:
            if rank != here:
                came = tensor(self.take(rank, f"all_reduce of {name}"), dtype=mine.dtype)
                mine = mine + came.reshape(mine.shape)
        with no_grad():
            tensor_.copy_(mine)


def rounded(value):
    """Round the numbers in nested lists; a little is added first, so that no half decides."""
    if isinstance(value, list | tuple):
        return [rounded(part) for part in value]
    return None if value is None else round(value + 3e-5, 3)


# ---- 6.15 ----------------------------------------------------------------------------------------


def made(kind, numbers):
    """Return a parameter with a gradient: a part of one that is cut, or a whole one."""
    zeros = [0.0] * len(numbers or [0.0])
    if kind == "cut":
        parameter = ShardedParameter(Tensor(zeros), ShardMetadata((9,), 0, ((0, len(zeros)),)))
    else:
        parameter = Parameter(Tensor(zeros))
    parameter.grad = None if numbers is None else Tensor(numbers)
    return parameter


def clipped(shards, stages, of_rank):
    """Return norm, gradients and calls of each rank after they are clipped to a norm of 1.

    Ranks 0, 1, ... of a stage are its shards; then come those of the next stage.
    """
    ranks = Groups(shards * stages)

    def clip(rank):
        stage, shard = divmod(rank, shards)
        row = SimpleNamespace(
            name="shards",
            rank=shard,
            size=shards,
            ranks=[stage * shards + i for i in range(shards)],
        )
        column = SimpleNamespace(
            name="stages",
            rank=stage,
            size=stages,
            ranks=[i * shards + shard for i in range(stages)],
        )
        parts = [(kind, made(kind, numbers)) for kind, numbers in of_rank[rank]]
        norm = gradients.clip_grad_norm_(
            [parameter for _, parameter in parts],
            1.0,
            row if shards > 1 else None,
            column if stages > 1 else None,
            [parameter for kind, parameter in parts if kind == "tied"],
        )
        grads = [None if p.grad is None else p.grad.tolist() for _, p in parts]
        return f"{norm.item():.4g}", rounded(grads), sorted(ranks.made[rank])

    with patch.object(gradients, "all_reduce", ranks.all_reduce):
        return ranks.run(clip)


@exercise("6.15")
def test_all_ranks_find_the_norm_of_all_parts():
    for shards, stages, of_rank, norm in [
        (1, 1, [[("own", [3.0, 4.0])]], "5"),
        (1, 1, [[("own", [2.0]), ("own", [4.0, 4.0])]], "6"),
        (1, 2, [[("own", [3.0])], [("own", [4.0])]], "5"),
        (2, 1, [[("cut", [3.0])], [("cut", [4.0])]], "5"),
        (2, 1, [[("whole", [3.0, 4.0])], [("whole", [3.0, 4.0])]], "5"),
        (1, 1, [[("own", [3.0]), ("tied", [4.0])]], "3"),
        (1, 2, [[("own", [1.0]), ("own", [2.0])], [("own", [2.0])]], "3"),
        (1, 2, [[("own", [3.0, 4.0])], [("own", None)]], "5"),
        (1, 2, [[("own", [3.0]), ("own", [4.0])], [("tied", [4.0])]], "5"),
        (3, 1, [[("cut", [3.0])], [("cut", [4.0])], [("cut", None)]], "5"),
        (
            2,
            2,
            [
                [("cut", [1.0]), ("whole", [1.0])],
                [("cut", [3.0]), ("whole", [1.0])],
                [("cut", [5.0])],
                [("cut", [8.0])],
            ],
            "10",
        ),
        (1, 2, [[("own", [3e20])], [("own", [4e20])]], "5e+20"),
    ]:
        size = float(norm)
        calls = ["shards"] * (shards > 1) + ["stages"] * (stages > 1)
        expected = [
            (norm, rounded([g and [x / size for x in g] for _, g in parts]), calls)
            for parts in of_rank
        ]
        shown = (
            f"{stages} stages of {shards} shards, gradients of each rank {of_rank}: the norm, the "
            "gradients clipped to 1, and the groups that it calls, on each rank"
        )
        args = (shards, stages, of_rank)
        expect(shown, lambda args=args: clipped(*args), expected)


def norm_of(makes):
    """Return the norm of some gradients, and what they are afterwards; nothing is shortened."""
    parameters = [Parameter(make()) for make in makes]
    for parameter, make in zip(parameters, makes, strict=True):
        parameter.grad = make()
    norm = gradients.clip_grad_norm_(parameters, 3e38)
    grads = [parameter.grad.tolist() for parameter in parameters]
    return f"{norm.item():.4g}" if norm.shape == () else f"shape {tuple(norm.shape)}", grads


@exercise("6.15")
def test_gradients_of_every_form_are_measured():
    for words, make, norm in [
        ("of no dimensions", lambda: tensor(-3.0), "3"),
        ("with no numbers", lambda: zeros(0, 2), "0"),
        ("of two dimensions", lambda: tensor([[1.0, 2.0], [2.0, 4.0]]), "5"),
        ("turned round", lambda: tensor([3.0, 4.0])[::-1], "5"),
        ("of stride 0", lambda: tensor([3.0]).expand(4), "6"),
        ("in half precision", lambda: tensor([3e4, 4e4], dtype=float16), "5e+04"),
        ("in double precision", lambda: tensor([3.0, 4.0], dtype=float64), "5"),
        ("huge", lambda: tensor([2.0**127, 2.0**127]), "2.406e+38"),
    ]:
        shown = f"one gradient {words}: the norm, and the gradient, clipped to 3e38"
        expect(shown, lambda make=make: norm_of([make]), (norm, [make().tolist()]))
    expect("no gradients at all: the norm", lambda: norm_of([]), ("0", []))


# ---- 6.16 ----------------------------------------------------------------------------------------


def batch(samples, channels, length, start, offset):
    """Return some numbers (samples, channels), or (samples, channels, length), and a gradient."""
    rows, upstream = [], []
    for i in range(start, start + samples):
        rows.append(
            [[offset + (3 * i + 5 * c + j) % 7 for j in range(length)] for c in range(channels)]
        )
        upstream.append(
            [[float((i + 2 * c + j) % 3) for j in range(length)] for c in range(channels)]
        )
    shape = (samples, channels, length) if length > 1 else (samples, channels)
    return Tensor(rows).reshape(shape), Tensor(upstream).reshape(shape)


def normalized(layer, x, upstream):
    """Return the running mean and variance, y and dx after one step."""
    x = x.mT.contiguous().mT.detach().requires_grad_()  # not contiguous
    y = layer(x)
    y.backward(upstream)
    running = [layer.running_mean.tolist(), layer.running_var.tolist()]
    return running, y.tolist(), x.grad.tolist()


def in_parts(samples, channels, length, offset):
    """Return the running statistics, y and dx of each rank, of these many samples each."""
    ranks = Groups(len(samples))

    def step(rank):
        mine = batch(samples[rank], channels, length, sum(samples[:rank]), offset)
        return rounded(normalized(SyncBatchNorm(channels), *mine))

    fakes = {"is_initialized": lambda: True, "get_world_size": lambda group=None: len(samples)}
    with patch.multiple(sync_batchnorm, all_reduce=ranks.all_reduce, **fakes):
        return ranks.run(step)


def at_once(samples, channels, length, offset):
    """Return what `in_parts` does, computed by one process that has all samples."""
    whole = batch(sum(samples), channels, length, 0, offset)
    running, y, dx = normalized(BatchNorm1d(channels), *whole)
    found, start = [], 0
    for count in samples:
        found.append([running, y[start : start + count], dx[start : start + count]])
        start += count
    return rounded(found)


@exercise("6.16")
def test_statistics_are_those_of_the_joined_batch():
    for samples, channels, length, offset in [
        ([2, 2], 1, 1, 0.0),
        ([1, 1], 1, 2, 0.0),
        ([4, 4], 2, 1, 0.0),
        ([3, 1], 1, 1, 0.0),
        ([2, 1, 3], 2, 1, 0.0),
        ([4, 1], 2, 3, 0.0),
        ([1, 2], 1, 2, 1024.0),
        ([3, 0], 1, 1, 0.0),
        ([0, 2, 1], 2, 3, 0.0),
    ]:
        images = f", {length} positions" if length > 1 else ""
        shown = (
            f"ranks with {samples} samples of {channels} channels{images}, from {offset:.0f} on: "
            "the running mean and variance, y and dx of each rank"
        )
        args = (samples, channels, length, offset)
        expect(shown, lambda args=args: in_parts(*args), at_once(*args))


def measured(of_rank, pairs=False):
    """Return mean, variance and count of each rank; of its pair of ranks, where these are asked."""
    ranks = Groups(len(of_rank))

    def measure(rank):
        first = rank - rank % 2
        members = [first, first + 1]
        pair = SimpleNamespace(name=f"pair {first}", rank=rank % 2, size=2, ranks=members)
        mean, variance, count = sync_batchnorm.moments(of_rank[rank](), pair if pairs else None)
        return rounded([mean.tolist(), variance.tolist(), count.item()])

    def size(group=None):
        return group.size if group else len(of_rank)

    with patch.multiple(sync_batchnorm, all_reduce=ranks.all_reduce, get_world_size=size):
        return ranks.run(measure)


def measured_by_hand(*parts):
    """Return mean, variance and count of the numbers (N, C) of some ranks together."""
    columns = list(zip(*[row for part in parts for row in part], strict=True))
    count = len(columns[0])
    means = [sum(column) / count for column in columns]
    pairs = zip(columns, means, strict=True)
    squares = [sum((x - mean) ** 2 for x in column) / count for column, mean in pairs]
    return rounded([means, squares, float(count)])


@exercise("6.16")
def test_moments_of_every_form():
    rows = [[1.0, 8.0], [3.0, 4.0], [5.0, 0.0]]
    right = [measured_by_hand(rows, rows[:1])] * 2
    for words, change in [
        ("as they are", lambda x: x),
        ("in double precision", lambda x: x.double()),
        ("turned round", lambda x: x.flip(0)[::-1]),
        ("with two more dimensions of size 1", lambda x: x.reshape(*x.shape, 1, 1)),
    ]:
        parts = [lambda c=change: c(Tensor(rows)), lambda c=change: c(Tensor(rows[:1]))]
        shown = f"ranks with {rows} and {rows[:1]}, {words}: mean, variance and count of each"
        expect(shown, lambda parts=parts: measured(parts), right)
    for shape in ((1, 2, 3, 1), (1, 2, 1, 3), (1, 2, 1, 1, 3)):
        parts = [lambda s=shape: Tensor(rows).T.reshape(*s), lambda: Tensor(rows[:1])]
        shown = f"ranks with {rows} as places of one sample, of shape {shape}, and with {rows[:1]}"
        expect(shown, lambda parts=parts: measured(parts), right)
    wide = [lambda: Tensor(rows[:1]).expand(3, 2), lambda: Tensor(rows[:1])]
    one = [rounded([rows[0], [0.0, 0.0], 4.0])] * 2
    shown = f"ranks with {rows[:1]} thrice, of stride 0, and with {rows[:1]}"
    expect(shown, lambda: measured(wide), one)


@exercise("6.16")
def test_a_group_of_its_own():
    parts = [[[1.0]], [[2.0], [6.0]], [[10.0]], [[30.0]]]
    makes = [lambda part=part: Tensor(part) for part in parts]
    right = [measured_by_hand(*parts[:2])] * 2 + [measured_by_hand(*parts[2:])] * 2
    shown = f"ranks with {parts}, the first two a group and the last two: mean, variance, count"
    expect(shown, lambda: measured(makes, pairs=True), right)


@exercise("6.16")
def test_digits_in_double_precision():
    def digits():
        parts = [lambda: tensor([[2.0**40 + 1]], dtype=float64)] * 2
        ranks = Groups(2)

        def measure(rank):
            mean, variance, _ = sync_batchnorm.moments(parts[rank](), None)
            return mean.item(), variance.item()

        fakes = {"all_reduce": ranks.all_reduce, "get_world_size": lambda group=None: 2}
        with patch.multiple(sync_batchnorm, **fakes):
            return ranks.run(measure)

    shown = "two ranks with 2**40 + 1 in double precision: mean and variance of each"
    expect(shown, digits, [(2.0**40 + 1, 0.0)] * 2)
