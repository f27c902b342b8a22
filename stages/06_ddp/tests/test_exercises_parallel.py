"""The tests of exercises 6.8 to 6.14, models that do not fit: from small cases to large.

As in test_exercises.py, ranks are threads, and no MPI is started.
"""

import itertools
from contextlib import contextmanager
from types import SimpleNamespace
from unittest.mock import patch

from norch_autograd import Tensor, float16, float64, full, no_grad, ones, tensor, zeros
from norch_course.ranks import Ranks
from norch_course.testing import exercise, expect
from norch_ddp.model_parallel import context_parallel, rows as rows_of_all, tensor_parallel
from norch_ddp.model_parallel.context_parallel import Hop
from norch_ddp.model_parallel.pipeline import Schedule1F1B
from norch_ddp.model_parallel.rows import rows_of
from norch_ddp.model_parallel.sharding import ShardedParameter
from norch_ddp.model_parallel.tensor_parallel import ColumnParallelLinear, RowParallelLinear
from norch_ddp.model_parallel.zero_redundancy_optimizer import ZeroRedundancyOptimizer
from norch_ddp.simulate.compute import Compute, Layer
from norch_ddp.simulate.plan import Plan, fitting, stage_memory
from norch_ddp.simulate.schedule import Gradient, bucket_schedule
from norch_ddp.simulate.transformer import transformer
from norch_nn import Linear, Parameter
from norch_nn.optim import SGD, Adam

HUGE = 3e38  # two of these are more than float32 can hold


class Group(Ranks):
    """Ranks in threads, and the collectives of stage 6 that these exercises call."""

    def here(self):
        """Return the group as the calling rank sees it."""
        return SimpleNamespace(rank=self.rank(), size=self.size, ranks=range(self.size))

    def all_reduce(self, x, op="sum", group=None):
        """Add up what all ranks bring."""
        parts = self.exchange(f"all_reduce of {list(x.shape)}", x.tolist())
        with no_grad():
            x.copy_(sum(wide(part) for part in parts).reshape(x.shape))

    def reduce_scatter_tensor(self, output, input, op, group):
        """Add up, or take the mean; each rank gets its row."""
        rows = [part[self.rank()] for part in self.exchange("reduce_scatter", input.tolist())]
        total = sum(wide(row) for row in rows)
        output.copy_(total / self.size if op == "mean" else total)

    def gather_into(self, op, output, input, group):
        """Give each rank the rows of all."""
        output.copy_(wide(self.exchange("all_gather", input.tolist())))


def wide(values):
    """Return numbers that have travelled, with all their digits."""
    return tensor(values, dtype=float64)


def kind_of(found):
    """Return the numbers of a tensor, and the name of its dtype."""
    return found.tolist(), str(found.dtype).rpartition(".")[2]


def table(rows, columns, start=1):
    """Return start, start + 1, ... as rows of numbers."""
    return [[float(start + columns * i + j) for j in range(columns)] for i in range(rows)]


def transposed(rows):
    """Return columns as rows."""
    return [list(column) for column in zip(*rows, strict=True)]


# ---- 6.8 -----------------------------------------------------------------------------------------


def stepped(size, kind, shapes, average, steps):
    """Return parameters, shards' gradients that are left and messages of each rank after steps.

    Each parameter is a table 10, 11, ...; rank r's gradient of it is r + 1 times 2, 4, ..., or the
    mean of these on all ranks where they have been averaged.
    """
    group = Group(size)

    def train(rank):
        messages = []
        for shapes_of_message in shapes:
            messages.append([])
            for rows, columns in shapes_of_message:
                flipped = Tensor(transposed(table(rows, columns, 10)))
                parameter = Parameter(flipped.T)  # its rows do not lie one after another
                shard = rows_of(parameter.shape, rank, size)
                part = ShardedParameter(shard.take(parameter.detach()), shard)
                messages[-1].append((parameter, part))
                scale = 2.0 * (rank + 1) if average else size + 1.0
                parameter.grad = Tensor(transposed(table(rows, columns))).T * scale
        shards = [shard for pairs in messages for _, shard in pairs]
        optimizer = SimpleNamespace(
            optim=kind(shards, lr=1.0), average_gradients=average, _group=group.here()
        )
        for _ in range(steps):
            ZeroRedundancyOptimizer._sharded_step(optimizer, messages)
        values = [rounded(parameter.tolist()) for pairs in messages for parameter, _ in pairs]
        left = sum(shard.grad is not None for shard in shards)
        return values, left, sorted(group.calls()) if size > 1 else []

    fakes = {name: getattr(group, name) for name in COLLECTIVES_OF_ROWS}
    with patch.multiple(rows_of_all, **fakes):
        return group.run(train)


