"""Optimizers and schedules, each step compared with the formula in plain Python floats."""

import math

import pytest

import norch_autograd as norch
from norch_nn import Linear, Parameter
from norch_nn.optim import SGD, Adam, AdamW, Optimizer, lr_scheduler

START, STEPS = [1.0, -2.0, 3.0], 5


def gradient(w):
    """Of sum(w⁴) / 4: it changes with every step."""
    return [x**3 for x in w]


def run(make, steps=STEPS):
    """Take steps with the optimizer `make` returns, on a parameter with a transposed layout."""
    w = Parameter(norch.tensor([[x, 0.0] for x in START]).t())
    assert not w.is_contiguous()
    optimizer = make([w])
    for _ in range(steps):
        optimizer.zero_grad()
        (w**4 / 4).sum().backward()
        optimizer.step()
    return w[0].tolist()


def sgd(w, lr, momentum=0.0, dampening=0.0, weight_decay=0.0, nesterov=False):
    velocity = None
    for _ in range(STEPS):
        g = [gx + weight_decay * x for gx, x in zip(gradient(w), w, strict=True)]
        if momentum:
            if velocity is None:
                velocity = g
            else:
                pairs = zip(velocity, g, strict=True)
                velocity = [momentum * v + (1 - dampening) * gx for v, gx in pairs]
            ahead = zip(g, velocity, strict=True)
            g = [gx + momentum * v for gx, v in ahead] if nesterov else velocity
        w = [x - lr * gx for x, gx in zip(w, g, strict=True)]
    return w


def adam(w, lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, amsgrad=False, decoupled=False):
    m, v, largest = ([0.0] * len(w) for _ in range(3))
    for t in range(1, STEPS + 1):
        g = gradient(w)
        if decoupled:
            w = [x * (1 - lr * weight_decay) for x in w]
        else:
            g = [gx + weight_decay * x for gx, x in zip(g, w, strict=True)]
        m = [betas[0] * a + (1 - betas[0]) * gx for a, gx in zip(m, g, strict=True)]
        v = [betas[1] * a + (1 - betas[1]) * gx * gx for a, gx in zip(v, g, strict=True)]
        largest = [max(a, b) for a, b in zip(largest, v, strict=True)]
        used = largest if amsgrad else v
        w = [
            x - lr * (a / (1 - betas[0] ** t)) / (math.sqrt(b / (1 - betas[1] ** t)) + eps)
            for x, a, b in zip(w, m, used, strict=True)
        ]
    return w


def adamw(w, lr, weight_decay=0.01, **options):
    return adam(w, lr, weight_decay=weight_decay, decoupled=True, **options)


