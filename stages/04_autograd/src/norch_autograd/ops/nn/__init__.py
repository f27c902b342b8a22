"""The fused operations of neural networks, each beside its reference."""