COLLECTIVES_OF_ROWS = ("reduce_scatter_tensor", "gather_into")


def rounded(values, digits=4):
    """Round the numbers in nested lists and tuples."""
    if isinstance(values, list | tuple):
        return [rounded(value, digits) for value in values]
    return round(values, digits)


@exercise("6.8")
def test_every_rank_updates_its_rows():
    """SGD with rate 1 takes the mean off, (N + 1) times 1, 2, ...; Adam takes 1 off in a step."""
    for size, kind, shapes, average, steps in [
        (1, SGD, [[(1, 1)]], True, 1),
        (2, SGD, [[(2, 1)]], True, 1),
        (2, SGD, [[(2, 1)]], False, 1),
        (2, SGD, [[(3, 2)]], True, 1),
        (3, SGD, [[(4, 2), (1, 3)]], True, 2),
        (4, SGD, [[(5, 2)], [(3, 1), (4, 2)]], True, 1),
        (3, SGD, [[(5, 1)], [(3, 2)]], False, 2),
        (4, Adam, [[(6, 2)], [(2, 2)]], True, 3),
    ]:
        every = [shape for pairs in shapes for shape in pairs]
        taken = (size + 1.0) * steps
        values = [
            [
                [10.0 + i - (steps if kind is Adam else taken * (i + 1)) for i in row]
                for row in ([columns * y + x for x in range(columns)] for y in range(rows))
            ]
            for rows, columns in every
        ]
        count = len(shapes) * steps
        messages = ["all_gather"] * count + ["reduce_scatter"] * (count if average else 0)
        messages = messages if size > 1 else []  # one alone may leave them out
        shown = (
            f"{size} ranks, {kind.__name__}, lists of parameters {shapes}, average_gradients="
            f"{average}, {steps} steps: parameters, gradients left in shards, messages of each rank"
        )
        args = (size, kind, shapes, average, steps)
        expect(shown, lambda args=args: stepped(*args), [(values, 0, messages)] * size)


def stepped_once(make, average, kind=SGD):
    """Return a parameter and its gradient on two ranks after a step, and the dtype."""
    group = Group(2)

    def train(rank):
        parameter = Parameter(make())
        parameter.grad = make() * (rank + 1 if average else 1)
        held = parameter.grad
        shard = rows_of(parameter.shape, rank, 2)
        part = ShardedParameter(shard.take(parameter.detach()), shard)
        idle = ShardedParameter(shard.take(make()), shard)
        optimizer = SimpleNamespace(
            optim=kind([part, idle], lr=1.0), average_gradients=average, _group=group.here()
        )
        before = idle.tolist()
        ZeroRedundancyOptimizer._sharded_step(optimizer, [[(parameter, part)]])
        return kind_of(parameter), parameter.grad is held, idle.tolist() == before

    fakes = {name: getattr(group, name) for name in COLLECTIVES_OF_ROWS}
    with patch.multiple(rows_of_all, **fakes):
        return group.run(train)