@pytest.mark.parametrize(
    ("optimizer", "formula", "options"),
    [
        (SGD, sgd, {"lr": 0.01}),
        (SGD, sgd, {"lr": 0.01, "weight_decay": 0.1}),
        (SGD, sgd, {"lr": 0.01, "momentum": 0.9}),
        (SGD, sgd, {"lr": 0.01, "momentum": 0.9, "dampening": 0.3, "weight_decay": 0.1}),
        (SGD, sgd, {"lr": 0.01, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
        (Adam, adam, {"lr": 0.1}),
        (Adam, adam, {"lr": 0.1, "betas": (0.5, 0.8), "eps": 1e-3, "weight_decay": 0.1}),
        (Adam, adam, {"lr": 1.0, "betas": (0.5, 0.1), "amsgrad": True}),
        (AdamW, adamw, {"lr": 0.1}),
        (AdamW, adamw, {"lr": 0.1, "weight_decay": 0.5, "amsgrad": True}),
    ],
)
def test_steps_follow_the_formula(optimizer, formula, options):
    right = pytest.approx(formula(START, **options), rel=1e-5)
    for runs in (run, norch.autograd.composite()(run)):  # fused; in operations, where it is both
        assert runs(lambda params: optimizer(params, **options)) == right


def one_step(optimizer, w, grad):
    w.grad = norch.tensor(grad)
    optimizer.step()
    return w.tolist()


@pytest.mark.parametrize("make", [SGD, Adam, AdamW])
def test_maximize_walks_uphill(make):
    w = Parameter(norch.ones(1))
    optimizer = make([w], lr=0.5, maximize=True)
    assert one_step(optimizer, w, [2.0])[0] > 1 and w.grad.item() == 2


def test_adam_by_its_formula_goes_on_from_a_fused_step():
    def steps(*ways):
        w = Parameter(norch.tensor([[1.0, -2.0], [3.0, 0.5]]).t())
        optimizer = Adam([w], lr=0.1, weight_decay=0.2, maximize=True, amsgrad=True)
        for k, way in enumerate(ways, start=1):
            w.grad = norch.tensor([[1.0, -2.0], [0.0, 5.0]]) / k
            way(optimizer.step)()
        return w.tolist()

    fused, formula = (lambda step: step), norch.autograd.composite()
    assert steps(fused, formula, fused) == [
        pytest.approx(row) for row in steps(fused, fused, fused)
    ]


def test_adam_decaying_twice():
    w = Parameter(norch.ones(1))
    assert one_step(Adam([w], lr=0.1, weight_decay=0.0), w, [0.0]) == [1.0]
    assert one_step(AdamW([w], lr=0.1, weight_decay=0.01), w, [0.0]) == pytest.approx([0.999])


def test_sgd_aliasing_the_gradient_as_momentum_buffer():
    w = Parameter(norch.zeros(1))
    optimizer = SGD([w], lr=1.0, momentum=0.5)
    w.grad = norch.ones(1)
    optimizer.step()
    with norch.no_grad():
        w.grad.fill_(100.0)
    w.grad = norch.zeros(1)
    optimizer.step()
    assert w.item() == -1.5


@pytest.mark.parametrize("make", [SGD, Adam, AdamW])
def test_a_step_before_any_backward(make):
    layer = Linear(2, 2)
    before = layer.weight.tolist()
    optimizer = make(layer.parameters())
    optimizer.step()
    assert layer.weight.tolist() == before and not optimizer.state


@pytest.mark.parametrize("make", [SGD, Adam, AdamW])
def test_parameters_empty_after_a_step_because_they_were_replaced(make):
    layer = Linear(2, 2)
    before, address = list(layer.parameters()), layer.weight.data_ptr()
    layer(norch.ones(1, 2)).sum().backward()
    optimizer = make(layer.parameters())
    values = layer.weight.tolist()
    optimizer.step()
    assert all(a is b for a, b in zip(before, layer.parameters(), strict=True))
    assert layer.weight.data_ptr() == address and layer.weight.tolist() != values


def test_a_step_between_forward_and_backward_raises():
    w = Parameter(norch.ones(2))
    loss = (w * w).sum()
    w.grad = norch.ones(2)
    SGD([w], lr=0.1).step()
    with pytest.raises(RuntimeError, match=r"modified|changed|version|edited"):
        loss.backward()


def test_parameters_that_get_gradients_later():
    a, b = Parameter(norch.zeros(1)), Parameter(norch.zeros(1))
    optimizer = SGD([a, b], lr=1.0, momentum=0.5)
    one_step(optimizer, a, [1.0])
    b.grad = norch.ones(1)
    optimizer.step()
    assert (a.item(), b.item()) == (-2.5, -1.0)


def test_groups_have_options_of_their_own():
    a, b = Parameter(norch.zeros(1)), Parameter(norch.zeros(1))
    optimizer = SGD([{"params": [a]}, {"params": b, "lr": 0.5}], lr=1.0)
    a.grad = b.grad = norch.ones(1)
    optimizer.step()
    assert (a.item(), b.item()) == (-1.0, -0.5)
    assert repr(optimizer).splitlines()[:2] == ["SGD (", "Parameter Group 0"]
    c = Parameter(norch.zeros(1))
    optimizer.add_param_group({"params": [c]})
    assert optimizer.param_groups[2]["lr"] == 1.0


def test_adam_with_decoupled_decay_is_adamw():
    options = {"lr": 0.1, "weight_decay": 0.5}
    first = run(lambda params: Adam(params, decoupled_weight_decay=True, **options))
    assert first == run(lambda params: AdamW(params, **options))


def test_float64_beside_float32():
    a, b = Parameter(norch.ones(1)), Parameter(norch.ones(1, dtype=norch.float64))
    optimizer = Adam([a, b], lr=0.5)
    (a.double() + b).sum().backward()
    optimizer.step()
    assert a.item() == pytest.approx(0.5) and b.item() == pytest.approx(0.5)
    assert b.dtype == norch.float64


def test_zero_grad_and_closure():
    w = Parameter(norch.ones(1))
    optimizer = SGD([w], lr=0.25)

    def closure():
        optimizer.zero_grad(set_to_none=False)
        loss = (w * w).sum()
        loss.backward()
        return loss

    assert optimizer.step(closure).item() == 1 and w.item() == 0.5
    optimizer.zero_grad(set_to_none=False)
    assert w.grad.item() == 0
    optimizer.zero_grad()
    assert w.grad is None


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda w: SGD([], lr=1), ValueError, "the parameter list is empty"),
        (lambda w: SGD(w, lr=1), TypeError, r"write \[tensor\]"),
        (lambda w: SGD([3.0], lr=1), TypeError, "only Tensors can be optimized, not float"),
        (lambda w: SGD([w * 2], lr=1), ValueError, "give its leaf"),
        (lambda w: SGD([w, w], lr=1), ValueError, "listed twice"),
        (lambda w: SGD([w], lr=-1), ValueError, r"\[SGD\] lr must be 0 or more, not -1"),
        (lambda w: SGD([w], lr=math.nan), ValueError, "lr must be 0 or more, not nan"),
        (lambda w: SGD([w], momentum=-1), ValueError, "momentum must be 0 or more"),
        (lambda w: SGD([w], weight_decay=-1), ValueError, "weight_decay must be 0 or more"),
        (lambda w: SGD([w], nesterov=True), ValueError, "nesterov needs a momentum"),
        (lambda w: Adam([w], betas=(0.9, 1.0)), ValueError, r"betas\[1\] must lie in \[0, 1\)"),
        (lambda w: Adam([w], differentiable=True), NotImplementedError, "not part of the graph"),
        (lambda w: AdamW([w], eps=-1), ValueError, r"\[AdamW\] eps must be 0 or more"),
        (lambda w: SGD([w]).add_param_group([w]), TypeError, "a dict with the key 'params'"),
        (lambda w: Optimizer([w], {"lr": 1}).update([w], {}), NotImplementedError, "update"),
        (lambda w: lr_scheduler.StepLR(w, 1), TypeError, "an Optimizer is expected, not Parameter"),
        (lambda w: lr_scheduler.LambdaLR(SGD([w]), []), ValueError, "0 functions .* 1 groups"),
        (lambda w: lr_scheduler.LinearLR(SGD([w]), 0.0), ValueError, "the first above 0, not 0"),
        (lambda w: lr_scheduler.StepLR(SGD([w]), 1, last_epoch=3), KeyError, "initial_lr"),
    ],
)
def test_bad_arguments(make, error, message):
    with pytest.raises(error, match=message):
        make(Parameter(norch.ones(1)))


