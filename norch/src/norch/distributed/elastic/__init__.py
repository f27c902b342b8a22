"""The path to what scripts import of torchrun: `multiprocessing.errors`."""
