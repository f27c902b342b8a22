// Filling memory with random numbers by the rule of philox.h: out[i] has position first + i, so
// that a range can be cut anywhere and given to any thread.
#pragma once

#include "core/dtype.h"
#include "core/isa.h"

namespace norch {
struct RandomTable {
  void (*uniform)(uint64_t seed, uint64_t first, int64_t count, double low, double high,
                  DType dtype, void* out);
  void (*normal)(uint64_t seed, uint64_t first, int64_t count, double mean, double std, DType dtype,
                 void* out);
  // low ... low + range - 1
  void (*integers)(uint64_t seed, uint64_t first, int64_t count, int64_t low, uint64_t range,
                   int64_t* out);
  // 1 where a word is below `threshold` (probability * 2^32), else 0; any dtype
  void (*bernoulli)(uint64_t seed, uint64_t first, int64_t count, uint64_t threshold, DType dtype,
                    void* out);
};
}  // namespace norch
