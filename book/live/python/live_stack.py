"""How deep C code may call itself in a page: a browser gives a worker far less stack than a system.

Python counts the calls of its C code that lead to each other (a `__repr__` that asks for the
`repr` of another, `json` in a nested list), and raises a RecursionError at 10,000. Chromium's
workers have half a MiB of stack, which 400 of the largest calls fill, and a browser that meets the
end of it ends Python. So a thread starts with fewer. Calls of Python functions among themselves
take no stack, and keep their own limit of 1000.
"""

import ctypes
import sys

USUAL = 10_000  # what Python 3.13 begins with
DEEPEST = 250  # 300 hold in Chromium and in Firefox
FAR = 123_457  # a limit that no other number beside it is


def bound() -> None:
    """Lower the count of this interpreter; to do it again does nothing."""
    thread = ctypes.pythonapi.PyThreadState_Get
    thread.restype = ctypes.c_void_p
    state = (ctypes.c_int * 32).from_address(thread())
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(FAR)
    place = list(state).index(FAR) + 1  # CPython: py_recursion_limit, c_recursion_remaining
    sys.setrecursionlimit(before)
    if DEEPEST < state[place] <= USUAL:
        state[place] -= USUAL - DEEPEST
