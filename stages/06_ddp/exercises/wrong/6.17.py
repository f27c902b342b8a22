#: both_covered | drops: the block that two blocks of one tensor have in common
#: you return the smallest block that covers both. What they share begins at the later start and
#: ends at the earlier end.
        starts = tuple(map(min, self.starts, other.starts))
        ends = [max(a + n, b + m) for a, n, b, m in zip(*self, *other, strict=True)]
        lengths = tuple(end - start for start, end in zip(starts, ends, strict=True))
        return Box(starts, lengths) if all(length > 0 for length in lengths) else None
#: ends_returned | drops: `starts` and `lengths`
#: you return where the block ends. The second tuple of a Box is its lengths.
        starts = tuple(map(max, self.starts, other.starts))
        ends = [min(a + n, b + m) for a, n, b, m in zip(*self, *other, strict=True)]
        lengths = tuple(end - start for start, end in zip(starts, ends, strict=True))
        return Box(starts, tuple(ends)) if all(length > 0 for length in lengths) else None
#: first_dimension | drops: one number for each dimension
#: you look at the first dimension alone. Blocks of the same rows may have other columns.
        start = max(self.starts[0], other.starts[0])
        end = min(self.starts[0] + self.lengths[0], other.starts[0] + other.lengths[0])
        starts, lengths = (start, *self.starts[1:]), (end - start, *self.lengths[1:])
        return Box(starts, lengths) if end > start else None
#: counted_in_the_block | drops: starts are counted in the whole tensor
#: you count the starts from the beginning of this block. They are counted in the whole tensor.
        starts = tuple(map(max, self.starts, other.starts))
        ends = [min(a + n, b + m) for a, n, b, m in zip(*self, *other, strict=True)]
        lengths = tuple(end - start for start, end in zip(starts, ends, strict=True))
        starts = tuple(a - b for a, b in zip(starts, self.starts, strict=True))
        return Box(starts, lengths) if all(length > 0 for length in lengths) else None
#: never_none | drops: or None where the two share no element
#: blocks that are apart give a block of negative length. They have nothing in common: None.
        starts = tuple(map(max, self.starts, other.starts))
        ends = [min(a + n, b + m) for a, n, b, m in zip(*self, *other, strict=True)]
        lengths = tuple(end - start for start, end in zip(starts, ends, strict=True))
        return Box(starts, lengths)
#: touching | drops: as where one ends just where the other begins
#: blocks that touch give a block of length 0, in which there is no element: None.
        starts = tuple(map(max, self.starts, other.starts))
        ends = [min(a + n, b + m) for a, n, b, m in zip(*self, *other, strict=True)]
        lengths = tuple(end - start for start, end in zip(starts, ends, strict=True))
        return Box(starts, lengths) if all(length >= 0 for length in lengths) else None
#: in_one_dimension
#: you return a block where they overlap in some dimension. They must overlap in all of them.
        starts = tuple(map(max, self.starts, other.starts))
        ends = [min(a + n, b + m) for a, n, b, m in zip(*self, *other, strict=True)]
        lengths = tuple(end - start for start, end in zip(starts, ends, strict=True))
        return Box(starts, lengths) if any(length > 0 for length in lengths) else None
#: shorter_length
#: you take the shorter of the two lengths. What is shared ends where the first of the two ends:
#: look at ends, which are starts plus lengths.
        starts = tuple(map(max, self.starts, other.starts))
        lengths = tuple(map(min, self.lengths, other.lengths))
        ends = [min(a + n, b + m) for a, n, b, m in zip(*self, *other, strict=True)]
        return Box(starts, lengths) if all(map(int.__lt__, starts, ends)) else None
#: lengths_for_ends
#: you take lengths for ends: a block ends at its start plus its length.
        starts = tuple(map(max, self.starts, other.starts))
        ends = [min(n, m) for a, n, b, m in zip(*self, *other, strict=True)]
        lengths = tuple(end - start for start, end in zip(starts, ends, strict=True))
        return Box(starts, lengths) if all(length > 0 for length in lengths) else None
#: whole_or_nothing
#: you return a block only where it lies in the other as a whole. Blocks may overlap in part.
        starts = tuple(map(max, self.starts, other.starts))
        ends = [min(a + n, b + m) for a, n, b, m in zip(*self, *other, strict=True)]
        lengths = tuple(end - start for start, end in zip(starts, ends, strict=True))
        return Box(starts, lengths) if lengths in (self.lengths, other.lengths) and all(n > 0 for n in lengths) else None
#: lists
#: a Box has tuples, and yours has lists.
        starts = tuple(map(max, self.starts, other.starts))
        ends = [min(a + n, b + m) for a, n, b, m in zip(*self, *other, strict=True)]
        lengths = tuple(end - start for start, end in zip(starts, ends, strict=True))
        return Box(list(starts), list(lengths)) if all(length > 0 for length in lengths) else None
