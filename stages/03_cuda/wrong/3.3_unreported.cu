    if (place >= 0 && place < size) {
      add_atomically(out + at(rest, i) + place * step, source[at(lsource, i)]);
    }
