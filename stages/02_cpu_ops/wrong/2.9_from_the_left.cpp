    if (from == nullptr) return static_cast<void>(std::fill_n(line, out, T(0)));
    std::fill_n(line, r.first, T(0));
    {
      for (int64_t o = r.first; o < r.last; ++o) line[o] = from[(o - r.first) * stride];
    }
    std::fill(line + r.last, line + out, T(0));
