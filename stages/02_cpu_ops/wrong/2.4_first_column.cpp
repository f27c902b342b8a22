  for (int64_t p = 0; p < depth; ++p) {
    const Vec<float> b0 = load(b + p * n), b1 = load(b + p * n + kLanes<float>);
#pragma GCC unroll 6
    for (int i = 0; i < kTileRows; ++i) {
      sum[i][0] += a[i * k] * b0;
      sum[i][1] += a[i * k] * b1;
    }
  }
