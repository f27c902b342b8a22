"""The tests of exercises 6.1 to 6.7: from small cases to large, with ranks that are threads.

`make check 6.3` runs those marked 6.3 on the reader's answer; pytest runs all of them on the
reference. No MPI is started: `Neighbours` plays the other ranks.
"""

from contextlib import contextmanager
from itertools import islice, pairwise
from types import SimpleNamespace
from unittest.mock import patch

from norch_autograd import (
    Tensor,
    bfloat16,
    float16,
    float32,
    float64,
    int64,
    is_grad_enabled,
    no_grad,
    ones,
    tensor,
    zeros,
)
from norch_course.ranks import Ranks
from norch_course.testing import exercise, expect
from norch_ddp import DistributedSampler
from norch_ddp.collectives import ring
from norch_ddp.data_parallel import buckets, data_parallel
from norch_ddp.data_parallel.data_parallel import DistributedDataParallel
from norch_nn import Module, Parameter

HUGE = 3e38  # two of these are more than float32 can hold


class Neighbours(Ranks):
    """Ranks in threads that send each other tensors, as stage 6 does."""

    def __init__(self, size):
        super().__init__(size)
        self.sent = [0] * size

    def isend(self, tensor, dst):
        """Put a copy into the mail."""
        self.sent[self.rank()] += tensor.numel()
        self.post(dst, tensor.tolist())
        return SimpleNamespace(wait=lambda: None)

    def recv(self, tensor, src):
        """Wait for the mail of one rank."""
        values = self.take(src, "recv")
        if len(values) != tensor.numel():
            numbers = f"{len(values)} numbers, this tensor holds {tensor.numel()}"
            raise RuntimeError(f"[recv] rank {src} sent {numbers}")
        tensor.copy_(wide(values))

    def broadcast_coalesced(self, tensors, src, group=None):
        """Make a message of each tensor."""
        for each in tensors:
            self.broadcast(each, src, group)

    def broadcast(self, tensor, src, group=None):
        """Wait until every rank of the group has called, then take the source's values."""
        if group is None:
            raise RuntimeError("[broadcast] without a group it asks ranks that never call it")
        made = self.exchange("broadcast", (src, tensor.tolist()))
        if len({source for source, _ in made}) > 1:
            sources = ", ".join(str(source) for source, _ in made)
            raise RuntimeError(f"[broadcast] the ranks name different sources: {sources}")
        if src not in group.ranks:
            there = f"the group has {group.ranks}"
            raise ValueError(f"[broadcast] rank {src} does not exist: {there}")
        with no_grad():
            tensor.copy_(wide(made[group.ranks.index(src)][1]).reshape(tensor.shape))


def wide(values):
    """Return numbers that have travelled, with all their digits."""
    return tensor(values, dtype=float64)


def kind_of(found):
    """Return the numbers of a tensor, and the name of its dtype."""
    return found.tolist(), str(found.dtype).rpartition(".")[2]


# ---- 6.1 -----------------------------------------------------------------------------------------


class Model(Module):
    """Some parameters, the first of them trained, and buffers, the first of them saved."""

    def __init__(self, parameters, buffers):
        super().__init__()
        for i, value in enumerate(parameters):
            self.register_parameter(f"w{i}", Parameter(Tensor([value]), requires_grad=i == 0))
        for i, value in enumerate(buffers):
            self.register_buffer(f"b{i}", Tensor([value]), persistent=i == 0)

    def values(self):
        """Return every number of the model."""
        return [tensor.item() for tensor in [*self.parameters(), *self.buffers()]]


def after_the_start(group, source, parameters, buffers):
    """Return the numbers of every rank's model; before, rank r's were r tens larger."""
    ranks = Neighbours(len(group))

    def start(place):
        tens = 10 * group[place]
        model = Model([tens + x for x in parameters], [tens + x for x in buffers])
        here = SimpleNamespace(rank=place, size=len(group), ranks=tuple(group))
        DistributedDataParallel._copy_from(SimpleNamespace(module=model, _group=here), source)
        return model.values()

    with patch.object(data_parallel, "broadcast_coalesced", ranks.broadcast_coalesced):
        return ranks.run(start)


