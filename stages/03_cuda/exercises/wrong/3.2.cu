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
//: max_by_hand
//: you compare `*bad` and store into it as two steps. Two threads with bad places both read the old
//: one, and the smaller may be stored last: `atomicMax` does both at once.
    if (place < 0 || place >= size) {
      if (*bad < i + 1) *bad = i + 1;
    } else {
      out[i] = x[at(rest, i) + place * step];
    }
//: plain_store
//: you store the report with `=`. Of several threads that do so, any may be the last: `atomicMax`
//: keeps the largest.
    if (place < 0 || place >= size) {
      *bad = i + 1;
    } else {
      out[i] = x[at(rest, i) + place * step];
    }
//: exchanged
//: the report of the last thread to come is kept, whichever that is. `atomicMax` keeps the largest
//: in any order.
    if (place < 0 || place >= size) {
      atomicExch(reinterpret_cast<u64*>(bad), static_cast<u64>(i + 1));
    } else {
      out[i] = x[at(rest, i) + place * step];
    }
//: added_up
//: you add the reports up: two bad places then name a third element. `atomicMax` keeps the largest.
    if (place < 0 || place >= size) {
      atomicAdd(reinterpret_cast<u64*>(bad), static_cast<u64>(i + 1));
    } else {
      out[i] = x[at(rest, i) + place * step];
    }
//: first_wins
//: you keep the first report and drop all others. `atomicMax` keeps the largest in any order.
    if (place < 0 || place >= size) {
      atomicCAS(reinterpret_cast<u64*>(bad), 0ull, static_cast<u64>(i + 1));
    } else {
      out[i] = x[at(rest, i) + place * step];
    }
//: reports_place
//: you report the place. The host wants to know which element of `index` it was: i + 1.
    if (place < 0 || place >= size) {
      atomicMax(bad, place + 1);
    } else {
      out[i] = x[at(rest, i) + place * step];
    }
//: int_place
//: you cut the place down to an int. 2 to the power of 32 then is place 0, which exists: keep it an
//: `i64`.
    int p = place;
    if (p < 0 || p >= size) {
      atomicMax(bad, i + 1);
    } else {
      out[i] = x[at(rest, i) + p * step];
    }
//: int_offset
//: you add up the offset in an int. Beyond 2 to the power of 31 it is somewhere else: keep it an
//: `i64`.
    if (place < 0 || place >= size) {
      atomicMax(bad, i + 1);
    } else {
      int offset = at(rest, i) + place * step;
      out[i] = x[offset];
    }
//: u32_place
//: you compare the lower 32 bits of the place alone. 2 to the power of 32 then passes for 0:
//: compare an `i64` or a `u64`.
    if (static_cast<u32>(place) >= size) {
      atomicMax(bad, i + 1);
    } else {
      out[i] = x[at(rest, i) + place * step];
    }
//: writes_zero
//: you write something for a place that does not exist. Nothing is written then.
    if (place < 0 || place >= size) {
      atomicMax(bad, i + 1);
      out[i] = T(0);
    } else {
      out[i] = x[at(rest, i) + place * step];
    }
//: returns
//: you leave the kernel at a bad place. The thread has more elements: `continue` goes on with the
//: next.
    if (place < 0 || place >= size) {
      atomicMax(bad, i + 1);
      return;
    }
    out[i] = x[at(rest, i) + place * step];
//: reports_thread
//: you report the number of the thread in its block. The host wants to know which element it was: i
//: + 1.
    if (place < 0 || place >= size) {
      atomicMax(bad, static_cast<i64>(threadIdx.x) + 1);
    } else {
      out[i] = x[at(rest, i) + place * step];
    }
//: float
//: you carry the element in a float. T may be a double or a whole number of 64 bits.
    if (place < 0 || place >= size) {
      atomicMax(bad, i + 1);
    } else {
      float value = x[at(rest, i) + place * step];
      out[i] = value;
    }
//: clamped
//: you move a bad place to the nearest one that exists, and write what is there. Nothing is written
//: then.
    if (place < 0 || place >= size) atomicMax(bad, i + 1);
    place = max(0LL, min(place, size - 1));
    out[i] = x[at(rest, i) + place * step];
//: zero_is_bad
//: you call place 0 one that does not exist. Places count from 0.
    if (place <= 0 || place >= size) atomicMax(bad, i + 1);
    else out[i] = x[at(rest, i) + place * step];
//: below_zero_alone
//: you ask only whether a place is below 0. From `size` on there is none either.
    if (place < 0) atomicMax(bad, i + 1);
    else out[i] = x[at(rest, i) + place * step];
//: reports_one
//: you report the same number, whichever element it was. The host wants to know which: i + 1.
    if (place < 0 || place >= size) atomicMax(bad, i64(1));
    else out[i] = x[at(rest, i) + place * step];
//: number_of_the_element
//: you take `i` for the place of the element in memory. `at(rest, i)` is where it would be at
//: place 0.
    if (place < 0 || place >= size) atomicMax(bad, i + 1);
    else out[i] = x[i + place * step];
//: layout_of_index
//: you look for the element of `x` with the layout of `index`. The layout of the other
//: dimensions is `rest`.
    if (place < 0 || place >= size) atomicMax(bad, i + 1);
    else out[i] = x[at(lindex, i) + place * step];
//: stored_where_it_was
//: you store at the place that the element has in `x`. The result is `out[i]`.
    if (place < 0 || place >= size) atomicMax(bad, i + 1);
    else out[at(rest, i)] = x[at(rest, i) + place * step];
