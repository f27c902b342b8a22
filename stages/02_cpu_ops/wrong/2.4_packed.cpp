  for (int64_t p = 0; p < depth; ++p) {
    for (int i = 0; i < kTileRows; ++i) {
      sum[i][0] += a[i * k + p] * load(b + p * kTileCols);
      sum[i][1] += a[i * k + p] * load(b + p * kTileCols + kLanes<float>);
    }
  }