@exercise("6.1")
def test_every_rank_copies_the_model_of_one():
    for group, source, parameters, buffers in [
        ([0], 0, [1.0], []),
        ([0, 1], 0, [1.0], []),
        ([0, 1], 1, [1.0], []),
        ([0, 1], 0, [1.0, 2.0], []),
        ([0, 1], 0, [1.0], [5.0]),
        ([0, 1, 2], 0, [1.0, 2.0], [5.0, 6.0]),
        ([2, 4], 0, [1.0], []),
        ([1, 2, 4], 1, [1.0, 2.0], [5.0, 6.0]),
    ]:
        shown = (
            f"ranks {group}, parameters {parameters} and buffers {buffers} and on rank r r tens "
            f"more: every model after _copy_from({source})"
        )
        expected = [[10.0 * group[source] + x for x in parameters + buffers]] * len(group)
        args = (group, source, parameters, buffers)
        expect(shown, lambda args=args: after_the_start(*args), expected)


class Nested(Module):
    """A model of parts, with tensors of several shapes and dtypes; all numbers are `value`."""

    def __init__(self, value):
        super().__init__()
        self.below = Module()
        self.below.inner = Module()
        self.w = Parameter(zeros(2, 3) + value)
        self.below.scalar = Parameter(zeros(()) + value)
        self.below.inner.half = Parameter(zeros(2, dtype=float16) + value)
        self.below.inner.double = Parameter((zeros(3, 2, dtype=float64) + value + 2.0**-40).T)
        self.below.none = Parameter(zeros(0, 3))
        self.below.inner.register_buffer("steps", zeros((), dtype=int64) + int(value))
        self.register_buffer("mean", (zeros(4) + value)[::-1])

    def tensors(self):
        """Return all of its tensors by name."""
        return dict([*self.named_parameters(), *self.named_buffers()])


def numbers(x):
    """Return the different numbers of a tensor."""
    return sorted(set(x.reshape(-1).tolist()))


@exercise("6.1")
def test_a_model_of_parts_is_copied_where_it_is():
    def start(source):
        ranks = Neighbours(2)

        def copy(place):
            model = Nested(place + 1.0)
            before = model.tensors()
            here = SimpleNamespace(rank=place, size=2, ranks=(0, 1))
            DistributedDataParallel._copy_from(SimpleNamespace(module=model, _group=here), source)
            now = model.tensors()
            kept = all(now[name] is own for name, own in before.items())
            kept = kept and all(one.requires_grad for one in model.parameters())
            return {name: numbers(one) for name, one in now.items()}, kept

        with patch.object(data_parallel, "broadcast_coalesced", ranks.broadcast_coalesced):
            return ranks.run(copy)

    for source in (0, 1):
        names = {name: numbers(one) for name, one in Nested(source + 1.0).tensors().items()}
        shown = (
            "a model of parts, all numbers of rank r are r + 1: the numbers of each rank after "
            f"_copy_from({source}), and are the tensors the same, and learn"
        )
        expect(shown, lambda s=source: start(s), [(names, True)] * 2)


# ---- 6.2 -----------------------------------------------------------------------------------------


MANY = 999  # more than any share has: what hands out without end is found


class Turned(DistributedSampler):
    """The indices from the last to the first."""

    def _indices(self):
        return list(reversed(range(len(self.dataset))))


def shares(length, ranks, drop_last):
    """Return every rank's indices."""
    options = {"shuffle": False, "drop_last": drop_last}
    dealt = [Turned(range(length), ranks, rank, **options) for rank in range(ranks)]
    return [list(islice(share, MANY)) for share in dealt]


@exercise("6.2")
def test_the_indices_are_dealt_in_equal_shares():
    for length, ranks, drop_last, expected in [
        (1, 1, False, [[0]]),
        (2, 2, False, [[1], [0]]),
        (4, 2, False, [[3, 1], [2, 0]]),
        (3, 2, False, [[2, 0], [1, 2]]),
        (3, 2, True, [[2], [1]]),
        (6, 3, False, [[5, 2], [4, 1], [3, 0]]),
        (7, 3, False, [[6, 3, 0], [5, 2, 6], [4, 1, 5]]),
        (7, 3, True, [[6, 3], [5, 2], [4, 1]]),
        (2, 5, False, [[1], [0], [1], [0], [1]]),
        (2, 5, True, [[], [], [], [], []]),
        (0, 2, False, [[], []]),
        (0, 3, True, [[], [], []]),
        (1, 4, False, [[0], [0], [0], [0]]),
        (300, 2, False, [list(range(299, 0, -2)), list(range(298, -1, -2))]),
    ]:
        drop = ", drop_last=True" if drop_last else ""
        args = (length, ranks, drop_last)
        turned = list(reversed(range(length)))
        named = turned if length < 10 else f"[{length - 1}, ..., 0]"
        shown = f"indices = {named}, {ranks} ranks{drop}: the indices of each rank"
        expect(shown, lambda args=args: shares(*args), expected)


