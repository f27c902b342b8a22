//: one_comparison
//: One comparison without sign finds both kinds of bad places: a negative number without its sign
//: is a very large one. It saves a branch, and only those who know the trick can read it.
    if (static_cast<u64>(place) >= static_cast<u64>(size)) {
      atomicMax(bad, i + 1);
      continue;
    }
    out[i] = x[at(rest, i) + place * step];
