    if (place < 0 || place >= size) {
      atomicMax(bad, i + 1);
    } else {
      add_atomically(out + at(rest, i) + place * step, source[i]);
    }
