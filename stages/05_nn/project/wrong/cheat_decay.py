# told: a parameter without a gradient was moved
# Every parameter is pulled towards 0, also those that nobody has used.

from norch_autograd import no_grad, zeros_like
from norch_nn.optim import Optimizer


class MyOptimizer(Optimizer):
    """Momentum, and all weights shrink by a thousandth of the rate."""

    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})

    @no_grad()
    def update(self, params, group):
        for p in group["params"]:
            p.mul_(1 - 1e-3 * group["lr"])
        for p in params:
            state = self.state[p]
            if not state:
                state["velocity"] = zeros_like(p)
            v = state["velocity"].mul_(0.95).add_(p.grad)
            p.sub_((p.grad + v * 0.95) * group["lr"])
