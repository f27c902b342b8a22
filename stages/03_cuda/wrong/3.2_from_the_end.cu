    if (place < 0) place += size;
    if (place < 0 || place >= size) {
      atomicMax(bad, i + 1);
      continue;
    }
    out[i] = x[at(rest, i) + place * step];
