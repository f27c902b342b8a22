# told: what points the same way in every step should add up
# Adam, whose steps are as long in every coordinate: no axis lies along the valley.

from norch_autograd import no_grad, zeros_like
from norch_nn.optim import Optimizer


class MyOptimizer(Optimizer):
    """p <- p - lr m / sqrt(v), both corrected."""

    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})

    @no_grad()
    def update(self, params, group):
        for p in params:
            state = self.state[p]
            if not state:
                state.update(step=0, m=zeros_like(p), v=zeros_like(p))
            state["step"] += 1
            m = state["m"].mul_(0.9).add_(p.grad, alpha=0.1)
            v = state["v"].mul_(0.999).add_(p.grad * p.grad, alpha=0.001)
            t = state["step"]
            length = (v / (1 - 0.999**t)).sqrt() + 1e-8
            p.sub_(m / (1 - 0.9**t) / length * group["lr"])