@exercise("6.2")
def test_every_pass_deals_anew():
    def passes():
        sampler = Turned(range(5), 2, 1, shuffle=False)
        first, second = iter(sampler), iter(sampler)
        one = next(first)
        return one, *(list(islice(some, MANY)) for some in (second, first, sampler))

    shown = "indices = [4, 3, 2, 1, 0], rank 1 of 2: one of a pass, all of another, the rest, all"
    expect(shown, passes, (3, [3, 1, 4], [1, 4], [3, 1, 4]))


# ---- 6.3, 6.4 ------------------------------------------------------------------------------------


@contextmanager
def neighbours(size):
    """Let the functions of `ring` speak with ranks that are threads."""
    ranks = Neighbours(size)
    fakes = {"get_rank": ranks.rank, "isend": ranks.isend, "recv": ranks.recv}
    with patch.multiple(ring, get_world_size=lambda: size, **fakes):
        yield ranks


def contribution(rank, lengths):
    """Return rank's chunks: a power of ten that tells the rank, times the chunk's number + 1."""
    return [[float(10**rank * (k + 1))] * length for k, length in enumerate(lengths)]


def total(k, lengths):
    """Return the sum over the ranks of chunk k."""
    size = len(lengths)
    return [sum(10.0**rank * (k + 1) for rank in range(size))] * lengths[k]


def views_of_one(parts):
    """Return one tensor that holds the numbers of all parts, and a view of it for each part."""
    flat = Tensor([number for part in parts for number in part])
    cuts = [sum(map(len, parts[:k])) for k in range(len(parts) + 1)]
    return flat, [flat[start:stop] for start, stop in pairwise(cuts)]


def left_in_the_tensor(function, begun):
    """Return what one half of the ring leaves in the tensor that each rank's chunks are cut of."""
    with neighbours(len(begun)) as ranks:

        def around(rank):
            flat, chunks = views_of_one(begun[rank])
            function(chunks)
            return flat.tolist()

        return ranks.run(around)


def after_adding(lengths):
    """Return chunk r + 1 of each rank r after the first half, and how many numbers each sent."""
    with neighbours(len(lengths)) as ranks:

        def add(rank):
            chunks = [Tensor(part) for part in contribution(rank, lengths)]
            ring.reduce_scatter_around(chunks)
            return chunks[(rank + 1) % len(lengths)].tolist()

        return ranks.run(add), ranks.sent


@exercise("6.3")
def test_chunk_r_plus_1_is_complete_on_rank_r():
    for lengths in [(1,), (1, 1), (1, 1, 1), (2, 2), (1, 2, 1), (3, 3, 4, 3), (0, 1, 0, 1)]:
        size = len(lengths)
        sums = [total((rank + 1) % size, lengths) for rank in range(size)]
        sent = [sum(lengths) - lengths[(rank + 1) % size] for rank in range(size)]
        shown = f"{size} ranks, chunks of {lengths}: chunk r + 1 on rank r, numbers sent"
        expect(shown, lambda lengths=lengths: after_adding(lengths), (sums, sent))
    begun = [contribution(rank, (2, 1)) for rank in range(2)]
    summed = [[*begun[0][0], *total(1, (2, 1))], [*total(0, (2, 1)), *begun[1][1]]]
    shown = "2 ranks: the tensor that each rank's chunks are views of"
    expect(shown, lambda: left_in_the_tensor(ring.reduce_scatter_around, begun), summed)


FORMS_OF_CHUNKS = [
    ("in half precision", lambda x: x.to(float16)),
    ("in double precision", lambda x: x.double()),
    ("turned round", lambda x: x.flip(0)[::-1]),
    ("every second number of a tensor", lambda x: x.reshape(-1, 1).expand(len(x), 2).clone()[:, 0]),
]