# ---- state_dict ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make", [lambda p: SGD(p, lr=0.1, momentum=0.9), lambda p: Adam(p, lr=0.1, amsgrad=True)]
)
def test_a_resumed_optimizer_goes_on_as_an_unbroken_one(make):
    def steps(w, optimizer, count):
        for _ in range(count):
            optimizer.zero_grad()
            (w**4).sum().backward()
            optimizer.step()
        return w.tolist()

    unbroken = Parameter(norch.tensor(START))
    expected = steps(unbroken, make([unbroken]), 4)
    first = Parameter(norch.tensor(START))
    optimizer = make([first])
    steps(first, optimizer, 2)
    second = Parameter(first.detach().clone())
    resumed = make([second])
    resumed.load_state_dict(optimizer.state_dict())
    steps(first, optimizer, 1)  # what was loaded is a copy
    assert steps(second, resumed, 2) == expected


def test_state_dict_has_pytorchs_form():
    w = Parameter(norch.ones(2))
    optimizer = Adam([w], lr=0.1)
    one_step(optimizer, w, [1.0, 1.0])
    state = optimizer.state_dict()
    assert state["param_groups"][0]["params"] == [0] and state["param_groups"][0]["lr"] == 0.1
    assert set(state["state"][0]) == {"step", "exp_avg", "exp_avg_sq"}


def test_loading_a_state_that_does_not_fit_changes_nothing():
    w = Parameter(norch.ones(2))
    optimizer = SGD([w], lr=0.1, momentum=0.5)
    one_step(optimizer, w, [1.0, 1.0])
    other = Parameter(norch.ones(3))
    wrong = SGD([other], lr=0.7, momentum=0.5)
    with pytest.raises(ValueError, match=r"momentum_buffer has shape \(2,\), its parameter \(3,\)"):
        wrong.load_state_dict(optimizer.state_dict())
    two = SGD([other, w], lr=0.7)
    with pytest.raises(ValueError, match=r"groups of \[1\] parameters, this one \[2\]"):
        two.load_state_dict(optimizer.state_dict())
    assert wrong.param_groups[0]["lr"] == two.param_groups[0]["lr"] == 0.7 and not wrong.state


