"""Communication hooks of DDP, under PyTorch's file names: stage 6's `algorithms.comm_hooks`."""
