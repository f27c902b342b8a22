"""The tests of exercises 5.12 to 5.22: what a training script and a model that writes stand on.

As in test_exercises.py: from small cases to large, judged by hand or by formulas, and nothing in
a test needs what another exercise writes. No process is started: workers are played.
"""

from itertools import count
from math import cos, log, pi, prod, sin
from unittest import mock

import norch_autograd as norch
from norch_autograd import Generator, arange, empty, float16, float64, full, ones, tensor, zeros
from norch_course.testing import exercise, expect, expect_error
from norch_nn.core.call import Hooked
from norch_nn.core.module import Module
from norch_nn.core.parameter import forget_gradient
from norch_nn.data.worker import BATCH, END
from norch_nn.data.workers import Workers
from norch_nn.functional.normalization import _track
from norch_nn.functional.rnn import Weights, _projected_lstm_step
from norch_nn.modules.transformer import Transformer
from norch_nn.optim.adam import _step
from norch_nn.optim.lr_scheduler.cosine import CosineAnnealingWarmRestarts
from norch_nn.optim.optimizer import restore_state
from norch_nn.optim.sgd import SGD
from norch_nn.utils.generation import KVCache, sample_token


def rounded(values, digits=4):
    """The numbers of an array or of nested lists, with some digits."""
    if isinstance(values, list):
        return [rounded(value, digits) for value in values]
    return round(values, digits) + 0.0  # no -0.0


def refused(*_, **__):
    raise RuntimeError("write it yourself, in operations of tensors")


# ---- Adam ----------------------------------------------------------------------------------------


def options(lr=0.5, betas=(0.5, 0.75), eps=0.0, amsgrad=False):
    return {"lr": lr, "betas": betas, "eps": eps, "amsgrad": amsgrad}


def adam(grads, group, start=1.0, shape=(1,), t=0):
    """Steps from `start`: return the weight's first number after each, then the first of m and v.

    `t` steps were taken before, with gradients of 0.
    """
    p = full(shape, start)
    state = {name: zeros(*shape) for name in ("exp_avg", "exp_avg_sq", "max_exp_avg_sq")}
    found = []
    with mock.patch.object(p.array.ops, "adam_step", refused):
        for step, grad in enumerate(grads, start=t + 1):
            state["step"] = step
            _step(p, full(shape, grad), state, group)
            found.append(p.reshape(-1).tolist()[0])
    return rounded(found), rounded([state[n].reshape(-1).tolist()[0] for n in list(state)[:2]])


@exercise("5.12")
def test_the_first_step_of_adam():
    one = ([0.5], [1.0, 1.0])
    expect("p 1, g 2, lr 0.5, betas 0.5, 0.75: p; m, v", lambda: adam([2.0], options()), one)
    small = ([0.5], [0.005, 0.0])
    expect("the same with g 0.01", lambda: adam([0.01], options()), small)
    back = ([1.5], [-1.0, 1.0])
    expect("the same with g -2", lambda: adam([-2.0], options()), back)

    def gradient():
        g, state = full((1,), 2.0), {"exp_avg": zeros(1), "exp_avg_sq": zeros(1), "step": 1}
        _step(ones(1), g, state, options())
        return g.tolist()

    expect("p 1, g 2: the gradient after the step", gradient, [2.0])


@exercise("5.12")
def test_later_steps_of_adam():
    def right(grads, lr, beta1, beta2, eps):
        p, m, v, found = 1.0, 0.0, 0.0, []
        for t, g in enumerate(grads, start=1):
            m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
            p -= lr * (m / (1 - beta1**t)) / ((v / (1 - beta2**t)) ** 0.5 + eps)
            found.append(p)
        return rounded(found), rounded([m, v])

    for grads, given in [
        ([2.0, 2.0], (0.5, 0.5, 0.75, 0.0)),
        ([2.0, 4.0], (0.5, 0.5, 0.75, 0.0)),
        ([2.0, -1.0, 3.0], (0.1, 0.9, 0.99, 0.0)),
        ([2.0], (0.5, 0.5, 0.75, 2.0)),
        ([2.0, 1.0], (0.5, 0.5, 0.75, 2.0)),
    ]:
        lr, beta1, beta2, eps = given
        group = options(lr, (beta1, beta2), eps)
        shown = f"p 1, gradients {grads}, lr {lr}, betas {beta1}, {beta2}, eps {eps}"
        expect(shown, lambda g=grads, o=group: adam(g, o), right(grads, *given))


