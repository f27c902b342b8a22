    if (to == nullptr) to = image;
    if (stride == 1) {
      T* target = to + r.start;
      for (int64_t o = r.first; o < r.last; ++o) target[o - r.first] += line[o];
    } else {
      for (int64_t o = r.first; o < r.last; ++o) to[r.start + (o - r.first) * stride] += line[o];
    }
