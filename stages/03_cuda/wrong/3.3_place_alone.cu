    if (place < 0 || place >= size) {
      atomicMax(bad, i + 1);
    } else {
      add_atomically(out + place * step, source[at(lsource, i)]);
    }