@exercise("5.12")
def test_adam_remembers_the_largest_square():
    group = options(amsgrad=True)
    two = ([0.5, 0.2795], [1.0, 3.0])
    expect("amsgrad: gradients 4, then 0: p; m, v", lambda: adam([4.0, 0.0], group), two)

    def largest():
        p, state = ones(1), {"exp_avg": zeros(1), "exp_avg_sq": zeros(1), "step": 1}
        state["max_exp_avg_sq"] = full((1,), 9.0)
        _step(p, ones(1), state, group)
        return rounded([p.item(), state["max_exp_avg_sq"].item(), state["exp_avg_sq"].item()])

    right = [1 - 0.5 / 6, 9.0, 0.25]
    expect("amsgrad: largest 9, g 1: p, largest, v", largest, rounded(right))


@exercise("5.12")
def test_adam_on_a_transposed_weight():
    def weights():
        p = arange(6.0).reshape(2, 3).T
        state = {"exp_avg": zeros(3, 2), "exp_avg_sq": zeros(3, 2), "step": 1}
        _step(p, tensor([[1.0, -1.0], [2.0, -2.0], [3.0, -3.0]]), state, options())
        return rounded(p.tolist())

    right = [[-0.5, 3.5], [0.5, 4.5], [1.5, 5.5]]
    expect("p 0 to 5, transposed: after a step", weights, right)


# ---- Recurrence, attention, writing --------------------------------------------------------------


def lstm(sums, h, c, w_hh, b_hh, w_hr):
    """The new h and c, with four digits."""
    given = [tensor(x) for x in (sums, h, c, w_hh, w_hr)]
    bias = None if b_hh is None else tensor(b_hh)
    weights = Weights(zeros(1, 1), given[3], None, bias, given[4])
    with mock.patch.object(norch.more, "lstm_gates", refused):
        found = _projected_lstm_step(given[0], (given[1], given[2]), weights)
    return [rounded(part.tolist()) for part in found]


def lstm_by_hand(sums, h, c, w_hh, b_hh, w_hr):
    sums, h, c, w_hh, w_hr = (tensor(x, dtype=float64) for x in (sums, h, c, w_hh, w_hr))
    gates = sums + h @ w_hh.mT + (0 if b_hh is None else tensor(b_hh, dtype=float64))
    i, f, g, o = (gates[:, k : k + c.shape[1]] for k in range(0, gates.shape[1], c.shape[1]))
    i, f, o = (1 / (1 + (-x).exp()) for x in (i, f, o))
    c = f * c + i * g.tanh()
    return [rounded((o * c.tanh() @ w_hr.mT).tolist()), rounded(c.tolist())]


def wave(*shape, scale=1.0):
    """Numbers without a pattern in which an exchange could hide."""
    found = [scale * sin(1.7 * k) for k in range(1, 1 + prod(shape))]
    return tensor(found, dtype=float64).reshape(shape).tolist()


@exercise("5.13")
def test_a_gate_alone():
    far, none = 20.0, [[0.0]] * 4
    for words, gates in [
        ("all gates 0", [0.0, 0.0, 0.0, 0.0]),
        ("f open, i and o shut", [-far, far, 0.0, -far]),
        ("i open, f shut, g 1", [far, -far, 1.0, 0.0]),
        ("i shut, f open, o open", [-far, far, 1.0, far]),
    ]:
        given = ([gates], [[0.0]], [[2.0]], none, None, [[1.0]])
        expect(f"h 0, c 2, {words}", lambda g=given: lstm(*g), lstm_by_hand(*given))


@exercise("5.13")
def test_a_whole_step_of_an_lstm():
    for batch, hidden, projected, bias in [
        (1, 1, 1, False),
        (1, 1, 1, True),
        (1, 2, 2, False),
        (2, 2, 1, True),
        (4, 3, 2, True),
    ]:
        gates = 4 * hidden
        given = (
            wave(batch, gates),
            wave(batch, projected, scale=2.0),
            wave(batch, hidden, scale=1.5),
            wave(gates, projected, scale=0.7),
            wave(gates, scale=-0.9) if bias else None,
            wave(projected, hidden, scale=3.0),
        )
        shown = f"N {batch}, H {hidden}, P {projected}, {'a' if bias else 'no'} bias: h and c"
        expect(shown, lambda g=given: lstm(*g), lstm_by_hand(*given))


