// Matrix products of arrays whose shapes were checked and whose batches were broadcast at the door
// (bindings/bind_matmul.cpp).  Three levels stand side by side and are tested against each other:
// the naive loops, norch's own packed register tiles, and OpenBLAS when it is installed; it
// multiplies where there is no AVX-512.
#pragma once

#include "core/array.h"
#include "core/isa.h"

namespace norch {
enum class MatmulPath { kAutomatic, kNaive, kBlocked };

struct MatmulTable {
  // out (..., m, n) = a (..., m, k) b (..., k, n), or += with `accumulate`.  One dtype; equal batch
  // shapes, 0 strides allowed; `out` is contiguous.
  void (*matmul)(const Array& a, const Array& b, Array& out, bool accumulate, MatmulPath path);
};

// Products with more multiply-adds than this go to OpenBLAS or to the tiles. The rule looks at the
// size alone, so that the same call gives the same bits before and after the library is loaded.
inline constexpr int64_t kSmallProduct = 128;
}  // namespace norch
