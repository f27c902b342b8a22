# told: they cost memory
# The mean of the last eight gradients, all of which are kept.

from norch_autograd import no_grad, stack
from norch_nn.optim import Optimizer


class MyOptimizer(Optimizer):
    """p <- p - lr (g_t + ... + g_(t-7))."""

    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})

    @no_grad()
    def update(self, params, group):
        for p in params:
            state = self.state[p]
            known = [state[f"g{i}"] for i in range(8) if f"g{i}" in state]
            known = [p.grad.clone(), *known][:8]
            state.update({f"g{i}": g for i, g in enumerate(known)})
            p.sub_(stack(known).sum(0) * group["lr"])
