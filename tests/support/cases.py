"""Runs the `case_` functions of a rank program; started by the launcher, reported line by line.

With NORCH_TEST_DEVICE=cuda-sim or cuda every tensor is there, and a stand-in for NCCL carries it.
"""

import math
import os

import norch_ddp as dist
from norch_autograd import Tensor, set_default_device, tensor


def run_all(names):
    """Call every case on every rank; rank 0 says "ok NAME" when all ranks have passed it."""
    prepare()
    dist.init_process_group(timeout=80)
    for name, case in list(names.items()):
        if name.startswith("case_"):
            case(dist.get_rank(), dist.get_world_size())
            dist.barrier()
            if dist.get_rank() == 0:
                print("ok", name.removeprefix("case_"))
    dist.destroy_process_group()


def prepare():
    """Choose the device of all tensors to come."""
    device = os.environ.get("NORCH_TEST_DEVICE")
    if device:
        import nccl_double

        nccl_double.install(device)
        set_default_device(device)


def numbers(*shape, start=0, dtype=None):
    """start, start + 1, ... in a shape."""
    count = math.prod(shape)
    made = tensor([float(start + i) for i in range(count)]).reshape(shape)
    return made if dtype is None else made.to(dtype)


def expect(actual, expected):
    """Compare a tensor with another, or with nested lists, exactly."""
    expected = expected.tolist() if isinstance(expected, Tensor) else expected
    assert actual.tolist() == expected, f"{actual.tolist()} instead of {expected}"


def raises(kind, text, call, *args, **kwargs):
    """The call raises exactly this kind of error, with this text in it."""
    try:
        call(*args, **kwargs)
    except Exception as error:
        assert type(error) is kind, f"{type(error).__name__} instead of {kind.__name__}: {error}"
        assert text in str(error), f"{text!r} is not in {error}"
    else:
        raise AssertionError(f"{call} did not raise")
