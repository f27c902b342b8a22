// One product, four ways. All do the same 2 m n k operations; what changes is how often a number is
// fetched from memory, and how many are worked on at once. The next step, packing both matrices
// into panels, is matmul_tile.h.
#include <algorithm>
#include <stdexcept>
#include <vector>

#include "core/error.h"
#include "kernels/lessons.h"
#include "kernels/vec.h"

namespace norch {
namespace {
// As the definition says. The inner loop runs down a column of b: every step is a new cache line,
// and the sum has to wait for itself.
void naive(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
  }
}

// The same loops in another order. Now the inner one runs along rows of b and c, and its steps do
// not depend on each other: the compiler makes vectors of it.
void reordered(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  std::fill_n(c, m * n, 0.0f);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t p = 0; p < k; ++p) {
      const float factor = a[i * k + p];
      for (int64_t j = 0; j < n; ++j) c[i * n + j] += factor * b[p * n + j];
    }
  }
}

constexpr int64_t kDepth = 64, kCols = 256;  // a block of b: 64 KiB, which stays in the L2 cache

// Stands for b where fetches are counted: of the numbers that are read for the first time, or again
// after more than a block of others.
struct CountedFloats {
  const float* floats;
  std::vector<int64_t>&last_read, &counts;  // counts: reads, fetches
  float operator[](int64_t i) const {
    const auto n = static_cast<int64_t>(last_read.size());
    if (i < 0 || i >= n) {
      raise<IndexError>("[lesson_fetches] exercise 2.3 reads b[", i, "], but b has ", n,
                        " elements");
    }
    counts[0]++;
    int64_t& last = last_read[size_t(i)];
    if (last == 0 || counts[0] - last > kDepth * kCols) counts[1]++;
    last = counts[0];
    return floats[i];
  }
  operator const float*() const { return floats; }
};

// The two above read all of b before they come back. Only an answer that hands on calls these.
[[maybe_unused]] void naive(const float* a, CountedFloats b, float* c, int64_t m, int64_t n,
                            int64_t k) {
  b.counts[1] += m * n * k;
  naive(a, b.floats, c, m, n, k);
}
[[maybe_unused]] void reordered(const float* a, CountedFloats b, float* c, int64_t m, int64_t n,
                                int64_t k) {
  b.counts[1] += m * n * k;
  reordered(a, b.floats, c, m, n, k);
}

// The same again, block by block: a block of b is used for all rows of a before the next is
// fetched. `b` is a const float*, or counts.
template <class Floats>
void blocked(const float* a, Floats b, float* c, int64_t m, int64_t n, int64_t k) {
  std::fill_n(c, m * n, 0.0f);
  // ex 2.3 begin
  for (int64_t p0 = 0; p0 < k; p0 += kDepth) {
    for (int64_t j0 = 0; j0 < n; j0 += kCols) {
      const int64_t p1 = std::min(k, p0 + kDepth), j1 = std::min(n, j0 + kCols);
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t p = p0; p < p1; ++p) {
          const float factor = a[i * k + p];
          for (int64_t j = j0; j < j1; ++j) c[i * n + j] += factor * b[p * n + j];
        }
      }
    }
  }
  // ex 2.3 end
}

// Counts what the lesson's blocked product reads from memory.
int64_t fetches(const float* a, const float* b, int64_t m, int64_t n, int64_t k) {
  std::vector<int64_t> last_read(to_size(k * n)), counts(2);
  std::vector<float> c(to_size(m * n));
  blocked(a, CountedFloats{b, last_read, counts}, c.data(), m, n, k);
  return counts[1];
}

constexpr int kTileRows = 6, kTileCols = 2 * kLanes<float>;

// A tile of c, six rows of two vectors, lives in twelve registers while p runs: c is not touched,
// and each vector of b that is loaded serves six rows.
void tile(const float* a, const float* b, float* c, int64_t n, int64_t k, int64_t depth) {
  Vec<float> sum[kTileRows][2];
  for (int i = 0; i < kTileRows; ++i) {
    for (int v = 0; v < 2; ++v) sum[i][v] = load(c + i * n + v * kLanes<float>);
  }
  // ex 2.4 begin
  for (int64_t p = 0; p < depth; ++p) {
    const Vec<float> b0 = load(b + p * n), b1 = load(b + p * n + kLanes<float>);
#pragma GCC unroll 6
    for (int i = 0; i < kTileRows; ++i) {
      sum[i][0] += a[i * k + p] * b0;
      sum[i][1] += a[i * k + p] * b1;
    }
  }
  // ex 2.4 end
  for (int i = 0; i < kTileRows; ++i) {
    for (int v = 0; v < 2; ++v) store(c + i * n + v * kLanes<float>, sum[i][v]);
  }
}

