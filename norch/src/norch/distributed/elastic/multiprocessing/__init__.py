"""The path to what scripts import of torchrun: `errors`."""
