    if (place >= size) {
      atomicMax(bad, i + 1);
    } else {
      out[i] = x[at(rest, i) + place * step];
    }
