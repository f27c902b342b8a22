"""What carries tensors between ranks: by MPI, between GPUs, inline with a statement, or not at all.

`process_group` chooses by device; `Transport` says what all of them can do.
"""
