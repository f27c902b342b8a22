    if (place < -size || place >= size) {
      atomicMax(bad, i + 1);
    } else {
      i64 from_front = place < 0 ? place + size : place;
      add_atomically(out + at(rest, i) + from_front * step, source[at(lsource, i)]);
    }
