"""Modules, losses, optimizers, data, vision."""
