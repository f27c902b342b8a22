// One answer: 64 points of b lie turned in a buffer, so that the innermost loop runs over points
// and fills vectors; sums of one point's row stay in registers.

#include <algorithm>
#include <cstdint>
#include <vector>

constexpr int64_t kWide = 64;

static void turn(const float* b, int64_t count, int64_t depth, float* turned) {
  for (int64_t j = 0; j < count; j++) {
    for (int64_t d = 0; d < depth; d++) turned[d * kWide + j] = b[j * depth + d];
  }
}

static void row(const float* a, const float* turned, int64_t depth, float* sums) {
  float mine[kWide] = {};
  for (int64_t d = 0; d < depth; d++) {
    for (int64_t j = 0; j < kWide; j++) {
      float difference = a[d] - turned[d * kWide + j];
      mine[j] += difference * difference;
    }
  }
  std::copy(mine, mine + kWide, sums);
}

extern "C" void distances(const float* a, const float* b, float* out, int64_t m, int64_t n,
                          int64_t depth) {
  std::vector<float> turned(depth * kWide);
  float sums[kWide];
  for (int64_t first = 0; first < n; first += kWide) {
    int64_t count = std::min(kWide, n - first);
    turn(b + first * depth, count, depth, turned.data());
    for (int64_t i = 0; i < m; i++) {
      row(a + i * depth, turned.data(), depth, sums);
      std::copy(sums, sums + count, out + i * n + first);
    }
  }
}
