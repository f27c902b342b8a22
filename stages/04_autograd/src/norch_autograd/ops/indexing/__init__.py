"""Elements chosen by number: slices, index tensors, masks."""
