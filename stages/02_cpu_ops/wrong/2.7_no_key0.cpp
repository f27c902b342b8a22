    for (int i = 0; i < kQuads; ++i) {
      const uint64_t product0 = uint64_t(philox::kMultiplier0) * a[i];
      const uint64_t product1 = uint64_t(philox::kMultiplier1) * c[i];
      a[i] = uint32_t(product1 >> 32) ^ b[i];
      b[i] = uint32_t(product1);
      c[i] = uint32_t(product0 >> 32) ^ d[i] ^ key1;
      d[i] = uint32_t(product0);
    }
    key0 += philox::kWeyl0;
    key1 += philox::kWeyl1;
