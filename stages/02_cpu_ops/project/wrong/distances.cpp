// Squared distances: out[i, j] = sum over d of (a[i, d] - b[j, d])^2.
//
// a is (m, depth), b (n, depth), out (m, n), all contiguous. The whole file is yours; README.md has
// the task.

#include <cstdint>

extern "C" void distances(const float* a, const float* b, float* out, int64_t m, int64_t n,
                          int64_t depth) {
  for (int64_t i = 0; i < m; i++) {
    for (int64_t j = 0; j < n; j++) {
      float sum = 0;
      for (int64_t d = 0; d < depth; d++) {
        float difference = a[i * depth + d] - b[j * depth + d];
        sum += difference * difference;
      }
      out[i * n + j] = sum;
    }
  }
}