@exercise("6.8")
def test_parameters_of_every_form_are_stepped():
    for words, make in [
        ("in half precision", lambda: tensor([[2.0], [4.0], [8.0]], dtype=float16)),
        ("in double precision", lambda: tensor([[2.0**40 + 2], [4.0], [8.0]], dtype=float64)),
        ("of one dimension", lambda: tensor([2.0, 4.0, 8.0])),
        ("turned round", lambda: tensor([[8.0, 4.0, 2.0]]).T[::-1]),
        ("of three dimensions", lambda: tensor([[[2.0]], [[4.0]]])),
        ("with one row", lambda: tensor([[2.0, 4.0]])),
        ("without rows", lambda: zeros(0, 2)),
    ]:
        for average in (True, False):
            x = make()
            right = kind_of(x * (1 - (1.5 if average else 1.0))), True, True
            shown = (
                f"2 ranks, a parameter {words}, gradient its own numbers, times 2 on rank 1 if "
                f"average_gradients={average}: parameter, is .grad the same, is an idle shard"
            )
            expect(shown, lambda m=make, a=average: stepped_once(m, a), [right] * 2)


@exercise("6.8")
def test_no_parameter_has_a_gradient():
    def nothing():
        group = Group(2)

        def train(rank):
            shard = rows_of((2, 1), rank, 2)
            part = ShardedParameter(ones(1, 1), shard)
            optimizer = SimpleNamespace(
                optim=SGD([part], lr=1.0), average_gradients=True, _group=group.here()
            )
            ZeroRedundancyOptimizer._sharded_step(optimizer, [])
            return part.tolist(), group.calls()

        fakes = {name: getattr(group, name) for name in COLLECTIVES_OF_ROWS}
        with patch.multiple(rows_of_all, **fakes):
            return group.run(train)

    expect("2 ranks, no list at all: a shard of 1, messages", nothing, [([[1.0]], [])] * 2)


# ---- 6.9 -----------------------------------------------------------------------------------------


def product(a, b):
    """Return a b of nested lists."""
    return [
        [sum(x * y for x, y in zip(row, column, strict=True)) for column in zip(*b, strict=True)]
        for row in a
    ]


def whole_linear(outs, ins, has_bias):
    """Return the Linear that all ranks know: weight 1, 2, ..., bias 1000, 1001, ..."""
    linear = Linear(ins, outs, bias=has_bias)
    with no_grad():
        linear.weight.copy_(Tensor(table(outs, ins)))
        if has_bias:
            linear.bias.copy_(Tensor(table(1, outs, 1000)[0]))
    return linear


def in_columns(size, outs, ins, has_bias):
    """Return y, dx, dW, db and the sums of each rank, with dy = 1, 2, ... on the whole of y."""
    group = Group(size)

    def work(rank):
        layer = ColumnParallelLinear(whole_linear(outs, ins, has_bias), group.here())
        x = Tensor(transposed(table(2, ins))).T.detach().requires_grad_()
        y = layer(x)
        ((start, length),) = layer.weight.shard.ranges
        y.backward(Tensor(table(2, outs))[:, start : start + length])
        bias = layer.bias.grad.tolist() if has_bias else None
        return [y.tolist(), x.grad.tolist(), layer.weight.grad.tolist(), bias, sums(group)]

    with patch.object(tensor_parallel, "all_reduce", group.all_reduce):
        return group.run(work)


def in_rows(size, outs, ins, has_bias):
    """Return z, dy, dW, db and the sums of each rank, with dz = 1, 2, ..."""
    group = Group(size)

    def work(rank):
        layer = RowParallelLinear(whole_linear(outs, ins, has_bias), group.here())
        ((start, length),) = layer.weight.shard.ranges
        whole = Tensor(transposed(table(2, ins))).T
        y = whole[:, start : start + length].detach().requires_grad_()
        z = layer(y)
        z.backward(Tensor(table(2, outs)))
        bias = layer.bias.grad.tolist() if has_bias else None
        return [z.tolist(), y.grad.tolist(), layer.weight.grad.tolist(), bias, sums(group)]

    with patch.object(tensor_parallel, "all_reduce", group.all_reduce):
        return group.run(work)


def sums(group):
    """Return the sums that a rank has made; one alone may leave them out."""
    return group.calls() if group.size > 1 else []


