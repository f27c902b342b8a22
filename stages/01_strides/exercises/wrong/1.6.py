#: keeps_stride | drops: A dimension that is repeated
#: you kept the stride of the repeated dimension. A repeated dimension must not advance: its stride
#: is 0.
    new = len(target) - len(shape)
    return (0,) * new + tuple(strides)
#: aligned_left | drops: Line the shapes up at their LAST dimension
#: you lined the shapes up at their first dimension. Broadcasting lines them up at the LAST one;
#: new dimensions stand in front.
    padded = (*shape, *(1,) * (len(target) - len(shape)))
    kept = (*strides, *(0,) * (len(target) - len(shape)))
    return tuple(stride if size == wanted else 0 for size, stride, wanted in zip(padded, kept, target))
#: new_advance | drops: one that the small array does not have at all
#: the new dimensions in front advance by 1. The small array has nothing there to advance to: their
#: stride is 0.
    new = len(target) - len(shape)
    kept = zip(shape, strides, target[new:], strict=True)
    return (1,) * new + tuple(stride if size == wanted else 0 for size, stride, wanted in kept)
#: new_missing | drops: walks through the larger shape
#: you gave strides for the dimensions of the small array alone. The larger shape wants one for
#: each of its own.
    new = len(target) - len(shape)
    kept = zip(shape, strides, target[new:], strict=True)
    return tuple(stride if size == wanted else 0 for size, stride, wanted in kept)
#: all_zero
#: nothing advances at all. A dimension that both shapes have in the same size is walked as before.
    new = len(target) - len(shape)
    kept = zip(shape, strides, target[new:], strict=True)
    return (0,) * new + tuple(0 for size, stride, wanted in kept)
#: new_behind
#: you put the new dimensions behind the old ones. Shapes are lined up at their last dimension: the
#: new ones come first.
    new = len(target) - len(shape)
    kept = zip(shape, strides, target[new:], strict=True)
    return tuple(stride if size == wanted else 0 for size, stride, wanted in kept) + (0,) * new
#: turned_around
#: you repeat the dimensions that agree and walk along those that are repeated. It is the other way
#: round: equal sizes keep the stride.
    new = len(target) - len(shape)
    kept = zip(shape, strides, target[new:], strict=True)
    return (0,) * new + tuple(stride if size != wanted else 0 for size, stride, wanted in kept)
#: dense_target
#: you give the strides of an array of the large shape. Nothing of that size is stored: a repeated
#: dimension stands still, with stride 0.
    found, step = [], 1
    for size in reversed(target):
        found.append(step)
        step *= size
    return tuple(reversed(found))
#: one_for_zero
#: a repeated dimension advances by 1, into the neighbour. The same element is to be met again: its
#: stride is 0.
    new = len(target) - len(shape)
    kept = zip(shape, strides, target[new:], strict=True)
    return (0,) * new + tuple(stride if size == wanted else 1 for size, stride, wanted in kept)
#: strides_kept
#: the strides of new dimensions repeat the first one's. They do not move at all: stride 0.
    new = len(target) - len(shape)
    kept = zip(shape, strides, target[new:], strict=True)
    return strides[:1] * new + tuple(stride if size == wanted else 0 for size, stride, wanted in kept)
#: only_larger
#: you let a dimension stand still only where the target is larger. A size of 1 may be stretched to
#: 0 as well: sizes that differ have the stride 0.
    new = len(target) - len(shape)
    kept = zip(shape, strides, target[new:], strict=True)
    return (0,) * new + tuple(stride if size >= wanted else 0 for size, stride, wanted in kept)
#: found_by_size
#: you look for a dimension of the same size, wherever it stands. Shapes are lined up at their last
#: dimension: each size of the target has its place.
    return tuple(strides[shape.index(size)] if size in shape else 0 for size in target)
#: dense_strides
#: you give the strides of an array stored row after row. The small array may be a view: where it
#: walks, it keeps its own strides.
    new = len(target) - len(shape)
    found, step = [], 1
    for size, wanted in zip(reversed(shape), reversed(target), strict=False):
        found.append(step if size == wanted else 0)
        step *= size
    return (0,) * new + tuple(reversed(found))
#: without_sign
#: you dropped the sign of a stride. An array that is read backwards is read backwards in the larger
#: shape too.
    new = len(target) - len(shape)
    kept = zip(shape, strides, target[new:], strict=True)
    return (0,) * new + tuple(abs(stride) if size == wanted else 0 for size, stride, wanted in kept)
#: none_is_all
#: an array without dimensions makes you stumble: `target[-0:]` is the whole target, not its end.
#: Count from the front how many dimensions are new.
    ndim = len(shape)
    kept = zip(shape, strides, target[-ndim:], strict=True)
    found = tuple(stride if size == wanted else 0 for size, stride, wanted in kept)
    return (0,) * (len(target) - ndim) + found
#: ones_for_0
#: you take a stride of 0 for a missing one and put 1. A dimension that stood still already goes on
#: doing so.
    new = len(target) - len(shape)
    kept = zip(shape, strides, target[new:], strict=True)
    return (0,) * new + tuple((stride or 1) if size == wanted else 0 for size, stride, wanted in kept)
#: all_or_nothing
#: you let everything stand still as soon as the shapes differ. Each dimension is asked by itself:
#: where the sizes agree, it is walked as before.
    return strides if shape == target else (0,) * len(target)
#: last_stride_kept
#: the last dimension keeps its stride, whatever its size is. It may be repeated as well.
    new = len(target) - len(shape)
    kept = zip(shape[:-1], strides[:-1], target[new:-1], strict=True)
    return (0,) * new + tuple(stride if size == wanted else 0 for size, stride, wanted in kept) + strides[-1:]
