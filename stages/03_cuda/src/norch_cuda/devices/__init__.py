"""Devices by name, and what a user asks of one: kernels, memory, streams."""
