    if (place < 0 || place >= size) {
      atomicMax(bad, i);
    } else {
      out[i] = x[at(rest, i) + place * step];
    }
