// Products with a matrix that is used many times: packed once, in the order in which the register
// tile of matmul_tile.h reads it, it meets few rows at a time. OpenBLAS would pack it at each
// product. The other operand is read where it lies: few rows stay in L1. For attention.cpp and
// recurrent.cpp; never sees an Array.
#pragma once

#include <algorithm>
#include <type_traits>

#include "core/storage.h"
#include "core/thread_pool.h"
#include "kernels/matmul_tile.h"

namespace norch {
namespace {
// c (Rows, kTileCols) (+)= a (Rows, depth) times a panel of b.
template <int Rows, class T>
void multiply_strip(const MatrixView<T>& a, const T* __restrict b, T* __restrict c, int64_t ldc,
                    bool accumulate) {
  constexpr int kL = kLanes<T>;
  const int64_t step = a.row_stride;
  const T* column = a.data;
  Vec<T> sum[Rows][2] = {};
  for (int64_t p = 0; p < a.cols; ++p, b += 2 * kL, column += a.col_stride) {
    const Vec<T> b0 = load(b), b1 = load(b + kL);
#pragma GCC unroll 12
    for (int i = 0; i < Rows; ++i) {
      sum[i][0] += column[i * step] * b0;
      sum[i][1] += column[i * step] * b1;
    }
  }
#pragma GCC unroll 12
  for (int i = 0; i < Rows; ++i, c += ldc) {
    store(c, accumulate ? load(c) + sum[i][0] : sum[i][0]);
    store(c + kL, accumulate ? load(c + kL) + sum[i][1] : sum[i][1]);
  }
}

// A panel of b for all rows of a, in tiles of twelve, four and one.
template <class T>
void multiply_strips(const MatrixView<T>& a, const T* b, T* c, int64_t ldc, bool accumulate) {
  int64_t i = 0;
  const auto strips = [&](auto rows) {
    constexpr int kRows = decltype(rows)::value;
    for (; i + kRows <= a.rows; i += kRows) {
      multiply_strip<kRows>(a.row_range(i, kRows), b, c + i * ldc, ldc, accumulate);
    }
  };
  strips(std::integral_constant<int, kTileRows>{});
  strips(std::integral_constant<int, 4>{});
  strips(std::integral_constant<int, 1>{});
}

// b (depth, cols), packed.
template <class T>
class Packed {
 public:
  explicit Packed(const MatrixView<T>& b)
      : depth_(b.rows), cols_(b.cols), room_(panels_of(b.cols) * kTileCols<T> * b.rows) {
    pack_b(b, room_.data());
  }

  // c (m, cols) (+)= a (m, k) times the rows first..first+k of b.
  void multiply(const MatrixView<T>& a, T* c, int64_t ldc, bool accumulate,
                int64_t first = 0) const {
    each_panel(a, 0, panels_of(cols_), [&](int64_t panel) {
      const int64_t begin = panel * kTileCols<T>;
      const int64_t width = std::min<int64_t>(kTileCols<T>, cols_ - begin);
      multiply_panel(a, at(first, panel), c + begin, ldc, width, accumulate);
    });
  }

  // c (m, cols) = a (m, depth) times the columns first..first+cols of b; `first` begins a panel,
  // and c has room for whole panels.
  void multiply_columns(const MatrixView<T>& a, int64_t first, int64_t cols, T* c,
                        int64_t ldc) const {
    const int64_t begin = first / kTileCols<T>;
    each_panel(a, begin, begin + panels_of(cols), [&](int64_t panel) {
      multiply_panel(a, at(0, panel), c + panel * kTileCols<T> - first, ldc, kTileCols<T>, false);
    });
  }

 private:
  static constexpr int64_t kDepth = 1024 / int64_t(sizeof(T));  // a panel this deep stays in L1
  static constexpr int64_t kProduct = 1 << 18;  // multiply-adds worth another thread

  static int64_t panels_of(int64_t cols) { return (cols + kTileCols<T> - 1) / kTileCols<T>; }
  const T* at(int64_t row, int64_t panel) const {
    return room_.data() + (panel * depth_ + row) * kTileCols<T>;
  }

  template <class F>
  void each_panel(const MatrixView<T>& a, int64_t begin, int64_t end, F work) const {
    const int64_t cost = std::max<int64_t>(1, a.rows * a.cols * kTileCols<T>);
    parallel_for(end - begin, std::max<int64_t>(1, kProduct / cost), [&](int64_t i, int64_t last) {
      for (; i < last; ++i) work(begin + i);
    });
  }

  void multiply_panel(const MatrixView<T>& a, const T* b, T* c, int64_t ldc, int64_t width,
                      bool accumulate) const {
    for (int64_t p = 0; p == 0 || p < a.cols; p += kDepth) {
      const MatrixView<T> part = a.col_range(p, std::min(kDepth, a.cols - p));
      const bool add = accumulate || p > 0;
      if (width == kTileCols<T>) {
        multiply_strips(part, b + p * kTileCols<T>, c, ldc, add);
      } else {
        multiply_edge(part, b + p * kTileCols<T>, c, ldc, width, add);
      }
    }
  }

  // The last panel hangs over the edge of c: some rows into a whole one, then its inside.
  static void multiply_edge(const MatrixView<T>& a, const T* b, T* c, int64_t ldc, int64_t width,
                            bool accumulate) {
    T whole[kTileRows * kTileCols<T>];
    for (int64_t i = 0; i < a.rows; i += kTileRows) {
      const int64_t rows = std::min<int64_t>(kTileRows, a.rows - i);
      multiply_strips(a.row_range(i, rows), b, whole, kTileCols<T>, false);
      for (int64_t r = 0; r < rows; ++r) {
        const T* from = whole + r * kTileCols<T>;
        T* out = c + (i + r) * ldc;
        for (int64_t j = 0; j < width; ++j) out[j] = accumulate ? out[j] + from[j] : from[j];
      }
    }
  }

  int64_t depth_, cols_;
  Room<T> room_;
};
}  // namespace
}  // namespace norch
