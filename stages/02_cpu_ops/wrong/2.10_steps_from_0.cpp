    if (to == nullptr) return;
    {
      for (int64_t o = r.first; o < r.last; ++o) to[r.start + o * stride] += line[o];
    }
