"""Whole CUDA programs on the CPU: norch-nvcc builds them, `python -m norch_cuda run` runs them."""
