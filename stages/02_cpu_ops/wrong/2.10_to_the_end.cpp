    if (to == nullptr) return;
    {
      for (int64_t o = r.first; o < p.w.out; ++o) to[r.start + (o - r.first) * stride] += line[o];
    }