def mask(size, **kind):
    """The rows of the mask as text: infinity is no literal."""
    found = Transformer.generate_square_subsequent_mask(size, **kind).tolist()
    return [" ".join(str(value) for value in row) for row in found]


@exercise("5.14")
def test_a_query_sees_itself_and_what_came_before():
    expect("the mask of size 1", lambda: mask(1), ["0.0"])
    expect("the mask of size 2", lambda: mask(2), ["0.0 -inf", "0.0 0.0"])
    three = ["0.0 -inf -inf", "0.0 0.0 -inf", "0.0 0.0 0.0"]
    expect("the mask of size 3", lambda: mask(3), three)


@exercise("5.14")
def test_the_mask_is_made_as_told():
    def dtype(**kind):
        return str(Transformer.generate_square_subsequent_mask(2, **kind).dtype).split(".")[-1]

    expect("the dtype of the mask of size 2", dtype, "float32")
    for wanted in (float64, float16):
        name = str(wanted).split(".")[-1]
        expect(f"the dtype with dtype={name}", lambda d=wanted: dtype(dtype=d), name)
    expect("the mask of size 2 in float16", lambda: mask(2, dtype=float16), mask_of_two)

    def nowhere():
        return Transformer.generate_square_subsequent_mask(2, device="nowhere")

    expect_error("device='nowhere'", nowhere, RuntimeError)


mask_of_two = ["0.0 -inf", "0.0 0.0"]


def numbers(*shape, start=1.0):
    return arange(start, start + float(prod(shape))).reshape(*shape)


def cached(lengths, room=6, batch=1, heads=1, width=1):
    """Append pieces of some lengths; return what came back after the last one."""
    cache, shape = KVCache(room), (batch, heads, room, width)
    cache.k, cache.v = zeros(*shape), zeros(*shape)  # memory would hold anything
    every, past = numbers(*shape), 0
    for length in lengths:
        k = every[:, :, past : past + length]
        past += length
        found = cache.extend(k, -k)
    return [part.tolist() for part in found], cache.past


def cached_by_hand(lengths, room=6, batch=1, heads=1, width=1):
    steps, every = sum(lengths), numbers(batch, heads, room, width)
    both = (every.tolist(), (-every).tolist())
    return [[[head[:steps] for head in sample] for sample in one] for one in both], steps


@exercise("5.15")
def test_a_step_goes_behind_the_others():
    for lengths in [(1,), (1, 1), (3,), (3, 1, 1), (2, 3), (6,), (5, 1)]:
        shown = f"pieces of {list(lengths)} steps: keys, values, past"
        expect(shown, lambda n=lengths: cached(n), cached_by_hand(lengths))


@exercise("5.15")
def test_every_sample_and_head_has_its_own_past():
    for sizes in [(6, 2, 1, 1), (6, 1, 2, 1), (6, 1, 1, 2), (4, 2, 3, 2)]:
        names = "{} samples, {} heads, width {}".format(*sizes[1:])
        right = cached_by_hand((2, 1), *sizes)
        expect(f"pieces of [2, 1] steps, {names}", lambda s=sizes: cached((2, 1), *s), right)


@exercise("5.15")
def test_the_past_is_not_moved():
    def places():
        cache = KVCache(6)
        cache.k, cache.v = zeros(1, 1, 6, 1), zeros(1, 1, 6, 1)
        room = cache.k.data_ptr(), cache.v.data_ptr()
        found = [cache.extend(ones(1, 1, 2, 1), ones(1, 1, 2, 1)) for _ in range(2)]
        return [tuple(part.data_ptr() for part in pair) == room for pair in found]

    expect("do two results lie where the cache lies", places, [True, True])


def drawn(logits, rows=400, seed=0, **kind):
    """The tokens that are drawn for equal rows of scores."""
    many = tensor(logits).expand(rows, len(logits)).contiguous()
    generator = Generator().manual_seed(seed)
    return sample_token(many, generator=generator, **kind).reshape(-1).tolist()


