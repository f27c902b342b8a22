// Products of the convolution kernels that read turned pixels: rows of numbers times a panel of
// output channels, over a list of runs, added up in registers. direct.cpp and unpadded.cpp make the
// runs; nothing here knows what a kernel or an image is. Kernel files only, as pixels.h.
#pragma once

#include <type_traits>
#include <vector>

#include "more/kernels/pixels.h"

namespace norch {
namespace {
constexpr int64_t kFewProducts = 64;

// For more's convolutions: the step from pixel to pixel; no power of two, because such
// pixels map to the same cache lines.
inline int64_t pitch_of(int64_t channels) { return channels % 64 == 0 ? channels + kL : channels; }

// A run of products: where it begins in both factors.
struct Run {
  int64_t a, b, length;
};

// A list of runs: a is read by rows, one number each, b by panels.
struct Products {
  const std::vector<Run>& runs;
  int64_t a_step, b_step;  // from one product of a run to the next
  const float* b;
};

struct TileRow {
  const float* from;
  float* to;
};

// A tile of more's convolutions: to (kPanel) += sum over runs first ... last - 1 and
// p < length of from[p] * b[p]
template <int kCount, int kVecs>
void multiply_tile(const TileRow* rows, const Products& products, size_t first, size_t last) {
  V sum[kCount][kVecs] = {};
  const int64_t a_step = products.a_step, b_step = products.b_step;
  for (; first < last; ++first) {
    const Run run = products.runs[first];
    const float* place[kCount];
    for (int i = 0; i < kCount; ++i) place[i] = rows[i].from + run.a;
    const float* b = products.b + run.b;
#pragma GCC unroll 4
    for (int64_t p = 0; p < run.length * a_step; p += a_step, b += b_step) {
      V factor[kVecs];
      for (int v = 0; v < kVecs; ++v) factor[v] = load(b + v * kL);
#pragma GCC unroll 12
      for (int i = 0; i < kCount; ++i) {
        for (int v = 0; v < kVecs; ++v) sum[i][v] += place[i][p] * factor[v];
      }
    }
  }
#pragma GCC unroll 12
  for (int i = 0; i < kCount; ++i) {
    float* to = rows[i].to;
    for (int v = 0; v < kVecs; ++v) store(to + v * kL, load(to + v * kL) + sum[i][v]);
  }
}

// The rows of one tile of more's convolutions, on top of `start`, or of what is there if that is
// null. Sums of about kFewProducts, added up, err less than one long sum.
template <int kCount>
void multiply_rows(const TileRow* rows, const Products& products, bool is_narrow,
                   const float* start) {
  for (int i = 0; start != nullptr && i < kCount; ++i) std::copy_n(start, kPanel, rows[i].to);
  const auto tile = is_narrow ? &multiply_tile<kCount, 1> : &multiply_tile<kCount, 2>;
  const std::vector<Run>& runs = products.runs;
  for (size_t first = 0, last = 0; first < runs.size(); first = last) {
    int64_t few = 0;
    while (last < runs.size() && few < kFewProducts) few += runs[last++].length;
    tile(rows, products, first, last);
  }
}

// more's products for any number of rows, row(i) each; `is_narrow`: half of the panel
// is enough.
template <class F>
void multiply(int64_t count, F row, const Products& products, bool is_narrow, const float* start) {
  int64_t i = 0;
  const auto take = [&](auto size) {
    constexpr int kCount = decltype(size)::value;
    while (count - i >= kCount) {
      TileRow rows[kCount];
      for (int k = 0; k < kCount; ++k) rows[k] = row(i++);
      multiply_rows<kCount>(rows, products, is_narrow, start);
    }
  };
  take(std::integral_constant<int, kRows>{});
  take(std::integral_constant<int, kRows * 2 / 3>{});
  take(std::integral_constant<int, 2>{});
  take(std::integral_constant<int, 1>{});
}
}  // namespace
}  // namespace norch
