"""The whole model on every rank: the data split, gradients averaged in buckets, joint statistics.

Models that are split among the ranks themselves: `norch_ddp.model_parallel`.
"""
