"""Elements read and written by index: slices, index tensors, masks."""
