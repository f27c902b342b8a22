"""PyNorch's first steps: a matrix product, its gradients, and a small model."""

import norch
import norch.nn as nn

device = "cuda" if norch.cuda.is_available() else "cpu"

x1 = norch.Tensor([[1, 2],
                   [3, 4]], requires_grad=True)

x2 = norch.Tensor([[4, 3],
                   [2, 1]], requires_grad=True)

x3 = x1.to(device) @ x2.to(device)
result = x3.sum()
result.backward()

print(x1.grad)


class MyModel(nn.Module):
    """One input, ten hidden units, one output."""

    def __init__(self):
        """Make the layers."""
        super(MyModel, self).__init__()
        self.fc1 = nn.Linear(1, 10)
        self.sigmoid = nn.Sigmoid()
        self.fc2 = nn.Linear(10, 1)

    def forward(self, x):
        """Predict (N, 1) from (N, 1)."""
        out = self.fc1(x)
        out = self.sigmoid(out)
        out = self.fc2(out)

        return out


print(MyModel())
