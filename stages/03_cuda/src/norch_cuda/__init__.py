"""The same operations as cuda c++ kernels, which also run without a gpu."""
