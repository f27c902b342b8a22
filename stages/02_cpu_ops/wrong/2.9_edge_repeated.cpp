    if (from == nullptr) return static_cast<void>(std::fill_n(line, out, T(0)));
    std::fill_n(line, r.first, from[r.start]);
    if (stride == 1) {
      std::copy_n(from + r.start, r.last - r.first, line + r.first);
    } else {
      for (int64_t o = r.first; o < r.last; ++o) line[o] = from[r.start + (o - r.first) * stride];
    }
    std::fill(line + r.last, line + out, T(0));
