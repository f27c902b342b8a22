// Products with weights of int8. A row of float32 numbers is kept as whole numbers from -127 to 127
// and one scale: number = whole * scale, off by half a scale at most.
#pragma once

#include <cstdint>

#include "core/isa.h"

namespace norch {
// All contiguous; `bias` may be null.
struct Int8Product {
  const float* x;        // (m, k), each row rounded to whole numbers when the product is taken
  const int8_t* weight;  // (n, k)
  const float* scale;    // (n), of weight's rows
  const float* bias;     // (n)
  float* out;            // (m, n)
  int64_t m, n, k;       // k <= kMostInt8Columns
};

// 255 * 127 times this is the largest sum that int32 holds.
inline constexpr int64_t kMostInt8Columns = 66311;

struct QuantizedTable {
  void (*linear_int8)(const Int8Product& p);
};
}  // namespace norch
