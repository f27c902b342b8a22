# told: imports norch_autograd
# The library's own engine, with the names changed.

from norch_autograd import tensor as make


def tensor(data, requires_grad=False):
    """Return a tensor that somebody else wrote."""
    return make(data, requires_grad=requires_grad)
