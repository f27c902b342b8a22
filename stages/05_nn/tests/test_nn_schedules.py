"""Schedules beyond the usual ones. Long rows of rates were computed with PyTorch 2.13."""

import pytest
from layer_checks import cosine, make_optimizer, rates_of

from norch_nn.optim import lr_scheduler as L


@pytest.mark.parametrize(
    ("make", "rates"),
    [
        (lambda o: L.ConstantLR(o, 0.5, 2), [0.5, 0.5, 1, 1]),
        (lambda o: L.CosineAnnealingLR(o, 2, 0.5), [1, 0.75, 0.5, 0.75, 1, 0.75, 0.5]),
        (
            lambda o: L.CosineAnnealingWarmRestarts(o, 2, 2, 0.5),
            [1, 0.75, 1, cosine(0.25, 0.5), 0.75, cosine(0.75, 0.5), 1, cosine(0.125, 0.5)],
        ),
        (lambda o: L.CosineAnnealingWarmRestarts(o, 2), [1, 0.5, 1, 0.5, 1]),
    ],
)
def test_rates(make, rates):
    actual = rates_of(make(make_optimizer(momentum=0.9)), len(rates) - 1)
    assert actual == pytest.approx(rates, rel=1e-4, abs=1e-12)


def test_warm_restarts_go_to_any_epoch():
    scheduler = L.CosineAnnealingWarmRestarts(make_optimizer(), 2, 2)
    for epoch, part in ((0.5, 0.25), (2.0, 0.0), (3.0, 0.25), (6.0, 0.0), (1.0, 0.5)):
        scheduler.step(epoch)
        assert scheduler.get_last_lr() == pytest.approx([cosine(part)])
    assert scheduler.last_epoch == 1


@pytest.mark.parametrize(
    "make",
    [
        lambda o: L.CosineAnnealingWarmRestarts(o, 3),
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


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda o: L.ConstantLR(o, 2.0), ValueError, "between 0 and 1, not 2.0"),
        (lambda o: L.CosineAnnealingWarmRestarts(o, 0), ValueError, "T_0 must be .* not 0"),
        (lambda o: L.CosineAnnealingWarmRestarts(o, 2, 1.5), ValueError, "T_mult must be"),
        (
            lambda o: L.CosineAnnealingWarmRestarts(o, 2).step(-1),
            ValueError,
            "must not be below 0: -1",
        ),
    ],
)
def test_bad_arguments(make, error, message):
    with pytest.raises(error, match=message):
        make(make_optimizer())


def test_a_schedule_of_ones_own():
    """PyTorch's way: derive from LRScheduler (or _LRScheduler) and write get_lr."""

    class WarmUp(L._LRScheduler):
        def __init__(self, optimizer, steps, last_epoch=-1):
            self.steps = steps
            super().__init__(optimizer, last_epoch)

        def get_lr(self):
            return [base * min(1, (self.last_epoch + 1) / self.steps) for base in self.base_lrs]

    assert rates_of(WarmUp(make_optimizer(), 4), 4) == [0.25, 0.5, 0.75, 1.0, 1.0]


def test_a_schedule_warns_where_the_first_rate_is_skipped():
    scheduler = L.StepLR(make_optimizer(), 2)
    with pytest.warns(UserWarning, match=r"scheduler.step\(\) came before optimizer.step"):
        scheduler.step()
    o = make_optimizer()
    scheduler = L.StepLR(o, 2)
    o.step()
    scheduler.step()


@pytest.mark.parametrize(
    ("make", "rate"),
    [
        (lambda o: L.StepLR(o, 2, 0.5), 0.25),
        (lambda o: L.LambdaLR(o, lambda e: 1 / (e + 1)), 1 / 6),
        (lambda o: L.CosineAnnealingLR(o, 10), 0.5),
    ],
)
def test_step_to_an_epoch(make, rate):
    o = make_optimizer(momentum=0.9)
    scheduler = make(o)
    o.step()
    with pytest.warns(UserWarning, match="the older form"):
        scheduler.step(5)
    assert scheduler.last_epoch == 5 and scheduler.get_last_lr() == pytest.approx([rate])
