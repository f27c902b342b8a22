"""The Accelerator between real processes: one launch for each number of ranks, one test a case."""

import sys

import pytest

from norch_extras.accelerate import Accelerator

PROGRAM = "accelerate.py"


@pytest.fixture(scope="module", params=[1, 2, 4], ids=lambda ranks: f"{ranks}-ranks")
def ranks(request):
    return request.param


def test_accelerate(ended, case):
    assert f"ok {case}" in ended.out.splitlines(), ended.out + ended.err


def test_all_ranks_leave_quietly(ended):
    assert (ended.code, ended.err) == (0, "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mixed_precision": "fp8"}, "mixed_precision 'fp8' is unknown: use one of no, bf16, fp16"),
        ({"gradient_accumulation_steps": 0}, "must be 1 or more, not 0"),
        ({"gradient_accumulation_steps": True}, "must be 1 or more, not True"),
        ({"log_with": "wandb"}, "tracker 'wandb' is unknown: use 'jsonl'"),
    ],
)
def test_bad_options_are_refused(command, options, message):
    text = f"from norch_extras.accelerate import Accelerator; Accelerator(cpu=True, **{options!r})"
    ended = command([sys.executable, "-c", text])
    assert ended.code == 1 and f"ValueError: [Accelerator] {message}" in ended.err.replace(
        "[Accelerator] gradient_accumulation_steps ", "[Accelerator] "
    )


def test_a_state_of_other_processes_is_refused(launch, script, tmp_path):
    text = (
        "import sys\nfrom norch_extras.accelerate import Accelerator\nfrom norch_nn import Linear\n"
        "accelerator = Accelerator(cpu=True)\naccelerator.prepare(Linear(1, 1))\n"
        "getattr(accelerator, sys.argv[1])(sys.argv[2])\n"
    )
    program = script(text)
    assert launch(2, program, "save_state", tmp_path).code == 0
    ended = launch(1, program, "load_state", tmp_path)
    assert ended.code == 1
    assert "saved by 2 processes, loaded by 1" in ended.err


def test_only_the_main_process_prints(launch, script):
    text = "from norch_extras.accelerate import Accelerator\nAccelerator(cpu=True).print('once')\n"
    assert launch(3, script(text)).out == "once\n"


def test_alone_needs_no_mpi(command):
    text = (
        "import sys; from norch_extras.accelerate import Accelerator; Accelerator(cpu=True);"
        "sys.exit('mpi4py' in sys.modules)"
    )
    assert command([sys.executable, "-c", text]).code == 0
    assert Accelerator.__doc__
