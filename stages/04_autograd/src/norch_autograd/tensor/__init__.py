"""`Tensor`: the class that gathers the operations as methods."""
