"""Calls that all ranks make together, and messages between two: of tensors, and of objects.

A call is compared with every rank's before data moves; `transports` carries the data.
"""
