"""norch: PyTorch rebuilt from scratch, one idea per package."""
