//: one_vector_after_the_other
//: each of the twelve sums is finished before the next begins, so one register is enough. Every
//: vector of b is loaded six times, once for each row, and each addition waits for the one before.
  for (int i = 0; i < kTileRows; ++i) {
    for (int v = 0; v < 2; ++v) {
      for (int64_t p = 0; p < depth; ++p) {
        sum[i][v] += a[i * k + p] * load(b + p * n + v * kLanes<float>);
      }
    }
  }
