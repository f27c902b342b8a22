    out[i] = x[at(rest, i) + place * step];
