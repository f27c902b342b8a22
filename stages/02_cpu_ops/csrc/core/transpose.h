// Blocks of a matrix turned over: what a walk uses when an operand runs across the rows.
#pragma once

#include <cstdint>

#include "core/isa.h"

namespace norch {
struct TransposeTable {
  // out[r * lines + c] = in[c][r], r < rows: `lines` lines of `rows` neighbours each, the lines
  // `step` bytes apart, become `rows` rows. By the size of an element: 1, 2, 4 or 8 bytes.
  void (*block[4])(char* out, const char* in, int64_t step, int64_t rows, int64_t lines);
};
}  // namespace norch