def around_in_form(function, begun, change):
    """Return what the tensor of each rank holds after one half of the ring, and its dtype."""
    with neighbours(len(begun)) as ranks:

        def around(rank):
            flat = change(views_of_one(begun[rank])[0])
            lengths = [len(part) for part in begun[rank]]
            cuts = [sum(lengths[:k]) for k in range(len(lengths) + 1)]
            function([flat[start:stop] for start, stop in pairwise(cuts)])
            return kind_of(flat)

        return ranks.run(around)


@exercise("6.3")
def test_chunks_of_every_form_are_added_up():
    for words, change in FORMS_OF_CHUNKS:
        begun = [[[1.0, 3.0], [5.0]], [[2.0, 4.0], [6.0]]]
        dtype = kind_of(change(ones(1)))[1]
        right = [([1.0, 3.0, 11.0], dtype), ([3.0, 7.0, 6.0], dtype)]
        shown = f"2 ranks, chunks {begun}, {words}: each rank's tensor, dtype"
        function = ring.reduce_scatter_around
        expect(shown, lambda b=begun, c=change, f=function: around_in_form(f, b, c), right)

    begun = [[[1.25, -3.0], [-0.5]], [[2.5, 0.25], [0.25]]]
    shown = f"2 ranks, chunks {begun}: each rank's tensor"
    right = [[1.25, -3.0, -0.25], [3.75, -2.75, 0.25]]
    expect(shown, lambda: left_in_the_tensor(ring.reduce_scatter_around, begun), right)

    def huge():
        begun = [[[HUGE, HUGE], [0.0]], [[0.0, 0.0], [1.0]]]
        found = left_in_the_tensor(ring.reduce_scatter_around, begun)
        return [part == Tensor([HUGE]).item() for part in found[1]]

    shown = "2 ranks, chunk 0 is huge on rank 0 and 0 on rank 1: is each number of rank 1 huge"
    expect(shown, huge, [True, True, False])

    def digits():
        begun = [[[2.0**40 + 1], [0.0]], [[1.0], [0.0]]]
        with neighbours(2) as ranks:

            def around(rank):
                chunks = [tensor(part, dtype=float64) for part in begun[rank]]
                ring.reduce_scatter_around(chunks)
                return chunks[0].item()

            return ranks.run(around)[1]

    shown = "2 ranks, chunk 0 is 2**40 + 1 and 1, in double precision: the sum"
    expect(shown, digits, 2.0**40 + 2)


def after_gathering(lengths):
    """Return all chunks of every rank after the second half, and how many numbers each sent."""
    size = len(lengths)
    with neighbours(size) as ranks:

        def gather(rank):
            chunks = [Tensor(part) for part in contribution(rank, lengths)]
            finished = (rank + 1) % size
            chunks[finished] = Tensor(total(finished, lengths))
            ring.all_gather_around(chunks)
            return [chunk.tolist() for chunk in chunks]

        return ranks.run(gather), ranks.sent


@exercise("6.4")
def test_every_rank_has_every_sum():
    for lengths in [(1,), (1, 1), (1, 1, 1), (2, 2), (1, 2, 1), (3, 3, 4, 3), (0, 1, 0, 1)]:
        size = len(lengths)
        expected = [[total(k, lengths) for k in range(size)]] * size
        sent = [sum(lengths) - lengths[(rank + 2) % size] for rank in range(size)]
        shown = f"{size} ranks, chunks of {lengths}: the chunks of each rank, numbers sent"
        expect(shown, lambda lengths=lengths: after_gathering(lengths), (expected, sent))
    begun = [[[1.0, 1.0], [22.0]], [[11.0, 11.0], [20.0]]]
    shown = "2 ranks: the tensor that each rank's chunks are views of"
    everywhere = [[11.0, 11.0, 22.0]] * 2
    expect(shown, lambda: left_in_the_tensor(ring.all_gather_around, begun), everywhere)


