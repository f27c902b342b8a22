"""Further schedules: rates computed with PyTorch 2.13."""

import math

import pytest
from layer_checks import cosine, make_optimizer, rates_of

import norch_autograd as norch
from norch_extras.optim import (
    Adagrad,
    ChainedScheduler,
    CyclicLR,
    OneCycleLR,
    PolynomialLR,
    ReduceLROnPlateau,
    SequentialLR,
)
from norch_nn.optim import Adam, lr_scheduler as L


@pytest.mark.parametrize(
    ("make", "rates"),
    [
        (lambda o: PolynomialLR(o, 4, 2), [1, 9 / 16, 4 / 16, 1 / 16, 0, 0]),
        (
            lambda o: ChainedScheduler([L.LinearLR(o, 0.5, 1.0, 2), L.CosineAnnealingLR(o, 4)]),
            [0.5, 0.75 * cosine(0.25), 0.5, cosine(0.75), 0],
        ),
        (
            lambda o: OneCycleLR(o, 1.0, 5, pct_start=0.4, anneal_strategy="linear"),
            [0.04, 1, 1 - (1 - 4e-6) / 3, 1 - 2 * (1 - 4e-6) / 3, 4e-6],
        ),
        (
            lambda o: OneCycleLR(o, 1.0, epochs=2, steps_per_epoch=5, three_phase=True),
            [0.04, 0.52, 1, 0.52, 0.04, 0.0361807, 0.0261817, 0.0138223, 0.0038233, 4e-6],
        ),
        (
            lambda o: SequentialLR(
                o,
                [L.LinearLR(o, 0.5, 1.0, 2), L.ExponentialLR(o, 0.5), L.StepLR(o, 1, 0.1)],
                [3, 5],
            ),
            [0.5, 0.75, 1, 1, 0.5, 1, 0.1, 0.01],
        ),
        (
            lambda o: SequentialLR(o, [L.ConstantLR(o, 0.1, 9), L.CosineAnnealingLR(o, 2)], [1]),
            [0.1, 1, 0.5, 0],
        ),
    ],
)
def test_rates(make, rates):
    actual = rates_of(make(make_optimizer(momentum=0.9)), len(rates) - 1)
    assert actual == pytest.approx(rates, rel=1e-4, abs=1e-12)


def test_one_cycle_moves_momentum_the_other_way():
    sgd, adam = make_optimizer(momentum=0.9), make_optimizer(Adam)
    for o in (sgd, adam):
        scheduler = OneCycleLR(o, 1.0, 5, pct_start=0.4, anneal_strategy="linear")
        momenta = []
        for _ in range(5):
            group = o.param_groups[0]
            momenta.append(group["betas"][0] if "betas" in group else group["momentum"])
            if len(momenta) < 5:
                o.step()
                scheduler.step()
        assert momenta == pytest.approx([0.95, 0.85, 0.85 + 0.1 / 3, 0.85 + 0.2 / 3, 0.95])
    assert adam.param_groups[0]["betas"][1] == 0.999


def test_one_cycle_with_a_peak_for_each_group():
    o = make_optimizer(Adagrad, groups=2)
    scheduler = OneCycleLR(o, [1.0, 2.0], 10, cycle_momentum=False)
    assert scheduler.get_last_lr() == pytest.approx([0.04, 0.08])
    o.step()
    scheduler.step()
    scheduler.step()
    assert scheduler.get_last_lr() == pytest.approx([1.0, 2.0])


def test_one_cycle_ends():
    scheduler = OneCycleLR(make_optimizer(momentum=0.9), 1.0, 2)
    scheduler.optimizer.step()
    scheduler.step()
    scheduler.step()
    with pytest.raises(ValueError, match="step 3, but the cycle has 2"):
        scheduler.step()


@pytest.mark.parametrize(
    ("options", "metrics", "rates"),
    [
        ({"patience": 1}, [5, 5, 5, 5, 5, 4], [1, 1, 0.1, 0.1, 0.01, 0.01]),
        ({"patience": 0, "cooldown": 2}, [5, 6, 6, 6, 6], [1, 0.1, 0.1, 0.1, 0.01]),
        ({"patience": 0, "mode": "max"}, [5, 6, 6, 7], [1, 1, 0.1, 0.1]),
        ({"patience": 0, "threshold": 0.5}, [8, 5, 3, 2], [1, 0.1, 0.1, 0.01]),
        (
            {"patience": 0, "threshold": 1, "threshold_mode": "abs"},
            [8, 7.5, 6.5, 5.6],
            [1, 0.1, 0.1, 0.01],
        ),
        ({"patience": 0, "min_lr": 0.05}, [5, 5, 5], [1, 0.1, 0.05]),
        ({"patience": 0, "eps": 0.5}, [5, 5, 5], [1, 0.1, 0.1]),
        ({"patience": 0, "factor": 0.5}, [5, math.nan], [1, 0.5]),
    ],
)
def test_reduce_on_plateau(options, metrics, rates):
    scheduler = ReduceLROnPlateau(make_optimizer(), **options)
    found = []
    for metric in metrics:
        scheduler.step(norch.tensor(float(metric)))
        found += scheduler.get_last_lr()
    assert found == pytest.approx(rates)