#: product
#: you look at the product of the lengths: two negative ones make a positive. Each length must be
#: above 0.
        starts = tuple(map(max, self.starts, other.starts))
        ends = [min(a + n, b + m) for a, n, b, m in zip(*self, *other, strict=True)]
        lengths = tuple(end - start for start, end in zip(starts, ends, strict=True))
        elements = 1
        for length in lengths:
            elements *= length
        return Box(starts, lengths) if elements > 0 else None
#: no_length_below_0
#: blocks that are apart give a block of length 0, in which there is no element: None.
        starts = tuple(map(max, self.starts, other.starts))
        ends = [min(a + n, b + m) for a, n, b, m in zip(*self, *other, strict=True)]
        lengths = tuple(max(0, end - start) for start, end in zip(starts, ends, strict=True))
        return Box(starts, lengths)
#: least_of_nothing
#: you ask for the smallest of the lengths, and a tensor without dimensions has none: `all` of none
#: is True.
        starts = tuple(map(max, self.starts, other.starts))
        ends = [min(a + n, b + m) for a, n, b, m in zip(*self, *other, strict=True)]
        lengths = tuple(end - start for start, end in zip(starts, ends, strict=True))
        return Box(starts, lengths) if min(lengths) > 0 else None
#: no_dimensions
#: blocks without dimensions give None. A tensor without dimensions has one element, and they share
#: it.
        starts = tuple(map(max, self.starts, other.starts))
        ends = [min(a + n, b + m) for a, n, b, m in zip(*self, *other, strict=True)]
        lengths = tuple(end - start for start, end in zip(starts, ends, strict=True))
        return Box(starts, lengths) if lengths and min(lengths) > 0 else None
#: end_inside
#: your lengths are one too large: a block ends before its start plus its length, so a length is
#: end minus start.
        starts = tuple(map(max, self.starts, other.starts))
        ends = [min(a + n, b + m) for a, n, b, m in zip(*self, *other, strict=True)]
        lengths = tuple(end - start + 1 for start, end in zip(starts, ends, strict=True))
        return Box(starts, lengths) if all(length > 0 for length in lengths) else None
#: begins_in_this_one
#: you return a block only where the other one begins in this one. It may as well begin before it:
#: take the later of the two starts.
        starts, lengths = [], []
        for a, n, b, m in zip(*self, *other, strict=True):
            if not a <= b < a + n:
                return None
            starts.append(b)
            lengths.append(min(a + n - b, m))
        return Box(tuple(starts), tuple(lengths))
#: a_plain_pair
#: you return a plain pair. A Box knows more than its two tuples: the caller asks it for its part.
        starts = tuple(map(max, self.starts, other.starts))
        ends = [min(a + n, b + m) for a, n, b, m in zip(*self, *other, strict=True)]
        lengths = tuple(end - start for start, end in zip(starts, ends, strict=True))
        return (starts, lengths) if all(length > 0 for length in lengths) else None
#: three_dimensions
#: you write the dimensions out one by one, and there may be more. `zip` goes through all of them.
        starts = tuple(map(max, self.starts, other.starts))[:3]
        ends = [min(a + n, b + m) for a, n, b, m in zip(*self, *other, strict=True)][:3]
        lengths = tuple(end - start for start, end in zip(starts, ends, strict=True))
        return Box(starts, lengths) if all(length > 0 for length in lengths) else None
#: ends_included
#: you take two blocks for apart only where one begins behind the end of the other. A block of
#: length 0 has no element to share.
        starts = tuple(map(max, self.starts, other.starts))
        ends = [min(a + n, b + m) for a, n, b, m in zip(*self, *other, strict=True)]
        lengths = tuple(end - start for start, end in zip(starts, ends, strict=True))
        apart = any(a + n <= b or b + m <= a for a, n, b, m in zip(*self, *other, strict=True))
        return None if apart and all((*self.lengths, *other.lengths)) else Box(starts, lengths)
#: lengths_not_0
#: you ask whether the lengths are 0. Of blocks that are apart they come out negative, which counts
#: as True: each must be above 0.
        starts = tuple(map(max, self.starts, other.starts))
        ends = [min(a + n, b + m) for a, n, b, m in zip(*self, *other, strict=True)]
        lengths = tuple(end - start for start, end in zip(starts, ends, strict=True))
        return Box(starts, lengths) if all(lengths) else None
#: equal_is_shared
#: you return the block itself where both are equal. Two blocks without elements are equal and share
#: none.
        if self == other:
            return self
        starts = tuple(map(max, self.starts, other.starts))
        ends = [min(a + n, b + m) for a, n, b, m in zip(*self, *other, strict=True)]
        lengths = tuple(end - start for start, end in zip(starts, ends, strict=True))
        return Box(starts, lengths) if all(length > 0 for length in lengths) else None
