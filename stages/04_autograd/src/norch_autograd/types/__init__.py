"""What values are made of: dtypes, devices, sizes, memory formats, and the modes of a thread."""
