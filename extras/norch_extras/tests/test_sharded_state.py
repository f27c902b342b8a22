"""State_dicts of models that are cut, between real processes: one test a case."""

import pytest

from norch_extras.sharded_state import StateDictOptions, get_model_state_dict
from norch_nn import Linear

PROGRAM = "sharded_state.py"


@pytest.fixture(scope="module", params=[2, 4], ids=lambda ranks: f"{ranks}-ranks")
def ranks(request):
    return request.param


def test_sharded_state(ended, case):
    assert f"ok {case}" in ended.out.splitlines(), ended.out + ended.err


def test_all_ranks_leave_quietly(ended):
    assert (ended.code, ended.err) == (0, "")


def test_frozen_parameters_may_be_left_out():
    layer = Linear(2, 1)
    layer.bias.requires_grad_(False)
    options = StateDictOptions(ignore_frozen_params=True)
    assert list(get_model_state_dict(layer, options=options)) == ["weight"]
