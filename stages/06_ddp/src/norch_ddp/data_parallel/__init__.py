"""One model in every process: gradients averaged in buckets, data dealt out, joined statistics.

Models that do not fit in one process: `norch_ddp.parallel`.
"""