def shares(logits, **kind):
    """How often each token is drawn, in tenths."""
    found = drawn(logits, 4000, **kind)
    return [round(found.count(token) / len(found), 1) for token in range(len(logits))]


@exercise("5.16")
def test_the_best_alone():
    def best(rows):
        return sample_token(tensor(rows), top_k=1).tolist()

    expect("scores [[0, 50]], top_k 1", lambda: best([[0.0, 50.0]]), [[1]])
    expect("scores [[50, 0]], top_k 1", lambda: best([[50.0, 0.0]]), [[0]])
    rows = [[10.0, 70.0, 20.0], [90.0, 10.0, 10.0], [10.0, 30.0, 80.0]]
    expect(f"scores {rows}, top_k 1", lambda: best(rows), [[1], [0], [2]])


@exercise("5.16")
def test_only_the_best_few_are_drawn():
    scores = [0.0, 1.0, 2.0, 1.5]
    for k in (3, 2, 4, 9, None):
        right = {2: [2, 3], 3: [1, 2, 3]}.get(k, [0, 1, 2, 3])
        shown = f"scores {scores}, top_k {k}: what is drawn in 400 rows"
        expect(shown, lambda k=k: sorted(set(drawn(scores, top_k=k))), right)


@exercise("5.16")
def test_how_often():
    scores = [log(share) for share in (0.1, 0.6, 0.3)]
    expect("shares of 0.1, 0.6, 0.3: drawn as often", lambda: shares(scores), [0.1, 0.6, 0.3])
    flat = [0.2, 0.5, 0.3]  # the roots of the shares, shared out
    expect("temperature 2", lambda: shares(scores, temperature=2.0), flat)
    sharp = [0.0, 0.8, 0.2]  # their squares
    expect("temperature 0.5", lambda: shares(scores, temperature=0.5), sharp)
    two = [0.0, 0.7, 0.3]
    expect("top_k 2", lambda: shares(scores, top_k=2), two)

    def afterwards():
        given = tensor([[1.0, 3.0]])
        sample_token(given, temperature=2.0)
        return given.tolist()

    expect("temperature 2: the scores [[1, 3]] afterwards", afterwards, [[1.0, 3.0]])


@exercise("5.16")
def test_the_generator_decides():
    def same():
        first, second, other = (drawn([0.0, 0.0, 0.0], 50, seed=s) for s in (3, 3, 4))
        return first == second, first == other

    expect("seeds 3 and 3 draw the same, 3 and 4 too", same, (True, False))


# ---- Schedules, workers, statistics --------------------------------------------------------------


def rates(epochs, T_0, T_mult=1, eta_min=0.0, lrs=(1.0,)):
    """The rates of all groups at some epochs."""
    groups = [{"params": [zeros(1, requires_grad=True)], "lr": lr} for lr in lrs]
    schedule = CosineAnnealingWarmRestarts.__new__(CosineAnnealingWarmRestarts)
    vars(schedule).update(optimizer=SGD(groups), base_lrs=list(lrs), last_epoch=1)
    vars(schedule).update(T_0=T_0, T_mult=T_mult, eta_min=eta_min)
    return [rounded(schedule.rates_at(epoch)) for epoch in epochs]


def rates_by_hand(epochs, T_0, T_mult=1, eta_min=0.0, lrs=(1.0,)):
    found = []
    for epoch in epochs:
        length, start = T_0, 0
        while epoch >= start + length:
            start, length = start + length, length * T_mult
        part = (1 + cos(pi * (epoch - start) / length)) / 2
        found.append([round(float(eta_min + (lr - eta_min) * part), 4) + 0.0 for lr in lrs])
    return found


@exercise("5.17")
def test_down_and_up_again():
    for epochs, sizes in [
        ([0], (4,)),
        ([0, 1, 2, 3], (4,)),
        ([3, 4, 5], (4,)),
        ([7, 8, 100, 101], (4,)),
        ([0, 1, 2], (1,)),
        ([0, 0.5, 1.5, 3.75, 4.25], (4,)),
    ]:
        shown = f"T_0 {sizes[0]}: rates at {epochs}"
        expect(shown, lambda e=epochs, s=sizes: rates(e, *s), rates_by_hand(epochs, *sizes))


