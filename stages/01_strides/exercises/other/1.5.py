#: sliced_range
#: a `range` is sliced as the dimension is, and Python keeps the account: its length, first number
#: and step are those of the view. That does without `slice_range`; edited copies replace tuples
#: that are put together.
    kept = range(shape[k])[start:stop:step]
    new_shape, new_strides = list(shape), list(strides)
    jump = kept.step if len(kept) > 1 or abs(kept.step) < 2**31 else 1  # or no stride holds it
    new_shape[k], new_strides[k] = len(kept), strides[k] * jump
    first = kept.start if kept else 0
    return Layout(tuple(new_shape), tuple(new_strides), offset + first * strides[k])
