"""Edits of a tensor in its own storage, recorded like everything else."""
