"""PyTortto's quick start: one expression of many functions, and a convolution with every option.

Where PyTorch is installed, the convolution is compared with PyTorch's.
"""

from importlib.util import find_spec

import numpy as np

import norch as tt
import norch.nn as nn

x = tt.tensor([[1.1, 2.0, 3.6], [4.7, 3.14, 2.718]], requires_grad=True)
y = tt.tensor([[2., 3.99], [8.4, 1.5], [2.5, 7.8]], requires_grad=True)
output = tt.tanh(1/(tt.cat([tt.sin((tt.exp(x ** 1.4) / 3.1 ** tt.log(x)) @ y), y]).mean()))
output.backward()

print(output)
print(x.grad)
print(y.grad)

weight = np.random.randn(16, 2, 3, 2).astype('f')
bias = np.random.randn(16).astype('f')
data = np.random.randn(128, 4, 64, 64).astype('f')
grad = np.random.randn(128, 16, 66, 23).astype('f')

m = nn.Conv2d(in_channels=4,
              out_channels=16,
              kernel_size=(3, 2),
              stride=(1, 3),
              padding=(2, 3),
              dilation=(1, 2),
              groups=2,
              bias=True,
              padding_mode='zeros')
m.weight.data = tt.tensor(weight)  # replace weight and bias
m.bias.data = tt.tensor(bias)
x = tt.tensor(data, requires_grad=True)
y = m(x)
y.backward(tt.tensor(grad))

print(tuple(y.shape), tuple(x.grad.shape), tuple(m.weight.grad.shape), tuple(m.bias.grad.shape))

if find_spec("torch"):
    import torch

    m_torch = torch.nn.Conv2d(in_channels=4,
                              out_channels=16,
                              kernel_size=(3, 2),
                              stride=(1, 3),
                              padding=(2, 3),
                              dilation=(1, 2),
                              groups=2,
                              bias=True,
                              padding_mode='zeros')
    m_torch.weight.data = torch.tensor(weight)  # replace weight and bias
    m_torch.bias.data = torch.tensor(bias)
    x_torch = torch.tensor(data, requires_grad=True)
    y_torch = m_torch(x_torch)
    y_torch.backward(torch.tensor(grad))

    print(np.allclose(y.detach().numpy(), y_torch.detach().numpy(), atol=1e-5, rtol=1e-5))  # output
    # True

    print(np.allclose(x.grad, x_torch.grad.detach().numpy(), atol=1e-5, rtol=1e-5))  # input grad
    # True

    print(np.allclose(m.weight.grad, m_torch.weight.grad.detach().numpy(), atol=1e-5, rtol=1e-3))  # weight grad
    # True

    print(np.allclose(m.bias.grad, m_torch.bias.grad.detach().numpy(), atol=1e-5, rtol=1e-3))  # bias grad
    # True