# ---- schedules -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "rates"),
    [
        (lambda o: lr_scheduler.StepLR(o, 2, 0.5), [8, 8, 4, 4, 2]),
        (lambda o: lr_scheduler.MultiStepLR(o, [3, 1], 0.5), [8, 4, 4, 2, 2]),
        (lambda o: lr_scheduler.ExponentialLR(o, 0.5), [8, 4, 2, 1, 0.5]),
        (lambda o: lr_scheduler.LambdaLR(o, lambda e: 1 / (e + 1)), [8, 4, 8 / 3, 2, 1.6]),
        (lambda o: lr_scheduler.LambdaLR(o, [lambda e: e]), [0, 8, 16, 24, 32]),
        (lambda o: lr_scheduler.LinearLR(o, 0.5, 1.0, 2), [4, 6, 8, 8, 8]),
        (
            lambda o: lr_scheduler.CosineAnnealingLR(o, 4, eta_min=2),
            [8, 5 + 3 / math.sqrt(2), 5, 5 - 3 / math.sqrt(2), 2],
        ),
    ],
)
def test_rates(make, rates):
    optimizer = SGD([Parameter(norch.ones(1))], lr=8.0)
    scheduler = make(optimizer)
    seen = []
    for _ in rates:
        seen += scheduler.get_last_lr()
        optimizer.step()
        scheduler.step()
    assert seen == pytest.approx(rates)


@pytest.mark.parametrize("gamma", [math.inf, 1e200, 0.0])
@pytest.mark.parametrize("name", ["ExponentialLR", "StepLR", "MultiStepLR"])
def test_rates_are_products_even_where_the_powers_of_gamma_overflow(name, gamma):
    """No nan of infinity / infinity, and no OverflowError before the rate itself is infinite."""
    words = {"StepLR": {"step_size": 2}, "MultiStepLR": {"milestones": [1, 3]}}.get(name, {})
    turns = {"StepLR": (2, 4), "MultiStepLR": (1, 3)}.get(name, range(1, 6))
    optimizer = SGD([Parameter(norch.ones(1))], lr=1e-200)
    scheduler = getattr(lr_scheduler, name)(optimizer, gamma=gamma, **words)
    expected = 1e-200
    for epoch in range(1, 6):
        optimizer.step()
        scheduler.step()
        expected *= gamma if epoch in turns else 1
        assert scheduler.get_last_lr() == [expected]


def test_two_schedules_on_one_optimizer():
    """PyTorch's manual chains ExponentialLR and MultiStepLR."""
    optimizer = SGD([Parameter(norch.ones(1))], lr=8.0)
    schedules = [
        lr_scheduler.ExponentialLR(optimizer, 0.5),
        lr_scheduler.MultiStepLR(optimizer, [2], 0.25),
    ]
    seen = []
    for _ in range(4):
        seen.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        for schedule in schedules:
            schedule.step()
    assert seen == [8.0, 4.0, 0.5, 0.25]


def test_a_rate_set_by_hand_is_kept():
    optimizer = SGD([Parameter(norch.ones(1))], lr=8.0)
    scheduler = lr_scheduler.StepLR(optimizer, 2, 0.5)
    optimizer.param_groups[0]["lr"] = 1.0
    optimizer.step()
    scheduler.step()
    assert scheduler.get_last_lr() == [1.0]
    scheduler.step()
    assert scheduler.get_last_lr() == [0.5]


def test_an_optimizer_of_ones_own():
    class SignSGD(Optimizer):
        def update(self, params, group):
            with norch.no_grad():
                for p in params:
                    p.sub_(p.grad.sign() * group["size"])

    w = Parameter(norch.tensor([1.0, -1.0]))
    assert one_step(SignSGD([w], {"size": 0.5}), w, [3.0, -3.0]) == [0.5, -0.5]


def test_a_resumed_schedule_goes_on():
    def pair():
        optimizer = SGD([Parameter(norch.ones(1))], lr=8.0)
        return optimizer, lr_scheduler.StepLR(optimizer, 2, 0.5)

    optimizer, scheduler = pair()
    optimizer.step()
    for _ in range(3):
        scheduler.step()
    resumed_optimizer, resumed = pair()
    resumed_optimizer.load_state_dict(optimizer.state_dict())
    resumed.load_state_dict(scheduler.state_dict())
    resumed.step()
    assert resumed.get_last_lr() == [2.0]


