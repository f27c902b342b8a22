"""PowerSGD on several ranks, started by test_power_sgd.py."""

from cases import run_all

import norch_ddp as dist
from norch_autograd import manual_seed, randn
from norch_extras.power_sgd import PowerSGDState, powerSGD_hook
from norch_nn import Linear, Sequential, Tanh


def network():
    manual_seed(3)
    return Sequential(Linear(12, 16), Tanh(), Linear(16, 8))


def grads(model):
    return [p.grad.clone() for p in model.parameters()]


def whole_batch(size):
    manual_seed(4)
    return randn(4 * size, 12)


def mean_gradients(rank, size, state, steps=1):
    """Average the gradients of many steps, whose true gradients are all the same."""
    model = dist.DistributedDataParallel(network(), bucket_cap_mb=1e-4)
    model.register_comm_hook(state, powerSGD_hook)
    total = None
    for _ in range(steps):
        model.zero_grad()
        model(whole_batch(size).chunk(size)[rank]).pow(2).mean().backward()
        now = grads(model)
        total = now if total is None else [a + b for a, b in zip(total, now, strict=True)]
    return [t / steps for t in total]


def wanted(size):
    model = network()
    model(whole_batch(size)).pow(2).mean().backward()
    return grads(model)


def off(found, size):
    return sum((a - b).norm().item() for a, b in zip(found, wanted(size), strict=True))


def case_what_is_lost_comes_in_later_steps(rank, size):
    """With constant gradients the mean over steps comes near them: the error is fed back."""
    once = off(mean_gradients(rank, size, PowerSGDState(None, 2, 0)), size)
    often = off(mean_gradients(rank, size, PowerSGDState(None, 2, 0), steps=20), size)
    assert often < 0.2 * once, (often, once)
    without = PowerSGDState(None, 2, 0, use_error_feedback=False, warm_start=False)
    lossy = off(mean_gradients(rank, size, without, steps=20), size)
    assert lossy > 2 * often, (lossy, often)


def case_vectors_and_first_steps_travel_whole(rank, size):
    found = mean_gradients(rank, size, PowerSGDState(None, 2, 0))
    for place in (1, 3):
        assert (found[place] - wanted(size)[place]).abs().max().item() < 1e-5
    state = PowerSGDState(None, 2, 3)
    assert off(mean_gradients(rank, size, state, steps=3), size) < 1e-4
    assert not state.errors and state.iter == 3


def case_a_matrix_is_sent_as_two_where_they_are_shorter(rank, size):
    for rate, count in ((2, 2), (1000, 0)):
        state = PowerSGDState(None, 1, 0, min_compression_rate=rate)
        mean_gradients(rank, size, state)
        assert len(state.errors) == count, (rate, len(state.errors))


def case_full_rank_loses_nothing(rank, size):
    state = PowerSGDState(None, 16, 0, min_compression_rate=0)
    assert off(mean_gradients(rank, size, state), size) < 1e-3
    assert len(state.errors) == 2


def case_an_epsilon_changes_little(rank, size):
    """Columns are made upright in another way, to the same plane."""
    plain = mean_gradients(rank, size, PowerSGDState(None, 2, 0))
    state = PowerSGDState(None, 2, 0, orthogonalization_epsilon=1e-8)
    for a, b in zip(plain, mean_gradients(rank, size, state), strict=True):
        assert (a - b).abs().max().item() < 1e-4


if __name__ == "__main__":
    run_all(globals())