@exercise("6.4")
def test_chunks_of_every_form_go_round():
    for words, change in FORMS_OF_CHUNKS:
        begun = [[[1.0, 3.0], [5.0]], [[2.0, 4.0], [6.0]]]
        dtype = kind_of(change(ones(1)))[1]
        right = [([2.0, 4.0, 5.0], dtype)] * 2
        shown = f"2 ranks, chunks {begun}, {words}: each rank's tensor, dtype"
        function = ring.all_gather_around
        expect(shown, lambda b=begun, c=change, f=function: around_in_form(f, b, c), right)

    def huge():
        begun = [[[0.0, 0.0], [1.0]], [[HUGE, HUGE], [float("inf")]]]
        found = left_in_the_tensor(ring.all_gather_around, begun)
        return [
            ["huge" if part == Tensor([HUGE]).item() else str(part) for part in one]
            for one in found
        ]

    shown = "2 ranks, the finished chunks are huge and 1, the others 0 and infinite: each tensor"
    expect(shown, huge, [["huge", "huge", "1.0"]] * 2)

    def digits():
        with neighbours(2) as ranks:

            def around(rank):
                chunks = [tensor([2.0**40 + 1], dtype=float64) * rank for _ in range(2)]
                ring.all_gather_around(chunks)
                return chunks[0].item()

            return ranks.run(around)

    shown = "2 ranks, the finished chunk 0 is 2**40 + 1 in double precision: chunk 0 of each"
    expect(shown, digits, [2.0**40 + 1] * 2)


# ---- 6.5 -----------------------------------------------------------------------------------------

CAP = 16
FIRST = buckets.FIRST_BUCKET_BYTES
KINDS = {"d": float64, "h": float16, "b": bfloat16}


def assigned(sizes, cap):
    """Return the names in each bucket; "2d" is two elements of float64, "h" float16, "b" bfloat16.

    The list that was given must be the same afterwards.
    """
    named = []
    for letter, size in zip("abcdefgh", sizes, strict=False):
        dtype = KINDS.get(str(size)[-1], float32)
        shape = [int(length) for length in str(size).rstrip("dhb").split("x")]
        named.append((letter, zeros(*shape, dtype=dtype)))
    before = [name for name, _ in named]
    found = buckets.assign_buckets(named, cap)
    if not isinstance(found, list):
        return f"a {type(found).__name__}"
    kinds = {type(part).__name__ for bucket in found for part in bucket}
    if kinds - {"tuple"}:
        return f"buckets of {sorted(kinds)}"
    packed = ["".join(name for name, _ in bucket) for bucket in found]
    after = [name for name, _ in named]
    return packed if after == before else f"{packed}, and the list given is now {after}"


