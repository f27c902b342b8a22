// What every matrix kernel reads: a window on somebody's memory, with strides in elements.
// A transposed, sliced or broadcast matrix is the same memory under another MatrixView.
#pragma once

#include <cstdint>

namespace norch {
template <class T>
struct MatrixView {
  const T* data;
  int64_t rows, cols, row_stride, col_stride;

  const T* at(int64_t i, int64_t j) const { return data + i * row_stride + j * col_stride; }
  MatrixView transposed() const { return {data, cols, rows, col_stride, row_stride}; }
  MatrixView row_range(int64_t first, int64_t count) const {
    return {at(first, 0), count, cols, row_stride, col_stride};
  }
  MatrixView col_range(int64_t first, int64_t count) const {
    return {at(0, first), rows, count, row_stride, col_stride};
  }
};
}  // namespace norch
