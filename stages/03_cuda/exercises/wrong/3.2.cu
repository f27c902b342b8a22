//: trusting
//: you read wherever the index points. A bad index then returns somebody else's memory, and nobody
//: is told.
    out[i] = x[at(rest, i) + place * step];
//: from_the_end
//: you let negative places count from the end. Python does; these kernels, like PyTorch's, call
//: them an error.
    if (place < 0) place += size;
    if (place < 0 || place >= size) {
      atomicMax(bad, i + 1);
      continue;
    }
    out[i] = x[at(rest, i) + place * step];
//: without_step | drops: `step` elements apart
//: you take the places for neighbours. From one place to the next it is `step` elements.
    if (place < 0 || place >= size) {
      atomicMax(bad, i + 1);
    } else {
      out[i] = x[at(rest, i) + place];
    }
//: place_alone | drops: `at(rest, i)` is where the element would be at place 0
//: you read the element of the first column, whichever is asked for. The place is counted from
//: `at(rest, i)`.
    if (place < 0 || place >= size) {
      atomicMax(bad, i + 1);
    } else {
      out[i] = x[place * step];
    }
//: below_zero | drops: A place below 0
//: you ask only whether a place is too large. One below 0 does not exist either.
    if (place >= size) {
      atomicMax(bad, i + 1);
    } else {
      out[i] = x[at(rest, i) + place * step];
    }
//: one_too_many | drops: from `size` on
//: you let the place `size` pass. Places count from 0: the last one is `size` - 1.
    if (place < 0 || place > size) {
      atomicMax(bad, i + 1);
    } else {
      out[i] = x[at(rest, i) + place * step];
    }
//: unreported | drops: report with `atomicMax(bad, i + 1)`
//: you pass over a bad place in silence. The host raises an error only if it is told, through
//: `bad`.
    if (place >= 0 && place < size) out[i] = x[at(rest, i) + place * step];
//: reports_i
//: you report i. Element 0 would then be no report at all, as `bad` starts as 0: it wants i + 1.
    if (place < 0 || place >= size) {
      atomicMax(bad, i);
    } else {
      out[i] = x[at(rest, i) + place * step];
    }
