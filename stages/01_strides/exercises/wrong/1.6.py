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
#: strides_of_the_target
#: where the sizes agree you give the stride of an array stored in the large shape. The small array
#: keeps its own strides.
    new = len(target) - len(shape)
    full = []
    step = 1
    for n in reversed(target):
        full.insert(0, step)
        step *= n
    return (0,) * new + tuple(full[new + i] if shape[i] == target[new + i] else 0 for i in range(len(shape)))
#: opposite_order
#: your strides come in the opposite order. Who goes through the shapes from the back has to turn
#: the answer round.
    out = []
    for i in range(len(target)):
        if i < len(shape) and shape[-1 - i] == target[-1 - i]:
            out.append(strides[-1 - i])
        else:
            out.append(0)
    return tuple(out)
#: dict_by_size
#: you look strides up by their size. Two dimensions may have the same size: what counts is the
#: place.
    by_size = dict(zip(shape, strides))
    return tuple(by_size.get(wanted, 0) if wanted != 1 else 0 for wanted in target)
#: divided
#: you work the stride out by dividing sizes. It comes out as 0 for small strides alone: a repeated
#: dimension has stride 0, whatever its old one is.
    new = len(target) - len(shape)
    return (0,) * new + tuple(s * n // w if w else 0 for n, s, w in zip(shape, strides, target[new:]))
#: whole_array_further
#: a new dimension advances by the whole small array. There is no second one to advance to: its
#: stride is 0.
    new = len(target) - len(shape)
    whole = shape[0] * strides[0] if shape else 1
    return (whole,) * new + tuple(s if n == w else 0 for n, s, w in zip(shape, strides, target[new:]))
#: never_backwards
#: you put 0 for a negative stride. An array that is read backwards is read backwards in the larger
#: shape too.
    new = len(target) - len(shape)
    return (0,) * new + tuple(max(0, s) if n == w else 0 for n, s, w in zip(shape, strides, target[new:]))
#: one_zero_for_all
#: you put one 0 for all the new dimensions. Each of them has a stride.
    new = len(target) - len(shape)
    front = (0,) if new else ()
    return front + tuple(s if n == w else 0 for n, s, w in zip(shape, strides, target[new:]))
#: rest_stands_still
#: behind a repeated dimension nothing advances any more. Each dimension is judged by itself.
    new = len(target) - len(shape)
    out = [0] * new
    for n, s, w in zip(shape, strides, target[new:]):
        if n != w:
            break
        out.append(s)
    return tuple(out + [0] * (len(target) - len(out)))
#: minus_zero
#: you count from the back with `-i`, and `-0` is the first. The last is `-1`.
    out = []
    for i in range(len(target)):
        inside = i < len(shape) and shape[-i] == target[-i]
        out.insert(0, strides[-i] if inside else 0)
    return tuple(out)
#: all_or_none
#: you repeat all dimensions as soon as one is repeated. Each is judged by itself: equal sizes keep
#: their stride.
    new = len(target) - len(shape)
    if shape == target[new:]:
        return (0,) * new + strides
    return (0,) * len(target)
#: same_rank_kept
#: you keep all strides where both shapes have as many dimensions. There a size of 1 is stretched
#: too.
    new = len(target) - len(shape)
    if not new:
        return tuple(strides)
    return (0,) * new + tuple(s if n == w else 0 for n, s, w in zip(shape, strides, target[new:]))
#: shifted
#: you compare with the FIRST sizes of the target. Shapes are lined up at their last dimension: the
#: new ones in front have no partner.
    new = len(target) - len(shape)
    return (0,) * new + tuple(s if n == w else 0 for n, s, w in zip(shape, strides, target))
#: none_for_new
#: you put None for a new dimension. A stride is a number of places: 0.
    new = len(target) - len(shape)
    return (None,) * new + tuple(s if n == w else 0 for n, s, w in zip(shape, strides, target[new:]))
#: last_alone
#: you look at the last size alone. Each dimension is judged by itself.
    new = len(target) - len(shape)
    if shape and shape[-1] == target[-1]:
        return (0,) * new + strides
    return (0,) * len(target)
