"""RMSprop, Adagrad, Adadelta and Lion, 20 steps against their formulas in plain Python floats."""

import math

import pytest

import norch_autograd as norch
from norch_extras.optim import (
    ASGD,
    LBFGS,
    Adadelta,
    Adafactor,
    Adagrad,
    Adamax,
    Lion,
    NAdam,
    RAdam,
    RMSprop,
    Rprop,
)
from norch_nn import Parameter
from norch_nn.core.parameter import ParameterPart
from norch_nn.optim import SGD, Adam, AdamW

START, STEPS = [1.0, -2.0, 3.0], 20


def steps(make):
    """Minimise sum(w⁴) / 4 from START with the optimizer `make` returns; a transposed layout."""
    w = Parameter(norch.tensor([[x, 0.0] for x in START], dtype=norch.float64).t())
    assert not w.is_contiguous()
    optimizer = make([w])
    for _ in range(STEPS):
        optimizer.zero_grad()
        (w**4 / 4).sum().backward()
        optimizer.step()
    return w[0].tolist()


def rmsprop(w, lr, alpha=0.99, eps=1e-8, momentum=0.0, centered=False):
    v = b = m = 0.0
    for _ in range(STEPS):
        g = yield w
        v = alpha * v + (1 - alpha) * g * g
        m = alpha * m + (1 - alpha) * g
        q = g / (math.sqrt(v - m * m if centered else v) + eps)
        b = momentum * b + q
        w -= lr * (b if momentum else q)
    yield w


def adagrad(w, lr, lr_decay=0.0, eps=1e-10, initial_accumulator_value=0.0):
    s = initial_accumulator_value
    for t in range(STEPS):
        g = yield w
        s += g * g
        w -= lr / (1 + t * lr_decay) * g / (math.sqrt(s) + eps)
    yield w


def adadelta(w, lr, rho=0.9, eps=1e-6):
    u = v = 0.0
    for _ in range(STEPS):
        g = yield w
        v = rho * v + (1 - rho) * g * g
        d = g * math.sqrt(u + eps) / math.sqrt(v + eps)
        u = rho * u + (1 - rho) * d * d
        w -= lr * d
    yield w


def lion(w, lr, betas=(0.9, 0.99), decay=0.0):
    m = 0.0
    for _ in range(STEPS):
        g = yield w
        w *= 1 - lr * decay
        w -= lr * math.copysign(1.0, betas[0] * m + (1 - betas[0]) * g)
        m = betas[1] * m + (1 - betas[1]) * g
    yield w


def follow(formula, weight_decay=0.0, sign=1.0):
    """Run a formula on one weight, feeding it the gradient of w⁴ / 4."""
    w = next(formula)
    for _ in range(STEPS):
        w = formula.send(sign * w**3 + weight_decay * w)
    return w


@pytest.mark.parametrize(
    ("optimizer", "formula", "options"),
    [
        (RMSprop, rmsprop, {"lr": 0.05}),
        (RMSprop, rmsprop, {"lr": 0.05, "alpha": 0.8, "eps": 0.1, "momentum": 0.5}),
        (RMSprop, rmsprop, {"lr": 0.05, "alpha": 0.9, "centered": True}),
        (RMSprop, rmsprop, {"lr": 0.05, "weight_decay": 0.1}),
        (Adagrad, adagrad, {"lr": 0.3}),
        (Adagrad, adagrad, {"lr": 0.3, "lr_decay": 0.1, "initial_accumulator_value": 0.5}),
        (Adagrad, adagrad, {"lr": 0.3, "weight_decay": 0.1, "eps": 0.1}),
        (Adadelta, adadelta, {"lr": 1.0}),
        (Adadelta, adadelta, {"lr": 0.5, "rho": 0.5, "eps": 0.01, "weight_decay": 0.1}),
        (Lion, lion, {"lr": 0.05}),
        (Lion, lion, {"lr": 0.05, "betas": (0.5, 0.8)}),
    ],
)
def test_steps_follow_the_formula(optimizer, formula, options):
    decay = {"weight_decay": options["weight_decay"]} if "weight_decay" in options else {}
    own = {k: v for k, v in options.items() if k != "weight_decay"}
    expected = [follow(formula(w, **own), **decay) for w in START]
    actual = steps(lambda params: optimizer(params, **options))
    assert actual == pytest.approx(expected, rel=1e-12)


