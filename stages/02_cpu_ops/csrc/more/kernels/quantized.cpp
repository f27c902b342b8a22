// linear_int8: each row of x becomes whole numbers, is multiplied with rows of int8 weights in
// int32, which is exact, and the sums get both scales back. There are two ways to multiply, with
// equal sums: Words, in which compilers find an instruction for pairs of 16-bit numbers on every
// machine, and Bytes, for processors with VNNI; many rows meet weights in panels there.
#include "more/kernels/quantized.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <numeric>

#include "core/storage.h"
#include "core/thread_pool.h"
#if defined(__AVX512F__)
#include "more/kernels/int8_panel.h"
#endif

namespace norch {
namespace {
constexpr int kTile = 4;                        // rows of x by rows of weights, summed together
constexpr int64_t kBlockRows = 64;              // of x: what is read again for each tile fits in L2
constexpr int64_t kPanelRows = 256;             // of x, which a panel reads in turn, from anywhere
constexpr int64_t kVectorColumns = 64;          // what one instruction takes of a row at most
constexpr int64_t kParallelProduct = 1 << 20;   // multiplications worth another thread
constexpr int64_t kParallelRounding = 1 << 16;  // numbers to round worth another

// The bits of floats without sign are ordered as the floats are, infinity and NaN above the rest.
float largest_magnitude(const float* x, int64_t k) {
  int32_t largest = 0;
  for (int64_t j = 0; j < k; ++j) {
    int32_t bits;
    std::memcpy(&bits, x + j, sizeof(bits));
    largest = std::max(largest, bits & 0x7fffffff);
  }
  float magnitude;
  std::memcpy(&magnitude, &largest, sizeof(magnitude));
  return magnitude;
}

// whole[j] = the whole number nearest to x[j] / scale; returns the scale. A row with infinity or
// NaN has no scale: it becomes NaN, as the product would.
template <class Whole>
float round_row(const float* x, int64_t k, Whole* whole) {
  const float largest = largest_magnitude(x, k);
  const bool is_finite = largest <= FLT_MAX;
  const float scale = std::max(largest / 127, FLT_MIN), inverse = is_finite ? 1 / scale : 0;
  for (int64_t j = 0; j < k; ++j) {
    whole[j] = is_finite ? Whole(std::nearbyint(x[j] * inverse)) : Whole(0);
  }
  return is_finite ? scale : NAN;
}

// The rows of x, each filled up with zeros to whole vectors: `stride` numbers.
template <class Whole>
struct Rows {
  const Whole* whole;
  int64_t stride;
  const float* scale;
  const int32_t* sum;  // of each row's whole numbers
};

template <int R, int C>
struct Sums {
  int32_t at[R][C];
};

// R rows of x from `x` on, C rows of weights from `weight` on, and how many numbers of each.
template <class Whole>
struct Factors {
  const Whole* x;
  const int8_t* weight;
  int64_t x_stride, weight_stride, count;
};

// at[r][c] = the sum over j of x[r][j] weight[c][j]: plain loops, compiled for each way.
template <class Way, int R, int C>
[[gnu::always_inline]] inline Sums<R, C> sum_products(const Factors<typename Way::Whole>& f) {
  Sums<R, C> sums{};
  for (int64_t j = 0; j < f.count; ++j) {
    for (int r = 0; r < R; ++r) {
      for (int c = 0; c < C; ++c) {
        const int factor = Way::factor(f.weight[c * f.weight_stride + j]);
        sums.at[r][c] += int(f.x[r * f.x_stride + j]) * factor;
      }
    }
  }
  return sums;
}

struct Words {
  using Whole = int16_t;
  static constexpr int kShift = 0;
  static int16_t factor(int8_t weight) { return weight; }
  template <int R, int C>
  static Sums<R, C> sum(const Factors<Whole>& f) {
    return sum_products<Words, R, C>(f);
  }
};

#if defined(__AVX512F__)
// The instruction wants one factor from 0 to 255: weight + 128, so 128 x is taken away afterwards.
struct Bytes {
  using Whole = int8_t;
  static constexpr int kShift = 128;
  static uint8_t factor(int8_t weight) { return uint8_t(weight ^ -128); }
  template <int R, int C>
  [[gnu::target("avx512vnni")]] static Sums<R, C> sum(const Factors<Whole>& f) {
    return sum_products<Bytes, R, C>(f);
  }
};
#endif

// Columns c to c + C of row i of the block: its sums get both scales back.
template <class Way, int C>
[[gnu::always_inline]] inline void scale_sums(const Int8Product& p,
                                              const Rows<typename Way::Whole>& x,
                                              const int32_t* sums, int64_t i, int64_t c,
                                              float* out) {
  for (int s = 0; s < C; ++s) {
    const float sum = float(sums[s] - Way::kShift * x.sum[i]);
    const float value = sum * x.scale[i] * p.scale[c + s];
    out[i * p.n + c + s] = p.bias == nullptr ? value : value + p.bias[c + s];
  }
}

// Rows i to i + R of the block, columns c to c + C.
template <class Way, int R, int C>
void multiply_tile(const Int8Product& p, const Rows<typename Way::Whole>& x, int64_t i, int64_t c,
                   float* out) {
  // Whole vectors where there is memory: what follows a row of weights is multiplied by zeros.
  const int64_t left = (p.n - c - C + 1) * p.k;
  const int64_t count = x.stride <= left ? x.stride : p.k;
  const Sums<R, C> sums =
      Way::template sum<R, C>({x.whole + i * x.stride, p.weight + c * p.k, x.stride, p.k, count});
  for (int r = 0; r < R; ++r) scale_sums<Way, C>(p, x, sums.at[r], i + r, c, out);
}

// All rows of x by C rows of int8 weights.
template <class Way, int C>
void multiply_rows(const Int8Product& p, const Rows<typename Way::Whole>& x, int64_t rows,
                   int64_t c, float* out) {
  int64_t i = 0;
  for (; i + kTile <= rows; i += kTile) multiply_tile<Way, kTile, C>(p, x, i, c, out);
  for (; i < rows; ++i) multiply_tile<Way, 1, C>(p, x, i, c, out);
}

// All rows of x by the rows of int8 weights from `first` on, a tile at a time.
template <class Way>
void multiply_tiles(const Int8Product& p, const Rows<typename Way::Whole>& x, int64_t rows,
                    int64_t first, float* out) {
  const int64_t tiles = kParallelProduct / (kTile * rows * p.k + 1) + 1;
  parallel_for(p.n - first, kTile * tiles, [&](int64_t begin, int64_t end) {
    int64_t c = first + begin;
    for (; c + kTile <= first + end; c += kTile) multiply_rows<Way, kTile>(p, x, rows, c, out);
    for (; c < first + end; ++c) multiply_rows<Way, 1>(p, x, rows, c, out);
  });
}

#if defined(__AVX512F__)
// Rows i, i + R ... of the block, as long as there are R, by a panel; returns the first row left.
template <int R>
int64_t multiply_strips(const Int8Product& p, const Rows<int8_t>& x, int64_t i, int64_t rows,
                        int64_t c, const uint32_t* panel, float* out) {
  int32_t sums[R * kPanel];
  for (; i + R <= rows; i += R) {
    multiply_panel<R>(x.whole + i * x.stride, x.stride, panel, words_of(p.k), sums);
    for (int r = 0; r < R; ++r) scale_sums<Bytes, kPanel>(p, x, sums + r * kPanel, i + r, c, out);
  }
  return i;
}

// All rows of x by all rows of int8 weights: panels, and tiles for what makes no panel.
void multiply_panels(const Int8Product& p, const Rows<int8_t>& x, int64_t rows, float* out) {
  const int64_t panels = p.n / kPanel, words = words_of(p.k);
  const int64_t grain = kParallelProduct / (kPanel * rows * p.k + 1) + 1;
  parallel_for(panels, grain, [&](int64_t begin, int64_t end) {
    const Room<uint32_t> panel(words * kPanel);
    const Room<int8_t> room(words * kPanel * 4);
    for (int64_t c = begin * kPanel; c < end * kPanel; c += kPanel) {
      pack_panel(p, c, room.data(), panel.data());
      int64_t i = multiply_strips<8>(p, x, 0, rows, c, panel.data(), out);
      i = multiply_strips<4>(p, x, i, rows, c, panel.data(), out);
      multiply_strips<1>(p, x, i, rows, c, panel.data(), out);
    }
  });
  multiply_tiles<Bytes>(p, x, rows, panels * kPanel, out);
}
#endif

// The int8 product in one way of multiplying: product(block of x, its rows, where they go) for a
// block of at most `block` rows of x at a time.
template <class Way, class F>
void multiply(const Int8Product& p, int64_t block, F product) {
  using Whole = typename Way::Whole;
  const int64_t stride = (p.k + kVectorColumns - 1) / kVectorColumns * kVectorColumns;
  const Room<Whole> room(std::min(p.m, block) * stride);
  Whole* whole = room.data();
  float scale[kPanelRows];
  int32_t sum[kPanelRows];
  for (int64_t first = 0; first < p.m; first += block) {
    const int64_t rows = std::min(block, p.m - first);
    parallel_for(rows, kParallelRounding / (p.k + 1) + 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        Whole* row = whole + i * stride;
        scale[i] = round_row(p.x + (first + i) * p.k, p.k, row);
        std::fill(row + p.k, row + stride, Whole(0));
        sum[i] = std::accumulate(row, row + p.k, 0);
      }
    });
    product(Rows<Whole>{whole, stride, scale, sum}, rows, p.out + first * p.n);
  }
}

// The kernel of linear_int8: the way that this CPU does best.
void linear_int8(const Int8Product& p) {
#if defined(__AVX512F__)
  if (__builtin_cpu_supports("avx512vnni")) {
    return multiply<Bytes>(p, kPanelRows, [&](const auto& x, int64_t rows, float* out) {
      if (rows <= kFewRows) return multiply_tiles<Bytes>(p, x, rows, 0, out);
      multiply_panels(p, x, rows, out);
    });
  }
#endif
  multiply<Words>(p, kBlockRows, [&](const auto& x, int64_t rows, float* out) {
    multiply_tiles<Words>(p, x, rows, 0, out);
  });
}
}  // namespace

template <>
const QuantizedTable& table<QuantizedTable, kIsa>() {
  static constexpr QuantizedTable t{&linear_int8};
  return t;
}
}  // namespace norch
