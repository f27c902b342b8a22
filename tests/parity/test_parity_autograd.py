"""Views, edits, backward, hooks, Function, modes: whole programs, shown by both libraries alike."""

import autograd_backward
import autograd_calls
import autograd_checkpoint
import autograd_edits
import autograd_function
import autograd_grad
import autograd_hooks
import autograd_modes
import autograd_outputs
import autograd_saved
import autograd_views
import autograd_whole
import autograd_writes
import pytest
from shown import programs, shown_by

import norch

ALL = programs(
    autograd_backward,
    autograd_calls,
    autograd_checkpoint,
    autograd_edits,
    autograd_function,
    autograd_grad,
    autograd_hooks,
    autograd_modes,
    autograd_outputs,
    autograd_saved,
    autograd_views,
    autograd_whole,
    autograd_writes,
)


@pytest.mark.parametrize("program", ALL, ids=lambda program: program.__name__)
def test_both_show_the_same(program):
    import torch

    assert shown_by(program, norch) == shown_by(program, torch)
