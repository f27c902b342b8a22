// Matrix multiplication as the textbook writes it: three loops, any strides, any number type.
// It is the reference that matmul_blocked and OpenBLAS are tested against.
#pragma once

#include "core/matrix.h"

namespace norch {
namespace {
// c[i, j] (+)= sum over p of a[i, p] b[p, j]      a (m, k), b (k, n), c (m, n) with row stride ldc
template <class T>
void matmul_naive(MatrixView<T> a, MatrixView<T> b, T* c, int64_t ldc, bool accumulate) {
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < b.cols; ++j) {
      T sum = accumulate ? c[i * ldc + j] : T(0);
      for (int64_t p = 0; p < a.cols; ++p) sum = T(sum + *a.at(i, p) * *b.at(p, j));
      c[i * ldc + j] = sum;
    }
  }
}
}  // namespace
}  // namespace norch
