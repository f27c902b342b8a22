    if (place < 0 || place >= size) {
      atomicMax(bad, i + 1);
      continue;
    }
    out[at(rest, i) + place * step] = source[at(lsource, i)];
