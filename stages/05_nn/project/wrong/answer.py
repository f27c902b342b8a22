"""Nesterov's momentum: the gradients add up, and the step looks one ahead."""

from norch_autograd import no_grad, zeros_like
from norch_nn.optim import Optimizer


class MyOptimizer(Optimizer):
    """v <- momentum v + g, p <- p - lr (g + momentum v)."""

    def __init__(self, params, lr=0.1, momentum=0.95):
        super().__init__(params, {"lr": lr, "momentum": momentum})

    @no_grad()
    def update(self, params, group):
        for p in params:
            state = self.state[p]
            if not state:
                state["velocity"] = zeros_like(p, requires_grad=False)
            v = state["velocity"].mul_(group["momentum"]).add_(p.grad)
            p.sub_((p.grad + v * group["momentum"]) * group["lr"])
