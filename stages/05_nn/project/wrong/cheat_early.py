# told: remember something at its first step
# Room for every parameter is taken before anybody knows who gets a gradient.

from norch_autograd import no_grad, zeros_like
from norch_nn.optim import Optimizer


class MyOptimizer(Optimizer):
    """Momentum."""

    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["velocity"] = zeros_like(p)

    @no_grad()
    def update(self, params, group):
        for p in params:
            v = self.state[p]["velocity"].mul_(0.95).add_(p.grad)
            p.sub_((p.grad + v * 0.95) * group["lr"])