@exercise("5.17")
def test_each_wave_is_longer():
    for epochs, sizes in [
        ([0, 1, 2, 3, 4, 5], (2, 2)),
        ([6, 7, 10, 13, 14, 20], (2, 2)),
        ([0, 1, 3, 4, 12, 13], (1, 3)),
        ([120, 121, 122], (1, 3)),
        ([241, 242, 243], (2, 3)),
        ([110, 111, 112], (1, 10)),
    ]:
        shown = f"T_0 {sizes[0]}, T_mult {sizes[1]}: rates at {epochs}"
        expect(shown, lambda e=epochs, s=sizes: rates(e, *s), rates_by_hand(epochs, *sizes))


@exercise("5.17")
def test_every_group_between_its_own_ends():
    low = (4, 1, 0.5)
    expect("eta_min 0.5", lambda: rates([0, 2, 3, 4], *low), rates_by_hand([0, 2, 3, 4], *low))
    two = (4, 2, 0.25, (1.0, 8.0))
    shown = "groups of 1 and 8, eta_min 0.25, T_mult 2"
    expect(shown, lambda: rates([0, 1, 3, 5], *two), rates_by_hand([0, 1, 3, 5], *two))


class Played(Workers):
    """Workers without processes: each keeps what it was handed, and answers when it is asked.

    `answers` are those of some tasks; `lasts` says how many batches a worker has, if not all.
    """

    def __init__(self, workers, ahead, answers, lasts):
        self.ahead, self.workers, self.answers = ahead, [[] for _ in range(workers)], answers
        self.lasts, self.log = lasts, []

    def _hand_out(self, tasks, epoch, turns, waiting):
        task = next(tasks, None) if turns else None
        if task is None:
            return
        number = turns[0]
        turns.rotate(-1)
        self.workers[number].append(task)
        waiting.append(number)
        self.log.append(f"task {task} to {number}")

    def _receive(self, number, epoch):
        if self.log.count(f"asked {number}") == 20:
            raise RuntimeError("it goes on without end")
        if not self.workers[number]:
            raise RuntimeError(f"worker {number} was given nothing: it never answers")
        task = self.workers[number].pop(0)
        self.log.append(f"asked {number}")
        if self.lasts.get(number) == 0:
            return END, None
        self.lasts[number] = self.lasts.get(number, most_batches) - 1
        return self.answers.get(task, (BATCH, f"batch {task}"))


most_batches = 1000


def in_order(tasks, workers=2, ahead=4, most=20, answers=(), lasts=()):
    """The batches of some tasks, at most so many, and what was done on the way to them."""
    played = Played(workers, ahead, dict(answers), dict(lasts))
    batches = []
    for batch in played._in_order(iter(tasks), 0):
        batches.append(batch)
        played.log.append("got it")
        if len(batches) == most:
            break
    return batches, played.log


def named(tasks):
    return [f"batch {task}" for task in tasks]


@exercise("5.18")
def test_batches_come_in_the_order_of_the_tasks():
    for tasks, workers, ahead in [
        ("", 2, 4),
        ("a", 1, 1),
        ("ab", 1, 2),
        ("abcdefg", 2, 4),
        ("abcdefg", 3, 6),
    ]:
        shown = f"tasks {list(tasks)}, {workers} workers, {ahead} ahead"
        given = tasks, workers, ahead
        expect(shown, lambda g=given: in_order(*g)[0], named(tasks))


@exercise("5.18")
def test_workers_are_never_idle():
    steps = ["task a to 0", "task b to 1", "asked 0", "task c to 0", "got it", "asked 1", "got it"]
    steps += ["asked 0", "got it"]
    shown = "tasks a, b, c, 2 workers, 2 ahead: what happens"
    expect(shown, lambda: in_order("abc", 2, 2)[1], steps)
    first = ["task 0 to 0", "task 1 to 1", "task 2 to 0", "asked 0", "task 3 to 1", "got it"]
    expect("endless tasks, 3 ahead, one batch", lambda: in_order(count(), 2, 3, 1)[1], first)


