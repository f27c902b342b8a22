// Doors of the lesson kernels. `level` is one of kMatmulLevels or kSumLevels.
#pragma once

#include <string>

#include "core/array.h"
#include "kernels/lessons.h"

namespace norch {
// a (m, k) b (k, n), contiguous float32 matrices -> (m, n); always on one thread.
Array lesson_matmul(const Array& a, const Array& b, const std::string& level);
// How many numbers of b the level "blocked" fetches from memory, if a cache holds one block.
int64_t lesson_fetches(const Array& a, const Array& b);
// The sum of a contiguous float32 array.
float lesson_sum(const Array& a, const std::string& level);

// Lets lesson kernels do the library's own float32 work, as a reader who wrote them may want:
// products of matrices that fill a tile of registers (`large`), other products (`small`), sums of
// whole contiguous arrays (`sum`). "" gives the work back to the fast kernels. To be called before
// any work begins.
void use_lessons(const std::string& large, const std::string& small, const std::string& sum);

// Whether a chosen lesson kernel did it: c = a b, or c += a b; the sum of all of `a`.
bool lesson_multiplies(const Array& a, const Array& b, Array& c, bool accumulate);
bool lesson_sums(const Array& a, Array& out);
}  // namespace norch
