"""PyTorch's folder of quantization: `norch.ao.quantization`, `norch.ao.nn.quantized.dynamic`."""

from norch.ao import quantization as quantization