@exercise("6.5")
def test_buckets_are_packed_from_the_back():
    for sizes, cap, expected in [
        ([], CAP, []),
        ([1], CAP, ["a"]),
        ([1, 1], CAP, ["ba"]),
        ([2, 2, 4], CAP, ["c", "ba"]),
        ([3, 2, 2], CAP, ["cb", "a"]),
        ([1, 9, 1], CAP, ["c", "b", "a"]),
        ([1, 1, 4, 1], CAP, ["d", "c", "ba"]),
        ([1, "1d"], CAP, ["b", "a"]),
        (["2d", "1d"], CAP, ["b", "a"]),
        ([1, "1d", "1d", 2, 2], CAP, ["ed", "cb", "a"]),
        ([4, 1, 3, 2, 2, 2], CAP, ["fe", "d", "cb", "a"]),
        ([FIRST // 8] * 6, 2 * FIRST, ["fe", "dcba"]),
        ([1, FIRST // 4, 1], 2 * FIRST, ["c", "ba"]),
        ([1, "1h", "1b", "1b"], CAP, ["dc", "b", "a"]),
        ([0, 4, 0, 4], CAP, ["dc", "ba"]),
        ([0], CAP, ["a"]),
        ([3, 0, 9, 0, 1], CAP, ["ed", "c", "ba"]),
        ([1, 1, 1], 3, ["c", "b", "a"]),
        ([1, "1d", 1, "1d"], CAP, ["d", "c", "b", "a"]),
        (["1x3", "2x2", "3x1"], CAP, ["c", "b", "a"]),
        (["2x1", "1x2", "2x0"], CAP, ["cba"]),
        ([f"{FIRST // 8}d", f"{FIRST // 8}d", 1], 2 * FIRST, ["c", "ba"]),
        (["1d", "1d", 2], CAP, ["c", "ba"]),
        ([1, 1, 1, 1], 100, ["dcba"]),
        (["2b", "6h", "2b", 2], CAP, ["d", "c", "b", "a"]),
    ]:
        shown = (
            f"buckets of {sizes} elements (float32; d float64, h float16, b bfloat16), {cap} bytes "
            "a bucket"
        )
        expect(shown, lambda sizes=sizes, cap=cap: assigned(sizes, cap), expected)


# ---- 6.6 -----------------------------------------------------------------------------------------


class Slots:
    """A bucket that only knows which of its slots are filled, and tells when it leaves."""

    def __init__(self, number, slots, left):
        self.number, self.empty, self.left = number, set(range(slots)), left
        self.used = set()

    def add(self, slot):
        """Fill one slot."""
        if is_grad_enabled():
            self.left.append(f"a gradient of {self.number} is filled in and recorded")
        self.empty.discard(slot)

    def is_full(self):
        """Tell whether no slot is empty."""
        return not self.empty

    def flush(self, group):
        """Leave."""
        self.left.append(self.number if self.is_full() else f"{self.number} (not full)")

    def poll(self):
        """Never come back."""
        return False


def departures(slots, arrivals):
    """Return which buckets have left after each arrival."""
    left = []
    reducer = buckets.Reducer.__new__(buckets.Reducer)
    reducer.enabled = reducer._running = True
    reducer._group = None
    reducer._flushed = 0
    reducer._buckets = [Slots(number, count, left) for number, count in enumerate(slots)]
    seen = []
    for bucket, slot in arrivals:
        reducer.mark_ready(bucket, slot)
        seen.append(list(left))
    return seen


@exercise("6.6")
def test_buckets_leave_in_their_order():
    for slots, arrivals, expected in [
        ([1], [(0, 0)], [[0]]),
        ([2], [(0, 0), (0, 1)], [[], [0]]),
        ([1, 1], [(0, 0), (1, 0)], [[0], [0, 1]]),
        ([1, 1], [(1, 0), (0, 0)], [[], [0, 1]]),
        ([2, 1], [(0, 1), (1, 0), (0, 0)], [[], [], [0, 1]]),
        ([1, 1, 1], [(2, 0), (0, 0), (1, 0)], [[], [0], [0, 1, 2]]),
        ([1, 1, 1], [(1, 0), (0, 0), (2, 0)], [[], [0, 1], [0, 1, 2]]),
        ([1, 2, 1], [(1, 0), (2, 0), (1, 1), (0, 0)], [[], [], [], [0, 1, 2]]),
        ([1] * 6, [(i, 0) for i in (5, 4, 3, 2, 1, 0)], [[]] * 5 + [[0, 1, 2, 3, 4, 5]]),
        ([2, 2], [(1, 1), (0, 1), (1, 0), (0, 0)], [[], [], [], [0, 1]]),
    ]:
        shown = f"buckets of {slots} gradients, (bucket, slot) arrive {arrivals}: those that left"
        args = (slots, arrivals)
        expect(shown, lambda args=args: departures(*args), expected)


# ---- 6.7 -----------------------------------------------------------------------------------------


def written_back(ranks, sums, counts, before, dtype=float32):
    """Return the gradients after write_back, and what whoever held this rank's own ones sees then.

    `before` are these, None where it has none.
    """
    parameters = [Parameter(ones(len(values), dtype=dtype)) for values in sums]
    for parameter, own in zip(parameters, before, strict=True):
        parameter.grad = None if own is None else Tensor(own).to(dtype)
    held = [parameter.grad for parameter in parameters]
    bucket = buckets.Bucket([(f"p{i}", parameter) for i, parameter in enumerate(parameters)])
    bucket.flat.copy_(Tensor([number for values in [*sums, counts] for number in values]))
    with no_grad():
        bucket.write_back(ranks)
        grads = [parameter.grad for parameter in parameters]
        bucket.flat.zero_()  # the bucket is used again: a gradient must not be a view of it
    kinds = {grad.dtype.name for grad in grads if grad is not None}
    shown = ([None if one is None else one.tolist() for one in some] for some in (grads, held))
    return *shown, sorted(kinds)


@exercise("6.7")
def test_gradients_become_means_over_all_ranks():
    for ranks, sums, counts, before, expected in [
        (1, [[3.0]], [1.0], [[3.0]], [[3.0]]),
        (2, [[6.0]], [2.0], [[1.0]], [[3.0]]),
        (2, [[6.0]], [1.0], [None], [[3.0]]),
        (2, [[6.0]], [1.0], [[6.0]], [[3.0]]),
        (2, [[0.0]], [0.0], [None], [None]),
        (4, [[8.0, 4.0]], [4.0], [[1.0, 1.0]], [[2.0, 1.0]]),
        (4, [[8.0], [0.0], [4.0]], [4.0, 0.0, 2.0], [[1.0], None, None], [[2.0], None, [1.0]]),
        (2, [[0.0], [2.0]], [0.0, 2.0], [[7.0], [1.0]], [[7.0], [1.0]]),
        (2, [[3.0, -3.0]], [2.0], [[1.0, 1.0]], [[1.5, -1.5]]),
        (2, [[0.0]], [2.0], [[1.0]], [[0.0]]),
    ]:
        shown = (
            f"sums {sums} of the gradients of {counts} of {ranks} ranks, this rank's own {before}: "
            ".grad after write_back, what whoever held the old ones sees, and the dtypes"
        )
        args = (ranks, sums, counts, before)
        held = [own and mean for own, mean in zip(before, expected, strict=True)]
        kinds = ["float32"] if any(expected) else []
        expect(shown, lambda args=args: written_back(*args), (expected, held, kinds))
    shown = "no numbers, then [6.0], of 2 ranks: .grad, what the holder sees, dtypes"
    args = (2, [[], [6.0]], [0.0, 2.0], [None, [1.0]])
    right = ([None, [3.0]], [None, [3.0]], ["float32"])
    expect(shown, lambda args=args: written_back(*args), right)
    huge = Tensor([HUGE, HUGE]).tolist()
    halved = [x / 2 for x in huge]
    shown = "sums [[3e38, 3e38]] of 2 ranks: .grad, what the holder sees, dtypes"
    args = (2, [huge], [2.0], [[1.0, 1.0]])
    expect(shown, lambda args=args: written_back(*args), ([halved], [halved], ["float32"]))
    shown = "sums [[6.0]] of 2 of 2 ranks, {}: .grad, what the holder sees, dtypes"
    for dtype in (float16, float64):
        args, name = (2, [[6.0]], [2.0], [[1.0]], dtype), str(dtype).rpartition(".")[2]
        right = ([[3.0]], [[3.0]], [name])
        expect(shown.format(name), lambda args=args: written_back(*args), right)
    shown = "the same of a bfloat16 parameter, sums [[6.0]] of 1 of 2 ranks, none of this one's own"
    args = (2, [[6.0]], [1.0], [None], bfloat16)
    expect(shown, lambda args=args: written_back(*args), ([[3.0]], [None], ["bfloat16"]))
    for own in ([1.0], None):
        shown = f"the same of a float16 parameter, sums [[80000.0]] of 2 of 2 ranks, own {own}"
        args = (2, [[80000.0]], [2.0], [own], float16)
        right = ([[40000.0]], [own and [40000.0]], ["float16"])
        expect(shown, lambda args=args: written_back(*args), right)


@exercise("6.7")
def test_gradients_of_every_shape_become_means():
    def means(make, ranks):
        parameters = [Parameter(make()), Parameter(make())]
        parameters[0].grad = held = make().zero_()
        bucket = buckets.Bucket([("a", parameters[0]), ("b", parameters[1])])
        bucket.flat.fill_(6.0)
        with no_grad():
            bucket.write_back(ranks)
        shapes = [tuple(parameter.grad.shape) for parameter in parameters]
        numbers = {x for one in parameters for x in one.grad.reshape(-1).tolist()}
        return shapes, sorted(numbers), parameters[0].grad is held

    for words, make in [
        ("of no dimensions", lambda: ones(())),
        ("of shape (2, 3)", lambda: ones(2, 3)),
        ("transposed", lambda: ones(3, 2).T),
        ("turned round", lambda: ones(3)[::-1]),
        ("with no numbers", lambda: ones(0, 2)),
    ]:
        shape = tuple(make().shape)
        right = [shape] * 2, [2.0] if 0 not in shape else [], True
        shown = (
            f"two parameters {words}, sums of 3 ranks are 6: shapes, numbers, is the old one kept"
        )
        expect(shown, lambda make=make: means(make, 3), right)
