"""Communication hooks of DDP, under PyTorch's file names: stage 6's `comm_hooks`."""