@exercise("5.18")
def test_a_worker_that_has_no_more():
    def played(ahead, lasts):
        batches, log = in_order(count(), 2, ahead, 20, (), lasts.items())
        return batches, [line for line in log if line.startswith("asked")]

    asked = [f"asked {number}" for number in (0, 1, 0, 1, 1, 1, 1)]
    one = named([0, 1, 3, 4]), asked
    shown = "2 workers of 1 and 3 batches, endless tasks, 2 ahead: batches, who was asked"
    expect(shown, lambda: played(2, {0: 1, 1: 3}), one)
    asked = [f"asked {number}" for number in (0, 1, 0, 1, 0, 1, 1, 1, 1, 1)]
    expect(
        shown.replace("2 ahead", "4 ahead"),
        lambda: played(4, {0: 1, 1: 3}),
        (named([0, 1, 3, 5]), asked),
    )


@exercise("5.18")
def test_an_error_of_a_worker_is_raised():
    broken = {"b": ("error", (KeyError, "no b"))}
    expect_error(
        "task b raises KeyError", lambda: in_order("abc", 2, 2, 20, broken.items()), KeyError
    )


def tracked(mean, var, count=4, momentum=0.25, start=(8.0, 16.0)):
    """The running statistics after a batch."""
    running = [None if value is None else full((len(mean),), value) for value in start]
    _track(*running, tensor(mean), tensor(var), count, momentum)
    return [None if part is None else rounded(part.tolist()) for part in running]


@exercise("5.19")
def test_running_statistics_move():
    zero = [[6.0], [12.0]]
    shown = "mean 8 towards 0, variance 16 towards 0 (5 values)"
    expect(shown, lambda: tracked([0.0], [0.0], 5), zero)
    expect("towards 4 and 6 (2 values)", lambda: tracked([4.0], [6.0], 2), [[7.0], [15.0]])
    expect("the same, 4 values", lambda: tracked([4.0], [6.0]), [[7.0], [14.0]])
    now = [[5.0], [21.25]]
    expect("momentum 0.75, 5 values", lambda: tracked([4.0], [18.4], 5, 0.75), now)
    expect("momentum 0", lambda: tracked([4.0], [12.0], momentum=0.0), [[8.0], [16.0]])


@exercise("5.19")
def test_running_statistics_of_channels():
    right = [[6.5, 7.5, 5.75], [13.0, 15.0, 12.0]]
    expect("3 channels", lambda: tracked([2.0, 6.0, -1.0], [3.0, 9.0, 0.0]), right)
    none = [None, [19.0]]
    expect("no running mean", lambda: tracked([4.0], [12.0], start=(None, 20.0)), none)
    expect("no running variance", lambda: tracked([4.0], [12.0], start=(8.0, None)), [[7.0], None])


@exercise("5.19")
def test_the_batch_keeps_its_statistics():
    def batch():
        mean, var = tensor([4.0]), tensor([12.0])
        _track(full((1,), 8.0), full((1,), 16.0), mean, var, 4, 0.25)
        return mean.item(), var.item()

    expect("mean and variance of the batch, afterwards", batch, (4.0, 12.0))


# ---- Debug this ----------------------------------------------------------------------------------


class Part(Module):
    """A module with parts, entered by hand: how they are found belongs to other exercises."""

    __setattr__ = object.__setattr__

    def __init__(self, *parts):
        Hooked.__init__(self)
        self.parts, self.training = parts, True

    def modules(self):
        yield self
        for part in self.parts:
            yield from part.modules()

    def children(self):
        yield from self.parts

    def named_children(self):
        yield from ((str(i), part) for i, part in enumerate(self.parts))


def modes(module, *calls):
    """Whether each module trains, from the root down, after some calls of `train`."""
    for mode in calls:
        module.train(mode)
    return [part.training for part in module.modules()]


@exercise("5.20")
def test_the_mode_reaches_everything():
    off = [False]
    expect("one module: train(False)", lambda: modes(Part(), False), off)
    expect("with two children", lambda: modes(Part(Part(), Part()), False), off * 3)

    def deep():
        return Part(Part(Part(Part()), Part()), Part())

    expect("with children of children", lambda: modes(deep(), False), off * 6)
    expect("and train(True) again", lambda: modes(deep(), False, True), [True] * 6)
    expect("train(False) twice", lambda: modes(deep(), False, False), off * 6)


@exercise("5.20")
def test_a_part_alone():
    def part():
        module = Part(Part(Part()), Part())
        module.parts[0].train(False)
        return [part.training for part in module.modules()]

    def mixed(mode, *before):
        module = Part(Part(Part()), Part())
        for part, training in zip(module.modules(), before, strict=True):
            part.training = training
        return modes(module, mode)

    expect("train(False) of the first child", part, [True, False, False, True])
    for before in ([True, False, False, False], [False, True, False, True]):
        shown = f"train(False) where the modes were {before}"
        expect(shown, lambda b=before: mixed(False, *b), [False] * 4)


