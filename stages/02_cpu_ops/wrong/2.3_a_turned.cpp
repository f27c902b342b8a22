  for (int64_t p0 = 0; p0 < k; p0 += kDepth) {
    for (int64_t j0 = 0; j0 < n; j0 += kCols) {
      const int64_t p1 = std::min(k, p0 + kDepth), j1 = std::min(n, j0 + kCols);
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t p = p0; p < p1; ++p) {
          const float factor = a[p * m + i];
          for (int64_t j = j0; j < j1; ++j) c[i * n + j] += factor * b[p * n + j];
        }
      }
    }
  }