def test_lion_decays_apart_from_the_gradient():
    expected = [follow(lion(w, 0.05, decay=0.5)) for w in START]
    assert steps(lambda p: Lion(p, lr=0.05, weight_decay=0.5)) == pytest.approx(expected)


@pytest.mark.parametrize("optimizer", [RMSprop, Adagrad, Adadelta, Lion])
def test_maximize_walks_uphill(optimizer):
    w = Parameter(norch.tensor([1.0]))
    step = optimizer([w], lr=0.1, maximize=True)
    w.grad = norch.ones(1)
    step.step()
    assert w.item() > 1 and w.grad.item() == 1


@pytest.mark.parametrize(
    ("make", "keys"),
    [
        (lambda p: RMSprop(p, lr=0.1), ["step", "square_avg"]),
        (
            lambda p: RMSprop(p, lr=0.1, momentum=0.9, centered=True),
            ["step", "square_avg", "momentum_buffer", "grad_avg"],
        ),
        (lambda p: Adagrad(p, lr=0.1, lr_decay=0.1), ["step", "sum"]),
        (lambda p: Adadelta(p, lr=0.1), ["step", "square_avg", "acc_delta"]),
        (lambda p: Lion(p, lr=0.1), ["step", "exp_avg"]),
    ],
)
def test_a_resumed_optimizer_goes_on_as_an_unbroken_one(make, keys):
    def go(w, optimizer, count):
        for _ in range(count):
            optimizer.zero_grad()
            (w**4).sum().backward()
            optimizer.step()
        return w.tolist()

    unbroken, first = Parameter(norch.tensor(START)), Parameter(norch.tensor(START))
    expected = go(unbroken, make([unbroken]), 4)
    optimizer = make([first])
    go(first, optimizer, 2)
    second = Parameter(first.detach().clone())
    resumed = make([second])
    resumed.load_state_dict(optimizer.state_dict())
    assert go(second, resumed, 2) == expected
    assert list(optimizer.state_dict()["state"][0]) == keys


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda p: RMSprop(p, alpha=-1), r"\[RMSprop\] alpha must be 0 or more, not -1"),
        (lambda p: RMSprop(p, momentum=-1), "momentum must be 0 or more"),
        (lambda p: RMSprop(p, lr=-1), "lr must be 0 or more"),
        (lambda p: Adagrad(p, lr_decay=-1), "lr_decay must be 0 or more"),
        (lambda p: Adagrad(p, eps=-1), "eps must be 0 or more"),
        (lambda p: Adadelta(p, rho=1.5), "rho must lie between 0 and 1, not 1.5"),
        (lambda p: Adadelta(p, weight_decay=-1), "weight_decay must be 0 or more"),
        (lambda p: Lion(p, betas=(0.9, 1.0)), r"betas\[1\] must lie in \[0, 1\), not 1.0"),
    ],
)
def test_bad_options(make, message):
    with pytest.raises(ValueError, match=message):
        make([Parameter(norch.ones(1))])


def test_adafactor_remembers_rows_and_columns_and_resumes():
    def pair():
        return (w := Parameter(norch.arange(6.0).reshape(2, 3))), Adafactor([w], lr=0.1)

    def run(w, optimizer, steps):
        for step in steps:
            w.grad = norch.arange(6.0).reshape(2, 3).cos() * (step + 1)
            optimizer.step()

    w, optimizer = pair()
    run(w, optimizer, range(3))
    state = optimizer.state_dict()
    assert {k: tuple(v.shape) for k, v in state["state"][0].items() if k != "step"} == {
        "row_var": (2, 1), "col_var": (1, 3)}  # fmt: skip
    copied, resumed = pair()
    copied.data.copy_(w)
    resumed.load_state_dict(state)
    run(w, optimizer, range(3, 6)), run(copied, resumed, range(3, 6))
    assert copied.tolist() == w.tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"beta2_decay": 0.5}, "beta2_decay must be 0 or less"),
        ({"eps": (None, -1.0)}, "eps must be 0 or more"),
        ({"d": 0.5}, "d must be 1 or more"),
        ({"d": math.nan}, "d must be 1 or more"),
        ({"eps": (math.nan, 1e-3)}, "eps must be 0 or more"),
        ({"beta2_decay": math.nan}, "beta2_decay must be 0 or less"),
    ],
)
def test_adafactor_refuses(options, message):
    with pytest.raises(ValueError, match=message):
        Adafactor([Parameter(norch.ones(1))], **options)