# ---- hooks, names, refusals ----------------------------------------------------------------------


def test_hooks_run_around_step_and_state():
    w = Parameter(norch.ones(1))
    optimizer, log = SGD([w], lr=1.0), []
    handle = optimizer.register_step_pre_hook(lambda o, args, kwargs: log.append("before"))
    optimizer.register_step_post_hook(lambda o, args, kwargs: log.append("after"))
    optimizer.register_state_dict_pre_hook(lambda o: log.append("state"))
    optimizer.register_state_dict_post_hook(lambda o, made: {**made, "more": 3})
    optimizer.register_load_state_dict_pre_hook(lambda o, given: log.append(given["more"]))
    optimizer.register_load_state_dict_post_hook(lambda o: log.append("loaded"))
    w.grad = norch.ones(1)
    optimizer.step()
    handle.remove()
    optimizer.step()
    optimizer.load_state_dict(optimizer.state_dict())
    assert log == ["before", "after", "after", "state", 3, "loaded"] and w.item() == -1.0


def test_a_step_hook_changes_the_arguments():
    optimizer = SGD([Parameter(norch.ones(1))], lr=1.0)
    optimizer.register_step_pre_hook(lambda o, args, kwargs: ((lambda: 5,), {}))
    assert optimizer.step() == 5
    optimizer.register_step_pre_hook(lambda o, args, kwargs: 3)
    with pytest.raises(RuntimeError, match=r"must return None or \(args, kwargs\), not int"):
        optimizer.step()


def test_named_parameters_keep_their_names():
    layer = Linear(2, 1)
    optimizer = SGD(layer.named_parameters(), lr=0.1)
    assert optimizer.state_dict()["param_groups"][0]["param_names"] == ["weight", "bias"]
    with pytest.raises(ValueError, match="every group, or of none"):
        optimizer.add_param_group({"params": [Parameter(norch.ones(1))]})


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda w: Adam([w], fused=True, foreach=True), RuntimeError, "fused=True excludes"),
        (lambda w: SGD([w], lr=norch.ones(2)), ValueError, "lr must be one number, not 2"),
        (lambda w: SGD([{"lr": 1}]), KeyError, "needs the key 'params'"),
        (lambda w: SGD([{"params": {w}}]), TypeError, "a set, which has no order"),
        (lambda w: SGD([w, ("name", w)]), TypeError, "name every parameter"),
    ],
)
def test_more_refusals(make, error, message):
    with pytest.raises(error, match=message):
        make(Parameter(norch.ones(2)))


@pytest.mark.parametrize(
    ("kind", "flag", "options"),
    [
        (SGD, "nesterov", {"lr": 0.1, "momentum": 0.9}),
        (SGD, "maximize", {"lr": 0.1}),
        (Adam, "amsgrad", {}),
        (Adam, "decoupled_weight_decay", {"weight_decay": 0.1}),
    ],
)
@pytest.mark.parametrize("said", [{}, "yes", 1])
def test_a_flag_is_what_its_truth_value_says(kind, flag, options, said):
    ends = []
    for value in (said, bool(said)):
        p = Parameter(norch.ones(2))
        optimizer = kind([p], **options, **{flag: value})
        p.grad = norch.tensor([1.0, -2.0])
        optimizer.step()
        ends.append(p.tolist())
    assert ends[0] == ends[1] and optimizer.param_groups[0][flag] is bool(said)


@pytest.mark.parametrize("betas", [(), [], (0.1,), (0.9, 0.9, 0.9)])
@pytest.mark.parametrize("kind", [Adam, AdamW])
def test_betas_are_two(kind, betas):
    """With fewer of them, the options behind them moved up into their places."""
    with pytest.raises(ValueError, match=rf"\[{kind.__name__}\] betas must be two numbers"):
        kind([Parameter(norch.ones(1))], betas=betas)


@pytest.mark.parametrize("total", [0, -1])
def test_a_line_of_no_epochs_is_at_its_end(total):
    optimizer = SGD([Parameter(norch.ones(1))], lr=8.0)
    scheduler = lr_scheduler.LinearLR(optimizer, 0.5, 1.0, total)
    assert scheduler.get_last_lr() == [8.0]
