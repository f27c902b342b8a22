    if (place < 0 || place > size) {
      atomicMax(bad, i + 1);
    } else {
      out[i] = x[at(rest, i) + place * step];
    }
