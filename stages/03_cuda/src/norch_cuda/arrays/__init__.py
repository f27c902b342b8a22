"""Arrays on a device, and the dtype that an operation on them gives."""
