    if (from == nullptr) return;
    std::fill_n(line, r.first, T(0));
    if (stride == 1) {
      std::copy_n(from + r.start, r.last - r.first, line + r.first);
    } else {
      for (int64_t o = r.first; o < r.last; ++o) line[o] = from[r.start + (o - r.first) * stride];
    }
    std::fill(line + r.last, line + out, T(0));
