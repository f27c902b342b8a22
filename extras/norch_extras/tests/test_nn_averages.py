"""Averaged weights, LBFGS, custom_fwd: what training loops beyond the usual one call."""

import copy

import pytest

import norch_autograd as norch
import norch_nn as nn
from norch_extras.data import ChainDataset, StackDataset
from norch_extras.optim import LBFGS, swa_utils
from norch_nn.amp import custom_bwd, custom_fwd
from norch_nn.data import DataLoader, IterableDataset
from norch_nn.optim import SGD


def test_the_mean_of_three_weights():
    model = nn.Linear(1, 1, bias=False)
    mean = swa_utils.AveragedModel(model)
    moving = swa_utils.AveragedModel(model, multi_avg_fn=swa_utils.get_ema_multi_avg_fn(0.5))
    for value in (1.0, 2.0, 6.0):
        nn.init.constant_(model.weight, value)
        mean.update_parameters(model)
        moving.update_parameters(model)
    assert mean.module.weight.item() == 3.0 and mean.n_averaged.item() == 3
    assert moving(norch.ones(1, 1)).item() == 0.5 * (0.5 + 1.0) + 3.0
    assert list(mean.state_dict()) == ["n_averaged", "module.weight"]


@pytest.mark.parametrize("averaged", [True, False])
def test_buffers_are_averaged_or_copied(averaged):
    model = nn.BatchNorm1d(1)
    mean = swa_utils.AveragedModel(model, use_buffers=averaged)
    for value in (1.0, 3.0):
        model.running_mean.fill_(value)
        mean.update_parameters(model)
    assert mean.module.running_mean.item() == (2.0 if averaged else 3.0)


def test_update_bn_keeps_mode_and_momentum():
    model = nn.Sequential(nn.BatchNorm1d(1, momentum=0.3), nn.ReLU()).eval()
    loader = DataLoader(norch.arange(8.0).reshape(8, 1), batch_size=4)
    swa_utils.update_bn(loader, model)
    assert model[0].running_mean.item() == 3.5 and model[0].momentum == 0.3 and not model.training
    swa_utils.update_bn(loader, nn.ReLU())


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda o: swa_utils.SWALR(o, 0.1, anneal_strategy="x"), ValueError, "'cos' or 'linear'"),
        (lambda o: swa_utils.SWALR(o, 0.1, -1), ValueError, "must be 0 or more, not -1"),
        (lambda o: swa_utils.SWALR(o, [0.1, 0.2]), ValueError, "2 rates for 1 groups"),
        (lambda o: swa_utils.get_ema_avg_fn(2.0), ValueError, "between 0 and 1, not 2.0"),
        (lambda o: LBFGS([{"params": []}, {"params": []}]), ValueError, "one group is expected"),
        (lambda o: LBFGS(o.param_groups[0]["params"], line_search_fn="x"), RuntimeError, "'x'"),
        (lambda o: LBFGS(o.param_groups[0]["params"]).step(), TypeError, "needs a closure"),
        (lambda o: StackDataset(), ValueError, "give datasets"),
        (lambda o: StackDataset([1], [1, 2]), ValueError, "of one length"),
        (lambda o: list(ChainDataset([[1]])), AssertionError, "streams"),
    ],
)
def test_refusals(make, error, message):
    optimizer = SGD([nn.Parameter(norch.ones(1))], lr=0.1)
    with pytest.raises(error, match=message):
        make(optimizer)


@pytest.mark.parametrize("search", [None, "strong_wolfe"])
def test_lbfgs_finds_the_valley_and_resumes(search):
    def rosenbrock(x, optimizer):
        def closure():
            optimizer.zero_grad()
            loss = (1 - x[0]) ** 2 + 5 * (x[1] - x[0] ** 2) ** 2
            loss.backward()
            return loss

        return closure

    x = nn.Parameter(norch.tensor([-0.5, 1.0], dtype=norch.float64))
    optimizer = LBFGS([x], lr=0.5 if search is None else 1, line_search_fn=search, max_iter=5)
    for _ in range(2):
        optimizer.step(rosenbrock(x, optimizer))
    other = nn.Parameter(x.detach().clone())
    resumed = LBFGS([other], line_search_fn=search, max_iter=5)
    resumed.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    for _ in range(12):
        optimizer.step(rosenbrock(x, optimizer))
        resumed.step(rosenbrock(other, resumed))
    assert x.tolist() == pytest.approx([1.0, 1.0], abs=1e-4)
    assert search is None or other.tolist() == x.tolist()


def test_datasets_side_by_side_and_in_a_chain():
    class Count(IterableDataset):
        def __init__(self, *items):
            self.items = items

        def __iter__(self):
            return iter(self.items)

        def __len__(self):
            return len(self.items)

    chain = ChainDataset([Count(1, 2), Count(3)])
    assert list(chain) == [1, 2, 3] and len(chain) == 3
    assert [b.tolist() for b in DataLoader(chain, batch_size=2)] == [[1, 2], [3]]
    rows = StackDataset(x=norch.arange(3), y=[5, 6, 7])
    assert len(rows) == 3
    batch = next(iter(DataLoader(rows, batch_size=3)))
    assert {key: value.tolist() for key, value in batch.items()} == {"x": [0, 1, 2], "y": [5, 6, 7]}


@pytest.mark.parametrize("cast", [None, norch.float32])
def test_a_function_under_autocast(cast):
    class Product(norch.Function):
        @staticmethod
        @custom_fwd(device_type="cpu", cast_inputs=cast)
        def forward(ctx, x, options):
            ctx.save_for_backward(x)
            seen.append((x @ x.T).dtype)
            return x * 2

        @staticmethod
        @custom_bwd(device_type="cpu")
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            seen.append((x @ x.T).dtype)
            return grad * 2, None

    seen = []
    x = norch.ones(2, 2, requires_grad=True)
    with norch.autocast("cpu"):
        y = Product.apply(x @ x, {"inner": [x]})
    y.float().sum().backward()
    assert seen == [cast or norch.bfloat16] * 2 and x.grad.dtype is norch.float32


@pytest.mark.parametrize("max_eval", [1, 3])
def test_lbfgs_search_ends_with_the_evaluations_that_a_step_may_make(max_eval):
    """The search counted to 25 by itself; as in PyTorch it gets what the step has left, and one."""
    x, calls = norch.tensor([1.9], dtype=norch.float64, requires_grad=True), []
    optimizer = LBFGS([x], lr=1e-3, max_iter=1, max_eval=max_eval, line_search_fn="strong_wolfe")

    def closure():
        calls.append(x.item())
        optimizer.zero_grad()
        loss = (x * x).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    assert len(calls) == 1 + max_eval
