#: range_of_the_size
#: `range(size)[i]` knows Python's rules: it counts a negative index from the back and raises
#: IndexError. That is shorter; the error names neither the dimension nor its size.
    steps = zip(idx, layout.shape, layout.strides, strict=True)
    return layout.offset + sum(range(size)[i] * stride for i, size, stride in steps)
