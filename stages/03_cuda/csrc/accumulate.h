// The accumulate type, in which running sums and products are kept, and the type of the result:
// float adds in double, whole numbers in 64 bits. Used by reduce.cu and cumulative.cu.
#pragma once

#include "kernel.h"

template <class N>
struct Accumulate {
  using type = i64;
  using result = i64;
};
template <>
struct Accumulate<float> {
  using type = double;
  using result = float;
};
template <>
struct Accumulate<double> {
  using type = double;
  using result = double;
};
