//: cut_in_halves
//: no loop chooses the blocks: b is cut in halves, along its rows or its columns, until a part is
//: no larger than a block. The parts are about equally large, so none at an edge is very small; who
//: reads it has to think in recursion.
  const auto product = [&](auto self, int64_t p0, int64_t p1, int64_t j0, int64_t j1) -> void {
    const int64_t p = p0 + (p1 - p0) / 2, j = j0 + (j1 - j0) / 2;
    if (p1 - p0 > kDepth) return self(self, p0, p, j0, j1), self(self, p, p1, j0, j1);
    if (j1 - j0 > kCols) return self(self, p0, p1, j0, j), self(self, p0, p1, j, j1);
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t row = p0; row < p1; ++row) {
        for (int64_t col = j0; col < j1; ++col) c[i * n + col] += a[i * k + row] * b[row * n + col];
      }
    }
  };
  product(product, 0, k, 0, n);
