// Doors of the random numbers.  Nothing is remembered between calls: the same (seed, offset) gives
// the same numbers again, and a call that made n elements is continued by offset + n (the next
// multiple of 2 for normals).  The rule itself is stated in kernels/philox.h.
#pragma once

#include "core/array.h"

namespace norch {
Array uniform(const Dims& shape, double low, double high, DType dtype, uint64_t seed,
              uint64_t offset);
Array normal(const Dims& shape, double mean, double std, DType dtype, uint64_t seed,
             uint64_t offset);
Array randint(const Dims& shape, int64_t low, int64_t high, uint64_t seed, uint64_t offset);
Array randperm(int64_t n, uint64_t seed, uint64_t offset);
Array bernoulli(const Dims& shape, double p, DType dtype, uint64_t seed, uint64_t offset);
}  // namespace norch