def alone(outs, ins, has_bias):
    """Return result, dx, dW and db of the whole Linear, in plain numbers."""
    weight, x, grad = table(outs, ins), table(2, ins), table(2, outs)
    bias = table(1, outs, 1000)[0] if has_bias else [0.0] * outs
    result = [
        [value + more for value, more in zip(row, bias, strict=True)]
        for row in product(x, transposed(weight))
    ]
    summed = [sum(column) for column in zip(*grad, strict=True)] if has_bias else None
    return result, product(grad, weight), product(transposed(grad), x), summed


def parts(length, size):
    """Return the slices of the ranks."""
    each = -(-length // size)
    return [slice(rank * each, min(length, rank * each + each)) for rank in range(size)]


@exercise("6.9")
def test_a_linear_cut_both_ways_gives_what_the_whole_one_gives():
    for outs, ins, size, has_bias in [
        (1, 1, 1, True),
        (2, 1, 2, False),
        (2, 2, 2, True),
        (4, 3, 2, True),
        (5, 2, 3, True),
        (7, 2, 4, False),
    ]:
        y, dx, dweight, dbias = alone(outs, ins, has_bias)
        sent = [f"all_reduce of {[2, ins]}"] * (size > 1)
        expected = [
            [[row[mine] for row in y], dx, dweight[mine], dbias and dbias[mine], sent]
            for mine in parts(outs, size)
        ]
        args = (size, outs, ins, has_bias)
        bias = "with" if has_bias else "without"
        shown = f"{size} ranks, Linear({ins}, {outs}) {bias} bias, cut by "
        columns = "columns of its result: y, dx, dW, db and sums of each rank"
        expect(shown + columns, lambda args=args: in_columns(*args), expected)
        args = (size, ins, outs, has_bias)
        y, dx, dweight, dbias = alone(ins, outs, has_bias)
        sent = [f"all_reduce of {[2, ins]}"] * (size > 1)
        expected = [
            [y, [row[mine] for row in dx], [row[mine] for row in dweight], dbias, sent]
            for mine in parts(outs, size)
        ]
        shown = f"{size} ranks, Linear({outs}, {ins}) {bias} bias, cut by "
        rows = "columns of what it is given: z, dy, dW, db and sums of each rank"
        expect(shown + rows, lambda args=args: in_rows(*args), expected)


def of_any_input(by_rows, change):
    """Return y and dx of each of two ranks for an input that is changed, with dy = 1."""
    group = Group(2)

    def work(rank):
        kind = RowParallelLinear if by_rows else ColumnParallelLinear
        layer = kind(whole_linear(2, 2, True).to(change(ones(3, 1)).dtype), group.here())
        x = change(ones(3, 1 if by_rows else 2)).detach().requires_grad_()
        y = layer(x)
        y.sum().backward()
        return kind_of(y), kind_of(x.grad)

    with patch.object(tensor_parallel, "all_reduce", group.all_reduce):
        return group.run(work)


@exercise("6.9")
def test_inputs_of_every_form():
    """The weight is [[1, 2], [3, 4]], the bias 1000, 1001, and all numbers of the input are 1."""
    for words, change in [
        ("in double precision", lambda x: x.double()),
        ("of one sample", lambda x: x[:1]),
        ("of no samples", lambda x: x[:0]),
        ("of one dimension", lambda x: x[0]),
        ("of three dimensions", lambda x: x.reshape(3, 1, -1)),
        ("turned round", lambda x: x.clone()[::-1]),
        ("of stride 0", lambda x: x[:1].expand(3, x.shape[1])),
        ("in half precision", lambda x: x.to(float16)),
    ]:
        x = change(zeros(3, 1))
        shape, dtype = tuple(x.shape[:-1]), kind_of(x)[1]

        def filled(row, shape=shape, dtype=dtype):
            return (zeros(*shape, len(row)) + tensor(row)).tolist(), dtype

        rows = [(filled([1003.0]), filled([4.0, 6.0])), (filled([1008.0]), filled([4.0, 6.0]))]
        shown = f"2 ranks, Linear(2, 2), input of ones, {words}, cut by"
        columns = f"{shown} columns of its result: y, dx"
        expect(columns, lambda c=change: of_any_input(False, c), rows)
        y = filled([1003.0, 1008.0])
        both = [(y, filled([4.0])), (y, filled([6.0]))]
        expect(f"{shown} columns of the input: z, dy", lambda c=change: of_any_input(True, c), both)

    def small():
        group = Group(2)

        def work(rank):
            linear = Linear(2, 2, bias=False)
            with no_grad():
                linear.weight.copy_(Tensor([[0.25, 0.0], [0.0, 0.25]]))
            layer = ColumnParallelLinear(linear, group.here())
            return layer(full((1, 2), 2.0**127)).tolist()

        with patch.object(tensor_parallel, "all_reduce", group.all_reduce):
            return group.run(work)

    expect("2 ranks, weights of 1/4, input 2**127: y", small, [[[2.0**125]], [[2.0**125]]])


# ---- 6.10 ----------------------------------------------------------------------------------------


def played(stages, micro_batches):
    """Return the orders of the ranks, the time of the step, and the micro-batches that they keep.

    Each action takes 1 and a message nothing.
    """
    orders = [
        [f"{kind}{i}" for kind, i in Schedule1F1B.actions(rank, stages, micro_batches)]
        for rank in range(stages)
    ]
    ends, now, places = {}, [0] * stages, [0] * stages
    while any(place < len(order) for place, order in zip(places, orders, strict=True)):
        before = list(places)
        for rank, order in enumerate(orders):
            while places[rank] < len(order):
                action = order[places[rank]]
                needed = [ends.get(one) for one in needs(action, rank, stages)]
                if None in needed:
                    break
                now[rank] = ends[action, rank] = max([now[rank], *needed]) + 1
                places[rank] += 1
        if places == before:
            rank = next(r for r in range(stages) if places[r] < len(orders[r]))
            return f"rank {rank} waits for ever before {orders[rank][places[rank]]}: {orders}"
    return [" ".join(order) for order in orders], max(now), [kept(order) for order in orders]


def needs(action, rank, stages):
    """Return the actions that must be over before this one."""
    if action[0] == "F":
        return [(action, rank - 1)] if rank else []
    behind = [(action, rank + 1)] if rank < stages - 1 else []
    return [("F" + action[1:], rank), *behind]


def kept(order):
    """Return how many micro-batches are forward but not back at the worst moment."""
    count, most = 0, 0
    for action in order:
        count += 1 if action[0] == "F" else -1
        most = max(most, count)
    return most


@exercise("6.10")
def test_one_forward_and_one_backward_by_turns():
    for stages, micro_batches, orders in [
        (1, 1, ["F0 B0"]),
        (1, 3, ["F0 B0 F1 B1 F2 B2"]),
        (2, 1, ["F0 B0", "F0 B0"]),
        (2, 3, ["F0 F1 B0 F2 B1 B2", "F0 B0 F1 B1 F2 B2"]),
        (3, 2, ["F0 F1 B0 B1", "F0 F1 B0 B1", "F0 B0 F1 B1"]),
        (
            3,
            4,
            ["F0 F1 F2 B0 F3 B1 B2 B3", "F0 F1 B0 F2 B1 F3 B2 B3", "F0 B0 F1 B1 F2 B2 F3 B3"],
        ),
        (4, 2, ["F0 F1 B0 B1", "F0 F1 B0 B1", "F0 F1 B0 B1", "F0 B0 F1 B1"]),
    ]:
        time = 2 * (micro_batches + stages - 1)
        most = [min(micro_batches, stages - rank) for rank in range(stages)]
        shown = (
            f"{stages} stages, {micro_batches} micro-batches: the order of each rank, the time of "
            "a step in actions, the most micro-batches kept on each rank"
        )
        args = (stages, micro_batches)
        expect(shown, lambda args=args: played(*args), (orders, time, most))


@exercise("6.10")
def test_what_actions_are():
    def kinds():
        found = Schedule1F1B.actions(0, 2, 2)
        return type(found).__name__, [type(one).__name__ for one in found]

    shown = "2 stages, 2 micro-batches: what actions returns, and its parts"
    expect(shown, kinds, ("list", ["Action"] * 4))


# ---- 6.12 ----------------------------------------------------------------------------------------

HOP, WORK = 3, 2
"""How long a message travels, and how long a rank works on a chunk."""


@contextmanager
def clocks(group):
    """Let `around` hop between threads, each with a clock of its own; yield the clocks."""
    now = [0] * group.size

    def start_hop(outgoing, here, tag):
        if tag != context_parallel.AROUND:
            raise RuntimeError("[start_hop] the tag is not AROUND: other messages have it")
        after = (here.rank + 1) % here.size
        group.post(after, (outgoing.tolist(), now[here.rank] + HOP))
        return Hop([], full(tuple(outgoing.shape), -1.0, dtype=outgoing.dtype))

    def arrived(hop):
        rank = group.rank()
        values, time = group.take((rank - 1) % group.size, "arrived")
        hop.incoming.copy_(wide(values).reshape(hop.incoming.shape))
        now[rank] = max(now[rank], time)
        return hop.incoming

    with patch.multiple(context_parallel, start_hop=start_hop, arrived=arrived):
        yield now


def circled(size):
    """Return when each rank works on which chunk, its key and its value, and when all is done.

    The keys of rank r are r, its values 10 r.
    """
    group = Group(size)
    with clocks(group) as now:

        def attend(rank):
            seen = []
            k, v = full((1, 1, 1, 1), float(rank)), full((1, 1, 1, 1), 10.0 * rank)
            for number, (key, value) in context_parallel.around(k, v, group.here()):
                seen.append((now[rank], number, key.item(), value.item()))
                now[rank] += WORK
            return seen, now[rank], len(group._mail[rank - 1 if rank else size - 1, rank])

        return group.run(attend)


@exercise("6.12")
def test_the_next_chunk_travels_while_this_one_is_used():
    for size in [1, 2, 3, 4]:
        time = WORK + (size - 1) * HOP
        expected = []
        for rank in range(size):
            order = [(HOP * step, (rank - step) % size) for step in range(size)]
            expected.append(([(at, r, float(r), 10.0 * r) for at, r in order], time, 0))
        shown = (
            f"{size} ranks, a hop takes {HOP} and work on a chunk {WORK}: on each rank (when, "
            "chunk, key, value) of its work, the end, messages that nobody took"
        )
        expect(shown, lambda size=size: circled(size), expected)


def shifted(x, number):
    """Take a number off all elements in place, where each has a place of its own: same layout."""
    return x.sub_(number) if 0 not in x.stride() else x


@exercise("6.12")
def test_chunks_of_every_form_go_round():
    def met(make):
        group = Group(2)
        with clocks(group):

            def attend(rank):
                k, v = shifted(make(), rank), shifted(make(), 2)
                return [(r, kind_of(k), kind_of(v)) for r, (k, v) in around(k, v, group.here())]

            return group.run(attend)

    around = context_parallel.around
    for words, make in [
        ("of shape (1, 2, 3, 1)", lambda: tensor([[[[1.0], [2.0], [3.0]]] * 2])),
        ("of no dimensions", lambda: tensor(1.0)),
        ("without numbers", lambda: zeros(1, 1, 0, 2)),
        ("turned round", lambda: tensor([3.0, 2.0, 1.0])[::-1]),
        ("of stride 0", lambda: tensor([1.0]).expand(3)),
        ("in half precision", lambda: tensor([1.0, 2.0], dtype=float16)),
        ("in double precision", lambda: tensor([2.0**40 + 1], dtype=float64)),
        ("huge", lambda: tensor([2.0**127, 2.0**127])),
    ]:
        pairs = [(kind_of(shifted(make(), r)), kind_of(shifted(make(), 2))) for r in range(2)]
        right = [[(r, *pairs[r]) for r in order] for order in ((0, 1), (1, 0))]
        shown = f"2 ranks, k {words}, smaller by the rank, v by 2: chunk, key, value of each"
        expect(shown, lambda make=make: met(make), right)


# ---- 6.13 ----------------------------------------------------------------------------------------


MOST_ASKED = 100_000
"""How often an answer may ask for the seconds of a message: 30 gradients need it 465 times."""


def last_arrival(ready, sizes, latency):
    """Return when the last message arrives in the buckets of the answer, and these."""
    asked = itertools.count(1)

    def seconds(nbytes):
        if next(asked) > MOST_ASKED:
            raise RuntimeError(f"`seconds` was asked more than {MOST_ASKED} times")
        return float(latency + nbytes)

    gradients = [Gradient(time, nbytes) for time, nbytes in zip(ready, sizes, strict=True)]
    counts = bucket_schedule(gradients, seconds)
    if min(counts, default=1) < 1 or sum(counts) != len(gradients):
        return f"{counts}: not all of {len(gradients)} gradients, each once"
    end, start = 0.0, 0
    for count in counts:
        bucket = gradients[start : start + count]
        begin = max(end, max(gradient.ready for gradient in bucket))
        end = begin + latency + sum(gradient.nbytes for gradient in bucket)
        start += count
    return end, list(counts)


@exercise("6.13")
def test_the_last_bucket_arrives_the_earliest():
    """In each case one way alone is the best, so that the buckets can be compared too."""
    for ready, sizes, latency, *expected in [
        ([], [], 1, 0.0, []),
        ([3], [4], 1, 8.0, [1]),
        ([0, 0], [4, 4], 3, 11.0, [2]),
        ([0, 10], [4, 4], 1, 15.0, [1, 1]),
        ([1, 2], [4, 4], 10, 20.0, [2]),
        ([0, 1], [1, 1], 0.5, 3.0, [1, 1]),
        ([1, 2, 3], [1, 1, 1], 0, 4.0, [1, 1, 1]),
        ([5, 5, 5], [0, 0, 1], 2, 8.0, [3]),
        ([0, 1, 20], [8, 8, 1], 4, 26.0, [2, 1]),
        ([2, 4, 6, 8], [2, 2, 2, 2], 1, 13.0, [1, 1, 2]),
        ([0, 3, 4, 6], [1, 9, 1, 1], 3, 20.0, [1, 3]),
        ([0, 1, 9, 12], [1, 1, 8, 1], 8, 29.0, [2, 2]),
        ([4, 4, 5, 8, 12], [1, 2, 1, 8, 8], 3, 31.0, [3, 2]),
        ([0, 5, 6, 7, 20, 22], [9, 3, 2, 2, 12, 2], 3, 39.0, [1, 3, 2]),
        ([1, 1, 2, 3, 5, 8, 13, 21], [16, 8, 4, 2, 1, 1, 4, 2], 3, 45.0, [2, 6]),
        ([0] * 20, [1] * 20, 2, 22.0, [20]),
        (list(range(0, 120, 4)), [1, 2, 3, 4, 5, 6] * 5, 10, 162.0, [2, 4, 7, 8, 9]),
    ]:
        shown = (
            f"gradients of {sizes} bytes, ready at {ready}, a message of b bytes takes "
            f"{latency} + b: when the last one arrives, gradients in each bucket"
        )
        args = (ready, sizes, latency)
        expect(shown, lambda args=args: last_arrival(*args), tuple(expected))


# ---- 6.14 ----------------------------------------------------------------------------------------

SIZES = [(1200, 240, 2400, 0), (2400, 480, 4800, 0), (600, 1200, 3600, 1200)]
"""Parameters of three layers, bytes of their outputs, bytes kept, those of it not divided."""


def layers(count):
    """Return some layers, measured with 8 samples."""
    return [Layer(str(i), n, 0.0, 0.0, o, k, 0, w) for i, (n, o, k, w) in enumerate(SIZES[:count])]


def bytes_of(plan, place, count, share, itemsize, state):
    """Return the memory of a stage."""
    compute = Compute(layers(3), 8, itemsize=itemsize, state=state)
    return rounded(list(stage_memory(compute, plan, place, layers(count), share)), 3)


@exercise("6.14")
def test_the_bytes_of_a_rank():
    for plan, place, count, share, kinds, expected in [
        (Plan(), 0, 1, 1.0, (4, 8), [4800, 4800, 9600, 0, 2400]),
        (Plan(), 0, 2, 0.5, (2, 12), [7200, 7200, 43200, 0, 3600]),
        (Plan(data=4), 0, 2, 1.0, (4, 8), [14400, 14400, 28800, 14400, 7200]),
        (Plan(data=4, zero=1), 0, 2, 1.0, (4, 8), [14400, 14400, 7200, 0, 7200]),
        (Plan(data=4, zero=2), 0, 2, 1.0, (4, 8), [14400, 3600, 7200, 0, 7200]),
        (Plan(data=4, zero=3), 0, 2, 1.0, (4, 8), [13200, 3600, 7200, 0, 7200]),
        (Plan(zero=3), 0, 2, 1.0, (4, 8), [14400, 14400, 28800, 0, 7200]),
        (Plan(data=2, zero=3), 0, 1, 1.0, (4, 8), [7200, 2400, 4800, 0, 2400]),
        (Plan(data=7, zero=2), 0, 2, 1.0, (4, 8), [14400, 2057.143, 4114.286, 0, 7200]),
        (Plan(tensor=2), 0, 3, 1.0, (4, 8), [8400, 8400, 16800, 0, 6000]),
        (Plan(data=2, tensor=3, zero=3), 0, 3, 1.0, (2, 12), [3000, 1400, 8400, 0, 4400]),
        (Plan(pipeline=3, micro_batches=4), 0, 1, 0.25, (4, 8), [4800, 4800, 9600, 0, 1800]),
        (Plan(pipeline=3, micro_batches=4), 2, 1, 0.25, (4, 8), [4800, 4800, 9600, 0, 600]),
        (Plan(pipeline=3, micro_batches=2), 0, 1, 0.5, (4, 8), [4800, 4800, 9600, 0, 2400]),
        (
            Plan(2, 2, 2, zero=1, micro_batches=8),
            0,
            3,
            0.125,
            (4, 8),
            [8400, 8400, 8400, 0, 1500],
        ),
    ]:
        shown = (
            f"{plan}; stage {place} of {count} layers, {share} of the samples measured, parameters "
            f"of {kinds[0]} bytes, {kinds[1]} of the optimizer: weights, gradients, optimizer, "
            "buckets, activations"
        )
        args = (plan, place, count, share, *kinds)
        expect(shown, lambda args=args: bytes_of(*args), [float(n) for n in expected])


@exercise("6.14")
def test_which_plan_fits():
    gpt = transformer(32, 4096, 2048, 50257, operations=1e14)  # 7 billion parameters
    for ranks, room, widest, expected in [
        (1, 80e9, 1, []),
        (
            4,
            80e9,
            1,
            [
                "4 data, 1 tensor, 1 pipeline, ZeRO-1",
                "2 data, 1 tensor, 2 pipeline",
                "2 data, 1 tensor, 2 pipeline, ZeRO-1",
                "2 data, 1 tensor, 2 pipeline, 2 micro-batches",
                "2 data, 1 tensor, 2 pipeline, ZeRO-1, 2 micro-batches",
                "1 data, 1 tensor, 4 pipeline",
                "1 data, 1 tensor, 4 pipeline, 2 micro-batches",
                "1 data, 1 tensor, 4 pipeline, 4 micro-batches",
            ],
        ),
        (
            8,
            24e9,
            8,
            [
                "8 data, 1 tensor, 1 pipeline, ZeRO-3",
                "4 data, 1 tensor, 2 pipeline, ZeRO-3",
                "4 data, 1 tensor, 2 pipeline, ZeRO-3, 2 micro-batches",
                "2 data, 2 tensor, 2 pipeline, ZeRO-1, 4 micro-batches",
                "1 data, 2 tensor, 4 pipeline, 8 micro-batches",
                "1 data, 4 tensor, 2 pipeline, 4 micro-batches",
                "1 data, 4 tensor, 2 pipeline, 8 micro-batches",
            ],
        ),
    ]:
        shown = f"plans for {ranks} ranks of {room / 1e9:.0f} GB that fit a GPT of 7 billion"
        args = (gpt, ranks, ranks, room, widest)
        expect(shown, lambda args=args: [str(plan) for plan in fitting(*args)], expected)