def test_asgd_slows_down_to_nothing_at_any_alpha():
    w = Parameter(norch.ones(1))
    optimizer = ASGD([w], lr=0.5, alpha=1e30)
    for _ in range(3):
        w.grad = norch.ones(1)
        optimizer.step()
    assert optimizer.state[w]["eta"] == 0.0
    assert w.item() == pytest.approx(0.5, abs=1e-3)


OPTIMIZERS = (ASGD, LBFGS, SGD, Adadelta, Adafactor, Adagrad, Adam, Adamax, AdamW, NAdam, RAdam)


@pytest.mark.parametrize("optimizer", (*OPTIMIZERS, RMSprop, Rprop))
def test_a_rate_may_be_a_tensor_of_one_element(optimizer):
    found = []
    for lr in (0.125, norch.tensor(0.125)):
        w = Parameter(norch.tensor([1.0, -2.0]))
        made = optimizer([w], lr=lr)

        def closure(w=w, made=made):
            made.zero_grad()
            loss = (w**2).sum()
            loss.backward()
            return loss

        closure()
        for _ in range(3):
            made.step(closure)
        found.append(w.tolist())
    assert found[0] == found[1] != [1.0, -2.0]


PAIRS = [(kind, "betas") for kind in (NAdam, RAdam, Adamax, Lion)]
PAIRS += [(Rprop, "etas"), (Rprop, "step_sizes")]


@pytest.mark.parametrize("value", [(), [], (0.5,), (0.5, 0.6, 0.7)])
@pytest.mark.parametrize(("kind", "option"), PAIRS)
def test_pairs_of_options_are_two(kind, option, value):
    with pytest.raises(ValueError, match=rf"\[{kind.__name__}\] {option} must be two numbers"):
        kind([Parameter(norch.ones(1))], **{option: value})


@pytest.mark.parametrize("size", [math.nan, math.inf, 0.5, "a", None, 0, -1])
def test_the_history_of_lbfgs_is_a_whole_number(size):
    with pytest.raises(TypeError, match=r"\[LBFGS\] history_size must be a whole number above 0"):
        LBFGS([Parameter(norch.ones(1))], history_size=size)


EVERY = [SGD, Adam, AdamW, ASGD, Adadelta, Adafactor, Adagrad, Adamax, Lion, NAdam, RAdam]
EVERY += [LBFGS, RMSprop, Rprop]


def trained_rows(make, parts):
    """The rows of a matrix after three steps, as one parameter or as `parts`."""
    whole = norch.tensor([[1.0, -2.0], [0.5, 3.0], [2.0, 0.25], [-1.0, 1.5]])
    rows = [Parameter(part.clone()) for part in whole.chunk(parts)]
    optimizer = make(rows)

    def closure():
        optimizer.zero_grad()
        loss = sum((w**4).sum() for w in rows)
        loss.backward()
        return loss

    for _ in range(3):
        optimizer.step(closure)
    return norch.cat([w.detach() for w in rows])


@pytest.mark.parametrize("kind", EVERY)
def test_a_step_that_is_called_elementwise_is_the_same_for_rows(kind):
    """Others refuse a part of a parameter: what is cut among processes is cut by rows."""
    if not kind.elementwise:
        with pytest.raises(ValueError, match="use Adam, AdamW or SGD"):
            kind([ParameterPart(norch.ones(2, 2))])
        return
    kind([ParameterPart(norch.ones(2, 2))])
    whole, halves = (trained_rows(lambda rows: kind(rows, lr=0.1), parts) for parts in (1, 2))
    assert norch.allclose(whole, halves)
