//: plain_addition | drops: adds so that no other thread can come in between
//: you add with `+=`. Two threads that read the same old value both write theirs, and one addition
//: is lost.
    if (place < 0 || place >= size) {
      atomicMax(bad, i + 1);
      continue;
    }
    out[at(rest, i) + place * step] += source[at(lsource, i)];
//: overwrites | drops: is added to `out`
//: you store instead of adding. Where several threads name one place, only the last one is left.
    if (place < 0 || place >= size) {
      atomicMax(bad, i + 1);
      continue;
    }
    out[at(rest, i) + place * step] = source[at(lsource, i)];
//: contiguous_source | drops: (at `at(lsource, i)`)
//: you take the source for contiguous. Its element i lies `at(lsource, i)` after its beginning.
    if (place < 0 || place >= size) {
      atomicMax(bad, i + 1);
    } else {
      add_atomically(out + at(rest, i) + place * step, source[i]);
    }
//: place_alone | drops: where place 0 is, `at(rest, i)` knows
//: you add everything to the first column. The place is counted from `at(rest, i)`, which knows
//: the other dimensions.
    if (place < 0 || place >= size) {
      atomicMax(bad, i + 1);
    } else {
      add_atomically(out + place * step, source[at(lsource, i)]);
    }
//: without_step | drops: places are `step` apart
//: you take the places for neighbours. From one place to the next it is `step` elements.
    if (place < 0 || place >= size) {
      atomicMax(bad, i + 1);
    } else {
      add_atomically(out + at(rest, i) + place, source[at(lsource, i)]);
    }
//: trusting | drops: A place that does not exist is reported as in 3.2
//: you add wherever the index points. Where it points at nothing, somebody else's memory changes,
//: and nobody is told.
    add_atomically(out + at(rest, i) + place * step, source[at(lsource, i)]);
//: unreported
//: you pass over a bad place in silence. The host raises an error only if it is told, through
//: `bad`.
    if (place >= 0 && place < size) {
      add_atomically(out + at(rest, i) + place * step, source[at(lsource, i)]);
    }
//: from_the_end
//: you let negative places count from the end. Python does; these kernels, like PyTorch's, call
//: them an error.
    if (place < -size || place >= size) {
      atomicMax(bad, i + 1);
    } else {
      i64 from_front = place < 0 ? place + size : place;
      add_atomically(out + at(rest, i) + from_front * step, source[at(lsource, i)]);
    }
//: max_by_hand
//: you compare `*bad` and store into it as two steps. Two threads with bad places both read the old
//: one, and the smaller may be stored last: `atomicMax` does both at once.
    if (place < 0 || place >= size) {
      if (*bad < i + 1) *bad = i + 1;
    } else {
      add_atomically(out + at(rest, i) + place * step, source[at(lsource, i)]);
    }
//: exchanged
//: the report of the last thread to come is kept, whichever that is. `atomicMax` keeps the largest
//: in any order.
    if (place < 0 || place >= size) {
      atomicExch(reinterpret_cast<u64*>(bad), static_cast<u64>(i + 1));
    } else {
      add_atomically(out + at(rest, i) + place * step, source[at(lsource, i)]);
    }
//: int_place
//: you cut the place down to an int. 2 to the power of 32 then is place 0, which exists: keep it an
//: `i64`.
    int p = place;
    if (p < 0 || p >= size) {
      atomicMax(bad, i + 1);
    } else {
      add_atomically(out + at(rest, i) + p * step, source[at(lsource, i)]);
    }
//: int_offset
//: you add up the offset in an int. Beyond 2 to the power of 31 it is somewhere else: keep it an
//: `i64`.
    if (place < 0 || place >= size) {
      atomicMax(bad, i + 1);
    } else {
      int offset = at(rest, i) + place * step;
      add_atomically(out + offset, source[at(lsource, i)]);
    }
//: float
//: you carry the element in a float. T may be a double or a whole number of 64 bits.
    if (place < 0 || place >= size) {
      atomicMax(bad, i + 1);
    } else {
      float value = source[at(lsource, i)];
      add_atomically(out + at(rest, i) + place * step, T(value));
    }
//: place_of_the_index
//: you read the source where the index lies. Its own layout is `lsource`.
    if (place < 0 || place >= size) {
      atomicMax(bad, i + 1);
    } else {
      add_atomically(out + at(rest, i) + place * step, source[at(lindex, i)]);
    }
//: one_too_many
//: you let the place `size` pass. Places count from 0: the last one is `size` - 1.
    if (place < 0 || place > size) {
      atomicMax(bad, i + 1);
    } else {
      add_atomically(out + at(rest, i) + place * step, source[at(lsource, i)]);
    }
//: below_zero
//: you ask only whether a place is too large. One below 0 does not exist either.
    if (place >= size) {
      atomicMax(bad, i + 1);
    } else {
      add_atomically(out + at(rest, i) + place * step, source[at(lsource, i)]);
    }
//: reports_i
//: you report i. Element 0 would then be no report at all, as `bad` starts as 0: it wants i + 1.
    if (place < 0 || place >= size) {
      atomicMax(bad, i);
    } else {
      add_atomically(out + at(rest, i) + place * step, source[at(lsource, i)]);
    }
