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
