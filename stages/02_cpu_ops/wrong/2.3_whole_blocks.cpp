  for (int64_t p0 = 0; p0 + kDepth <= k; p0 += kDepth) {
    for (int64_t j0 = 0; j0 + kCols <= n; j0 += kCols) {
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t p = p0; p < p0 + kDepth; ++p) {
          for (int64_t j = j0; j < j0 + kCols; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
        }
      }
    }
  }
