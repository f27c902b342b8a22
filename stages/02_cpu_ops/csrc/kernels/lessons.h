// The lesson kernels: the same product and the same sum, each written four times, from the loop one
// writes first to one that keeps the machine busy. They stand beside the fast kernels (matmul.cpp,
// reduce.cpp), which go one step further, and are tested against them. float32, contiguous.
#pragma once

#include <cstdint>

#include "core/isa.h"

namespace norch {
// c (m, n) = a (m, k) b (k, n), all row-major.
using LessonMatmul = void (*)(const float* a, const float* b, float* c, int64_t m, int64_t n,
                              int64_t k);
using LessonSum = float (*)(const float* x, int64_t n);

inline constexpr int kLessonLevels = 4;
inline constexpr const char* kMatmulLevels[kLessonLevels] = {"naive", "reordered", "blocked",
                                                             "registers"};
inline constexpr const char* kSumLevels[kLessonLevels] = {"naive", "unrolled", "vectorised",
                                                          "pairwise"};

struct LessonTable {
  LessonMatmul matmul[kLessonLevels];
  // How many numbers of b the blocked product fetches from memory, if a cache holds one block.
  int64_t (*fetches)(const float* a, const float* b, int64_t m, int64_t n, int64_t k);
  LessonSum sum[kLessonLevels];
  // What there is to reach: `rounds` rounds of independent multiply-adds in registers. Returns how
  // many floating point operations that was.
  double (*multiply_adds)(int64_t rounds, volatile float* out);
  LessonSum read;  // as much arithmetic as it takes to look at every number, and no more
};
}  // namespace norch
