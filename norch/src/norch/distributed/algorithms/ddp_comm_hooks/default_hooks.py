"""Gradients as they are, or in half types: re-exported from stage 6, `norch_ddp.data_parallel`."""

from norch_ddp.data_parallel.comm_hooks import (
    allreduce_hook as allreduce_hook,
    bf16_compress_hook as bf16_compress_hook,
    fp16_compress_hook as fp16_compress_hook,
)
