"""MyTorch's basic usage: a sum, a square, and how the one changes with the other."""

import numpy as np

import norch as mytorch
from norch import Tensor

a = Tensor(np.ones((1,)), requires_grad=True)
b = a + 2
c = b**2

print(c)

c.backward()
print(a.grad)

tensor = mytorch.Tensor(np.array([1, 2, 3]), requires_grad=True)
print(tensor)
