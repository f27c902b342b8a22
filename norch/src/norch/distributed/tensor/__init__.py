"""What PyTorch keeps beside its distributed tensors, which norch has none of: `parallel`."""
