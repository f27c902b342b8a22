"""MyTorch's basic usage: a sum, a square, and how the one changes with the other."""

import numpy as np

from norch import Tensor

a = Tensor(np.ones((1,)), requires_grad=True)
b = a + 2
c = b**2

print(c)

c.backward()
print(a.grad)
