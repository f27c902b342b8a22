// Products with a matrix that is used many times: packed once, in the order in which the register
// tile of matmul_tile.h reads it, it meets few rows at a time. OpenBLAS would pack it at each
// product. The other operand is read where it lies: few rows stay in L1. For attention.cpp and
// recurrent.cpp; never sees an Array.
#pragma once

#include <algorithm>

#include "core/storage.h"
#include "core/thread_pool.h"
#include "kernels/matmul_tile.h"

namespace norch {
namespace {
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
  // and c has room for whole vectors.
  void multiply_columns(const MatrixView<T>& a, int64_t first, int64_t cols, T* c,
                        int64_t ldc) const {
    const int64_t begin = first / kTileCols<T>;
    each_panel(a, begin, begin + panels_of(cols), [&](int64_t panel) {
      const int64_t column = panel * kTileCols<T> - first;
      const int64_t left = (cols - column + kLanes<T> - 1) / kLanes<T> * kLanes<T>;
      multiply_panel(a, at(0, panel), c + column, ldc, std::min<int64_t>(kTileCols<T>, left),
                     false);
    });
  }

 private:
  static constexpr int64_t kDepth = 1024 / int64_t(sizeof(T));  // a panel stays near
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

  // c (m, width) (+)= a (m, k) times a panel of b.
  void multiply_panel(const MatrixView<T>& a, const T* b, T* c, int64_t ldc, int64_t width,
                      bool accumulate) const {
    for (int64_t p = 0; p == 0 || p < a.cols; p += kDepth) {
      const int64_t depth = std::min(kDepth, a.cols - p);
      const MatrixView<T> panel{b + p * kTileCols<T>, depth, width, kTileCols<T>, 1};
      for (int64_t i = 0; i < a.rows; i += kTileRows) {
        const int64_t rows = std::min<int64_t>(kTileRows, a.rows - i);
        multiply_tile(a.row_range(i, rows).col_range(p, depth), panel, c + i * ldc, ldc,
                      accumulate || p > 0);
      }
    }
  }

  int64_t depth_, cols_;
  Room<T> room_;
};
}  // namespace
}  // namespace norch
