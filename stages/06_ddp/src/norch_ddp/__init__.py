"""Many processes, one model: collectives, ddp, launcher."""
