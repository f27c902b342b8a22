// linear_int8: each row of x becomes whole numbers, is multiplied with rows of int8 weights in
// int32, which is exact, and the sums get both scales back. There are two ways to multiply, with
// equal sums: Words, in which compilers find an instruction for pairs of 16-bit numbers on every
// machine, and Bytes, for processors with VNNI, which multiply 64 pairs of bytes at once.
#include "more/kernels/quantized.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <numeric>

#include "core/storage.h"
#include "core/thread_pool.h"

namespace norch {
namespace {
constexpr int kTile = 4;                        // rows of x by rows of weights, summed together
constexpr int64_t kBlockRows = 64;              // of x: what is read again for each tile fits in L2
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

// Rows i to i + R of the block, columns c to c + C.
template <class Way, int R, int C>
void multiply_tile(const Int8Product& p, const Rows<typename Way::Whole>& x, int64_t i, int64_t c,
                   float* out) {
  // Whole vectors where there is memory: what follows a row of weights is multiplied by zeros.
  const int64_t left = (p.n - c - C + 1) * p.k;
  const int64_t count = x.stride <= left ? x.stride : p.k;
  const Sums<R, C> sums =
      Way::template sum<R, C>({x.whole + i * x.stride, p.weight + c * p.k, x.stride, p.k, count});
  for (int r = 0; r < R; ++r) {
    for (int s = 0; s < C; ++s) {
      const float sum = float(sums.at[r][s] - Way::kShift * x.sum[i + r]);
      const float value = sum * x.scale[i + r] * p.scale[c + s];
      out[(i + r) * p.n + c + s] = p.bias == nullptr ? value : value + p.bias[c + s];
    }
  }
}

// All rows of x by C rows of int8 weights.
template <class Way, int C>
void multiply_rows(const Int8Product& p, const Rows<typename Way::Whole>& x, int64_t rows,
                   int64_t c, float* out) {
  int64_t i = 0;
  for (; i + kTile <= rows; i += kTile) multiply_tile<Way, kTile, C>(p, x, i, c, out);
  for (; i < rows; ++i) multiply_tile<Way, 1, C>(p, x, i, c, out);
}

// The int8 product in one way of multiplying, a block of x at a time.
template <class Way>
void multiply(const Int8Product& p) {
  using Whole = typename Way::Whole;
  const int64_t most = std::min(p.m, kBlockRows);
  const int64_t stride = (p.k + kVectorColumns - 1) / kVectorColumns * kVectorColumns;
  const Room<Whole> room(most * stride);
  Whole* whole = room.data();
  float scale[kBlockRows];
  int32_t sum[kBlockRows];
  for (int64_t first = 0; first < p.m; first += kBlockRows) {
    const int64_t rows = std::min(kBlockRows, p.m - first);
    parallel_for(rows, kParallelRounding / (p.k + 1) + 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        Whole* row = whole + i * stride;
        scale[i] = round_row(p.x + (first + i) * p.k, p.k, row);
        std::fill(row + p.k, row + stride, Whole(0));
        sum[i] = std::accumulate(row, row + p.k, 0);
      }
    });
    const Rows<Whole> x{whole, stride, scale, sum};
    const int64_t tiles = kParallelProduct / (kTile * rows * p.k + 1) + 1;
    parallel_for(p.n, kTile * tiles, [&](int64_t begin, int64_t end) {
      int64_t c = begin;
      float* out = p.out + first * p.n;
      for (; c + kTile <= end; c += kTile) multiply_rows<Way, kTile>(p, x, rows, c, out);
      for (; c < end; ++c) multiply_rows<Way, 1>(p, x, rows, c, out);
    });
  }
}

// The kernel of linear_int8: the way that this CPU does best.
void linear_int8(const Int8Product& p) {
#if defined(__AVX512F__)
  if (__builtin_cpu_supports("avx512vnni")) return multiply<Bytes>(p);
#endif
  multiply<Words>(p);
}
}  // namespace

template <>
const QuantizedTable& table<QuantizedTable, kIsa>() {
  static constexpr QuantizedTable t{&linear_int8};
  return t;
}
}  // namespace norch
