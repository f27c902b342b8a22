"""Whole programs in both libraries, what no single expression shows: a few lines at a time, and all
of autograd (views, edits, backward, hooks, Function, modes), where both must show the same.
"""

import autograd_backward
import autograd_calls
import autograd_edits
import autograd_function
import autograd_grad
import autograd_hooks
import autograd_modes
import autograd_saved
import autograd_views
import autograd_whole
import cases_arguments
import cases_layers
import cases_programs
import cases_training
import pytest
from checks import check_program
from shown import programs, shown_by

import norch

SHORT = [
    *cases_programs.PROGRAMS,
    *cases_layers.PROGRAMS,
    *cases_training.PROGRAMS,
    *cases_programs.DISTRIBUTION_PROGRAMS,
    *cases_arguments.PROGRAMS,
]


@pytest.mark.parametrize("text", [pytest.param(t, id=t.partition("\n")[0][2:]) for t in SHORT])
def test_program(text):
    check_program(text)


ALL = programs(
    autograd_backward,
    autograd_calls,
    autograd_edits,
    autograd_function,
    autograd_grad,
    autograd_hooks,
    autograd_modes,
    autograd_saved,
    autograd_views,
    autograd_whole,
)


@pytest.mark.parametrize("program", ALL, ids=lambda program: program.__name__)
def test_both_show_the_same(program):
    import torch

    assert shown_by(program, norch) == shown_by(program, torch)
