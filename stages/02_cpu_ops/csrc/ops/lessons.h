// Doors of the lesson kernels. `level` is one of kMatmulLevels or kSumLevels.
#pragma once

#include <string>

#include "core/array.h"
#include "kernels/lessons.h"

namespace norch {

// a (m, k) b (k, n), contiguous float32 matrices -> (m, n); always on one thread.
Array lesson_matmul(const Array& a, const Array& b, const std::string& level);
// The sum of a contiguous float32 array.
float lesson_sum(const Array& a, const std::string& level);

}  // namespace norch