// What no tile covers, at the right and the lower edge.
void edge(const float* a, const float* b, float* c, int64_t rows, int64_t cols, int64_t n,
          int64_t k, int64_t depth) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t p = 0; p < depth; ++p) {
      for (int64_t j = 0; j < cols; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
    }
  }
}

// The lesson's product in register tiles, with what they leave at the edges.
void registers(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
  std::fill_n(c, m * n, 0.0f);
  const int64_t rows = m / kTileRows * kTileRows, cols = n / kTileCols * kTileCols;
  for (int64_t p = 0; p < k; p += kDepth) {
    const int64_t depth = std::min(kDepth, k - p);
    for (int64_t j = 0; j < cols; j += kTileCols) {
      for (int64_t i = 0; i < rows; i += kTileRows) {
        tile(a + i * k + p, b + p * n + j, c + i * n + j, n, k, depth);
      }
    }
    edge(a + p, b + p * n + cols, c + cols, rows, n - cols, n, k, depth);
    edge(a + rows * k + p, b + p * n, c + rows * n, m - rows, n, n, k, depth);
  }
}

// ---- The sum ----

// One addition has to wait for the one before it, some four cycles each, while the machine could
// start two a cycle; and a large sum swallows the low digits of what is added to it.
float naive_sum(const float* x, int64_t n) {
  float sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i];
  return sum;
}

// Four sums that do not wait for each other.
float unrolled_sum(const float* x, int64_t n) {
  float sums[4] = {};
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int j = 0; j < 4; ++j) sums[j] += x[i + j];
  }
  for (; i < n; ++i) sums[0] += x[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Four sums of vectors: as fast as memory can deliver.
float vectorised_sum(const float* x, int64_t n) {
  constexpr int kL = kLanes<float>;
  Vec<float> sums[4] = {};
  int64_t i = 0;
  for (; i + 4 * kL <= n; i += 4 * kL) {
    for (int v = 0; v < 4; ++v) sums[v] += load(x + i + v * kL);
  }
  float rest = 0;
  for (; i < n; ++i) rest += x[i];
  return rest + fold<float>((sums[0] + sums[1]) + (sums[2] + sums[3]),
                            [](float u, float v) { return u + v; });
}

// The sum of two halves, each summed in the same way: no number takes part in more than a few
// additions of about its own size, so the error grows with the logarithm of n.
float pairwise_sum(const float* x, int64_t n) {
  // ex 2.2 begin
  if (n <= 1024) return vectorised_sum(x, n);
  const int64_t half = n / 2;
  return pairwise_sum(x, half) + pairwise_sum(x + half, n - half);
  // ex 2.2 end
}

// Twelve independent chains: enough to fill two pipes of latency four to six, few enough to stay in
// sixteen registers.
double multiply_adds(int64_t rounds, volatile float* out) {
  constexpr int kChains = 12;
  Vec<float> chain[kChains];
  for (int i = 0; i < kChains; ++i) chain[i] = broadcast<float>(float(i));
  const Vec<float> x = broadcast<float>(*out), y = broadcast<float>(0.5f);
  for (int64_t r = 0; r < rounds; ++r) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) chain[i] = chain[i] * x + y;
  }
  for (int i = 1; i < kChains; ++i) chain[0] += chain[i];
  *out = fold<float>(chain[0], [](float u, float v) { return u + v; });
  return 2.0 * kChains * kLanes<float> * static_cast<double>(rounds);
}

// Eight vectors a round, so that nothing but memory is waited for.
float read_all(const float* x, int64_t n) {
  constexpr int kL = kLanes<float>;
  Vec<float> sums[8] = {};
  for (int64_t i = 0; i + 8 * kL <= n; i += 8 * kL) {
#pragma GCC unroll 8
    for (int v = 0; v < 8; ++v) sums[v] += load(x + i + v * kL);
  }
  for (int v = 1; v < 8; ++v) sums[0] += sums[v];
  return fold<float>(sums[0], [](float u, float v) { return u + v; });
}
}  // namespace

template <>
const LessonTable& table<LessonTable, kIsa>() {
  static constexpr LessonTable t{{&naive, &reordered, &blocked<const float*>, &registers},
                                 &fetches,
                                 {&naive_sum, &unrolled_sum, &vectorised_sum, &pairwise_sum},
                                 &multiply_adds,
                                 &read_all};
  return t;
}
}  // namespace norch
