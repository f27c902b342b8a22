// Doors of the matrix products: shapes and dtypes are checked here, vectors become matrices and
// batches are made equal; kernels/matmul.cpp does the work.
#pragma once

#include "core/array.h"
#include "kernels/matmul.h"

namespace norch {
// Gives two arrays of matrices the same batch shape.  Stage 1 knows that rule, so the bindings pass
// a function that asks it; it is called only when the batches differ.
using BroadcastBatches = void (*)(Array& a, Array& b);

// As torch.matmul: (n) (n) -> (), (m, k) (k) -> (m), (..., m, k) (..., k, n) -> (..., m, n).
Array matmul(const Array& a, const Array& b, MatmulPath path, BroadcastBatches broadcast);

// x (..., in) weight (out, in) bias (out) or null -> x @ weight.T + bias (..., out)
Array linear(const Array& x, const Array& weight, const Array* bias, BroadcastBatches broadcast);

// As linear, of weights of int8 with a scale (out) for each row: x is rounded to int8 too, each row
// by its own largest magnitude, and the sums are int32. x, scale and bias are float32.
Array linear_int8(const Array& x, const Array& weight, const Array& scale, const Array* bias);

// The matrices of `a` with the shape and strides of `batch` in front of them.
Array with_batch(const Array& a, const Array& batch);
}  // namespace norch
