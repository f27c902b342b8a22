//: products_first
//: all products are computed before any word changes, so the order of the four lines that follow
//: does not matter but for b and d. The products take memory of their own.
    uint64_t of_a[kQuads], of_c[kQuads];
    for (int i = 0; i < kQuads; ++i) of_a[i] = uint64_t(a[i]) * philox::kMultiplier0;
    for (int i = 0; i < kQuads; ++i) of_c[i] = uint64_t(c[i]) * philox::kMultiplier1;
    for (int i = 0; i < kQuads; ++i) {
      a[i] = uint32_t(of_c[i] >> 32) ^ b[i] ^ key0;
      c[i] = uint32_t(of_a[i] >> 32) ^ d[i] ^ key1;
      b[i] = uint32_t(of_c[i]);
      d[i] = uint32_t(of_a[i]);
    }
    key0 += philox::kWeyl0;
    key1 += philox::kWeyl1;
