"""The article's tour of strides: reshape and transpose only change how memory is walked."""

import ctypes

import norch

t = norch.rand([5, 4, 8])

print(t.shape)
# [5, 4, 8]

print(t.stride())
# [32, 8, 1]

new_t = t.reshape([4, 5, 2, 2, 2])

print(new_t.shape)
# [4, 5, 2, 2, 2]

print(new_t.stride())
# [40, 8, 4, 2, 1]


def print_internal(t: norch.Tensor):
    """Print the memory of a tensor, in the order in which it lies there."""
    print(
        norch.frombuffer(
            ctypes.string_at(t.data_ptr(), t.nbytes), dtype=t.dtype
        )
    )


print_internal(t)
# [0.0752, 0.5898, 0.3930, 0.9577, 0.2276, 0.9786, 0.1009, 0.138, ...

print_internal(new_t)
# [0.0752, 0.5898, 0.3930, 0.9577, 0.2276, 0.9786, 0.1009, 0.138, ...

t = norch.arange(0, 24).reshape(2, 3, 4)
print(t)

print(t.shape)
# [2, 3, 4]

print(t.stride())
# [12, 4, 1]

new_t = t.transpose(0, 1)
print(new_t)

print(new_t.shape)
# [3, 2, 4]

print(new_t.stride())
# [4, 12, 1]

print_internal(t)
# [ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]

print_internal(new_t)
# [ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]

print(t.is_contiguous())
# True

print(new_t.is_contiguous())
# False

new_t_contiguous = new_t.contiguous()

print(new_t_contiguous.is_contiguous())
# True

print(new_t)
print_internal(new_t)
# [ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]

print_internal(new_t_contiguous)
# [ 0, 1, 2, 3, 12, 13, 14, 15, 4, 5, 6, 7, 16, 17, 18, 19, 8, 9, 10, 11, 20, 21, 22, 23]
