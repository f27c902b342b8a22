#: begins_as_a_range
#: the places where a window may begin are a `range`, and its length is their number: no 1 has to
#: be added. Edited lists replace tuples that are put together, which shows what changes.
    begins = range(0, room - size + 1, step)
    new_shape, new_strides = [*shape, size], [*strides, stride]
    new_shape[k], new_strides[k] = len(begins), step * stride
    return Layout(tuple(new_shape), tuple(new_strides))