@pytest.mark.parametrize(
    "make",
    [
        lambda o: OneCycleLR(o, 1.0, 10),
        lambda o: ChainedScheduler([L.LinearLR(o, 0.5, 1, 3), L.CosineAnnealingLR(o, 6)]),
        lambda o: SequentialLR(o, [L.LinearLR(o, 0.5, 1, 3), L.ExponentialLR(o, 0.5)], [4]),
        lambda o: PolynomialLR(o, 8),
    ],
)
def test_a_resumed_schedule_goes_on(make):
    unbroken = make_optimizer(momentum=0.9)
    expected = rates_of(make(unbroken), 6)
    first, second = make_optimizer(momentum=0.9), make_optimizer(momentum=0.9)
    scheduler = make(first)
    rates_of(scheduler, 3)
    resumed = make(second)
    second.load_state_dict(first.state_dict())
    resumed.load_state_dict(scheduler.state_dict())
    assert rates_of(resumed, 3) == pytest.approx(expected[3:])


def test_a_resumed_plateau_goes_on():
    first, second = make_optimizer(), make_optimizer()
    schedulers = [ReduceLROnPlateau(o, patience=1) for o in (first, second)]
    for metric in (5, 5):
        schedulers[0].step(metric)
    schedulers[1].load_state_dict(schedulers[0].state_dict())
    schedulers[1].step(5)
    assert second.param_groups[0]["lr"] == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda o: OneCycleLR(o, 1.0), ValueError, "give total_steps, or epochs and"),
        (lambda o: OneCycleLR(o, 1.0, 0), ValueError, "above 0 is expected, not 0"),
        (lambda o: OneCycleLR(o, 1.0, 9, pct_start=2), ValueError, "pct_start must lie"),
        (lambda o: OneCycleLR(o, 1.0, 9, anneal_strategy="x"), ValueError, "not 'x'"),
        (lambda o: OneCycleLR(o, [1.0] * 2, 9), ValueError, "max_lr has 2 numbers for 1 groups"),
        (
            lambda o: OneCycleLR(make_optimizer(Adagrad), 1.0, 9),
            ValueError,
            "neither momentum nor betas: pass cycle_momentum=False",
        ),
        (lambda o: OneCycleLR(3, 1.0, 9), TypeError, "an Optimizer is expected, not int"),
        (lambda o: ReduceLROnPlateau(o, factor=1.0), ValueError, "factor must be below 1"),
        (lambda o: ReduceLROnPlateau(o, "x"), ValueError, "'min' or 'max' is expected, not 'x'"),
        (lambda o: ReduceLROnPlateau(o, threshold_mode="x"), ValueError, "'rel' or 'abs'"),
        (lambda o: ReduceLROnPlateau(o, min_lr=[0, 0]), ValueError, "2 values .* for 1 groups"),
        (lambda o: SequentialLR(o, [], []), ValueError, "at least one schedule"),
        (
            lambda o: SequentialLR(o, [L.StepLR(o, 1)], [1]),
            ValueError,
            "1 schedules need 0 milestones, not 1",
        ),
    ],
)
def test_bad_arguments(make, error, message):
    with pytest.raises(error, match=message):
        make(make_optimizer())


@pytest.mark.parametrize(
    ("make", "rate"),
    [
        (lambda o: CyclicLR(o, 0.0, 1.0, 10), 0.5),
    ],
)
def test_step_to_an_epoch(make, rate):
    o = make_optimizer(momentum=0.9)
    scheduler = make(o)
    o.step()
    with pytest.warns(UserWarning, match="the older form"):
        scheduler.step(5)
    assert scheduler.last_epoch == 5 and scheduler.get_last_lr() == pytest.approx([rate])


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (
            lambda o: ChainedScheduler([L.StepLR(o, 1), L.StepLR(make_optimizer(), 1)]),
            ValueError,
            "schedule 1 acts on another optimizer",
        ),
        (
            lambda o: ChainedScheduler([L.StepLR(o, 1)]).load_state_dict({"schedulers": []}),
            ValueError,
            "has 0 schedules, this one 1",
        ),
    ],
)
def test_schedules_that_do_not_go_together(make, error, message):
    with pytest.raises(error, match=message):
        make(make_optimizer())


def test_a_schedule_of_ones_own_as_the_second():
    class WarmUp(L.LRScheduler):
        def get_lr(self):
            return [base * min(1, (self.last_epoch + 1) / 2) for base in self.base_lrs]

    o = make_optimizer()
    both = SequentialLR(o, [L.ConstantLR(o, 0.1, 9), WarmUp(o)], [2])
    assert rates_of(both, 4) == pytest.approx([0.1, 0.1, 0.5, 1.0, 1.0])