@exercise("5.20")
def test_train_returns_the_module():
    def itself():
        module = Part(Part())
        found = module.train(False)
        return "the module" if found is module else type(found).__name__

    expect("what module.train(False) returns", itself, "the module")


def forgotten(grad, set_to_none):
    """What is left of a gradient; whether it is the same tensor; the weight."""
    weight = full((2,), 3.0).requires_grad_()
    weight.grad = None if grad is None else tensor(grad)
    before = weight.grad
    forget_gradient(weight, set_to_none)
    left = None if weight.grad is None else str(weight.grad.tolist())
    return left, weight.grad is before, weight.tolist()


@exercise("5.21")
def test_no_gradient_is_left():
    gone = (None, False, [3.0, 3.0])
    shown = "weight 3, 3, set_to_none: what is left, is it the same, the weight"
    expect(f"gradient 1, 2; {shown}", lambda: forgotten([1.0, 2.0], True), gone)
    none = (None, True, [3.0, 3.0])
    expect(f"no gradient; {shown}", lambda: forgotten(None, True), none)


@exercise("5.21")
def test_a_gradient_becomes_zeros():
    zero = ("[0.0, 0.0]", True, [3.0, 3.0])
    shown = "zeros: what is left, is it the same, the weight"
    expect(f"gradient 1, 2; {shown}", lambda: forgotten([1.0, 2.0], False), zero)
    nan, inf = float("nan"), float("inf")
    expect(f"gradient nan, inf; {shown}", lambda: forgotten([nan, inf], False), zero)
    none = (None, True, [3.0, 3.0])
    expect(f"no gradient; {shown}", lambda: forgotten(None, False), none)


def restored(entry):
    """What is restored, as plain values."""
    state = restore_state(entry, full((2,), 7.0))
    plain = {k: v.tolist() if hasattr(v, "tolist") else v for k, v in state.items()}
    return {k: f"{type(v).__name__} {v}" if k == "step" else v for k, v in plain.items()}


def entry():
    return {"step": 3, "exp_avg": tensor([1.0, 2.0]), "mu_product": 0.5}


@exercise("5.22")
def test_all_of_a_state_comes_back():
    right = {"step": "int 3", "exp_avg": [1.0, 2.0], "mu_product": 0.5}
    expect("step 3, exp_avg [1, 2], mu_product 0.5", lambda: restored(entry()), right)
    expect("the step a tensor", lambda: restored({**entry(), "step": tensor(3.0)}), right)
    expect("the step 3.0", lambda: restored({**entry(), "step": 3.0}), right)
    expect("nothing", lambda: restored({}), {})

    def kind():
        state = restore_state(entry(), zeros(2, dtype=float64))
        return str(state["exp_avg"].dtype).split(".")[-1]

    expect("the dtype of exp_avg for a weight of float64", kind, "float64")

    def place():
        saved = {"exp_avg": empty(2, device="cuda-sim")}  # no kernel is needed on the way back
        return str(restore_state(saved, zeros(2))["exp_avg"].device)

    expect("the device of exp_avg, saved on cuda-sim, for a weight on cpu", place, "cpu")


@exercise("5.22")
def test_a_state_is_no_view_of_what_was_saved():
    def saved():
        given = entry()
        state = restore_state(given, zeros(2))
        state["exp_avg"].add_(100.0)
        state["step"] += 1
        return given["exp_avg"].tolist(), given["step"]

    expect("the saved exp_avg and step after the next step", saved, ([1.0, 2.0], 3))

    def two():
        given = entry()
        first, second = (restore_state(given, zeros(2)) for _ in range(2))
        first["exp_avg"].add_(100.0)
        return second["exp_avg"].tolist()

    expect("a second run's exp_avg after a step of the first", two, [1.0, 2.0])

    def recorded():
        given = {"exp_avg": (tensor([1.0, 2.0], requires_grad=True) * 1)}
        return restore_state(given, zeros(2))["exp_avg"].requires_grad

    expect("an exp_avg that records: does the restored one", recorded, False)
