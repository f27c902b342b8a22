"""Names that PyTorch keeps for older scripts, and what norch computes with."""
