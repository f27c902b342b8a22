    if (to == nullptr) return;
    {
      for (int64_t o = r.first; o + 1 < r.last; ++o) to[r.start + (o - r.first) * stride] += line[o];
    }
