    if (place >= 0 && place < size) out[i] = x[at(rest, i) + place * step];
