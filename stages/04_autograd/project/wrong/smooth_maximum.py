"""The larger of two numbers, without a corner where they are equal: project 4.

It begins as its definition. Every operation in it is the library's, so it has a derivative already;
now make it an operation of its own.
"""

from norch_autograd import Tensor, sqrt


def smooth_maximum(x: Tensor, y: Tensor) -> Tensor:
    """(x + y + sqrt((x - y)^2 + 1)) / 2, broadcast."""
    return (x + y + sqrt((x - y) ** 2 + 1)) / 2
