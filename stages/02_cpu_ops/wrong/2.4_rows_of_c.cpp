  for (int64_t p = 0; p < depth; ++p) {
    for (int i = 0; i < kTileRows; ++i) {
      sum[i][0] += a[i * n + p] * load(b + p * n);
      sum[i][1] += a[i * n + p] * load(b + p * n + kLanes<float>);
    }
  }
