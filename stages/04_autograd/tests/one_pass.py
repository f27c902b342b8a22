"""Which files one small backward pass enters, in the order of their first call, a line each.

test_core.py runs this with the C++ core and without it and compares the lines with the README. The
pass is the first one of its process: later ones find some answers of stage 1 remembered.
"""

import sys

import norch_autograd as norch
from norch_autograd.types.core import core_status


def entered(run):
    """The modules of norch whose functions a call enters, the first entered first."""
    modules = {}

    def note(frame, event, _):
        if event == "call":
            modules.setdefault(frame.f_globals.get("__name__", ""))

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return [name for name in modules if name.startswith("norch_")]


def main():
    """Print whether the core was used, and the files: those of stage 4 without its name."""
    a = norch.ones(3, 4, requires_grad=True)
    b = norch.ones(4, 2, requires_grad=True)
    modules = entered(lambda: (a @ b).sum().backward())
    assert a.grad.tolist() == [[2, 2, 2, 2]] * 3 and b.grad.tolist() == [[3, 3]] * 4
    print(core_status())
    for name in modules:
        print(name.removeprefix("norch_autograd.").replace(".", "/") + ".py")


if __name__ == "__main__":
    main()
