"""Hooks of modules: around the forward, the backward and the state_dict."""

import copy
import pickle

import pytest

import norch_autograd as norch
import norch_nn as nn


def note(log, name, result=None):
    def hook(*args):
        log.append(name)
        return result(*args) if result else None

    return hook


def test_hooks_run_in_order_and_prepend_comes_first():
    layer, log = nn.Identity(), []
    layer.register_forward_pre_hook(note(log, "a"))
    layer.register_forward_pre_hook(note(log, "b"), prepend=True)
    layer.register_forward_hook(note(log, "c"))
    layer.register_forward_hook(note(log, "d"), prepend=True)
    layer(norch.ones(1))
    assert log == ["b", "a", "d", "c"]


def test_hooks_may_see_and_change_keyword_arguments():
    class Scale(nn.Module):
        def forward(self, x, factor=1):
            return x * factor

    layer = Scale()
    layer.register_forward_pre_hook(
        lambda m, args, kwargs: (args, {"factor": kwargs["factor"] + 1}), with_kwargs=True
    )
    layer.register_forward_hook(
        lambda m, args, kwargs, out: out + kwargs["factor"], with_kwargs=True
    )
    assert layer(10, factor=2) == 33
    layer.register_forward_pre_hook(lambda m, args, kwargs: 3, with_kwargs=True)
    with pytest.raises(RuntimeError, match=r"must return None or \(args, kwargs\)"):
        layer(1, factor=1)


def test_a_hook_for_all_weathers_runs_after_an_error():
    class Broken(nn.Module):
        def forward(self, x):
            raise ZeroDivisionError

    layer, log = Broken(), []
    layer.register_forward_hook(note(log, "never"))
    layer.register_forward_hook(note(log, "always"), always_call=True)
    with pytest.raises(ZeroDivisionError):
        layer(1)
    assert log == ["always"]


def test_full_backward_hooks_see_the_gradients_of_inputs_and_outputs():
    layer, seen = nn.Linear(3, 2), []
    layer.register_full_backward_pre_hook(lambda m, go: seen.append(("pre", go)))
    layer.register_full_backward_hook(lambda m, gi, go: seen.append(("full", gi, go)))
    x = norch.randn(4, 3, requires_grad=True)
    (layer(x) * 2).sum().backward()
    (_, before), (_, grad_input, grad_output) = seen
    assert norch.equal(before[0], norch.full((4, 2), 2.0)) and norch.equal(
        grad_output[0], before[0]
    )
    assert norch.equal(grad_input[0], x.grad)
    assert norch.allclose(x.grad, norch.full((4, 2), 2.0) @ layer.weight)


def test_full_backward_hooks_replace_gradients():
    first, second = nn.Identity(), nn.Identity()
    first.register_full_backward_hook(lambda m, gi, go: (gi[0] * 10,))
    second.register_full_backward_pre_hook(lambda m, go: (go[0] + 1,))
    x = norch.ones(2, requires_grad=True)
    first(second(first(x))).sum().backward()
    assert x.grad.tolist() == [110.0, 110.0]


def test_without_an_input_that_learns_the_hook_runs_behind_the_module():
    layer, seen = nn.Linear(2, 1), []
    handle = layer.register_full_backward_hook(lambda m, gi, go: seen.append((gi, go[0].tolist())))
    layer(norch.ones(1, 2)).sum().backward()
    assert seen == [((None,), [[1.0]])]
    handle.remove()
    layer(norch.ones(1, 2)).sum().backward()
    assert len(seen) == 1


def test_a_hook_that_returns_too_many_gradients_is_refused():
    layer = nn.Identity()
    layer.register_full_backward_hook(lambda m, gi, go: (gi[0], gi[0]))
    x = norch.ones(1, requires_grad=True)
    with pytest.raises(RuntimeError, match="returned 2 gradients, 1 are expected"):
        layer(x).backward()
    assert x.grad is None


def test_backward_hooks_take_part_in_second_derivatives():
    layer = nn.Tanh().double()
    layer.register_full_backward_hook(lambda m, gi, go: (gi[0] * 3,))
    x = norch.tensor([0.3], dtype=norch.float64, requires_grad=True)
    (first,) = norch.grad(layer(x), x, create_graph=True)
    (second,) = norch.grad(first, x)
    y = norch.tanh(x.detach())
    assert norch.allclose(first, 3 * (1 - y * y))
    # the gate stands in the graph of the first derivative too, and is passed again
    assert abs(second.item()) >= abs((-6 * y * (1 - y * y)).item()) - 1e-12


def test_state_dict_hooks_edit_what_is_saved_and_loaded():
    model, log = nn.Sequential(nn.Linear(2, 1)), []
    model[0].register_state_dict_pre_hook(lambda m, prefix, keep: log.append(prefix))
    model[0].register_state_dict_post_hook(
        lambda m, state, prefix, meta: state.update({prefix + "w": state.pop(prefix + "weight")})
    )
    saved = model.state_dict()
    assert list(saved) == ["0.bias", "0.w"] and log == ["0."]

    def rename(module, state, prefix, meta, strict, missing, unexpected, errors):
        state[prefix + "weight"] = state.pop(prefix + "w")

    other = nn.Sequential(nn.Linear(2, 1))
    other[0].register_load_state_dict_pre_hook(rename)
    other.register_load_state_dict_post_hook(lambda m, keys: log.append(keys.missing_keys))
    other.load_state_dict(saved)
    assert norch.equal(other[0].weight, model[0].weight) and "0.w" in saved and log[-1] == []


def test_a_hook_can_refuse_a_state_dict():
    model = nn.Linear(1, 1)
    model.register_load_state_dict_pre_hook(lambda *args: args[-1].append("too old"))
    before = model.weight.clone()
    with pytest.raises(RuntimeError, match="too old"):
        model.load_state_dict(nn.Linear(1, 1).state_dict())
    assert norch.equal(before, model.weight)


def test_an_overridden_state_dict_of_a_child_is_asked():
    class Quiet(nn.Linear):
        def state_dict(self, *, destination=None, prefix="", keep_vars=False):
            return {} if destination is None else destination

    assert list(nn.Sequential(Quiet(1, 1), nn.Linear(1, 1)).state_dict()) == ["1.weight", "1.bias"]


def test_half_and_type_cast_all_and_only_what_they_should():
    model = nn.BatchNorm1d(2)
    assert model.half().weight.dtype is norch.float16 is model.running_mean.dtype
    assert model.bfloat16().weight.dtype is norch.bfloat16
    assert model.num_batches_tracked.dtype is norch.int64
    assert model.type(norch.float64).num_batches_tracked.dtype is norch.float64


def test_members_are_found_by_their_path():
    model = nn.Sequential(nn.Sequential(nn.BatchNorm1d(2)))
    assert model.get_parameter("0.0.weight") is model[0][0].weight
    assert model.get_buffer("0.0.running_mean") is model[0][0].running_mean
    assert model.get_submodule("") is model and model.get_submodule("0.0") is model[0][0]
    for call, words in [
        (lambda: model.get_parameter("0.0.mean"), "has no parameter 'mean'"),
        (lambda: model.get_buffer("0.0.weight"), "has no buffer 'weight'"),
        (lambda: model.get_submodule("0.1"), "has no module '1'"),
    ]:
        with pytest.raises(AttributeError, match=words):
            call()


def test_a_model_with_hooks_is_copied_and_pickled():
    model = nn.Linear(2, 1)
    model.register_forward_hook(double)
    x = norch.ones(1, 2)
    for copied in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert norch.equal(copied(x), model(x))


def double(module, args, output):
    return output * 2
