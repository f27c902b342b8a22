// What running sums and products are carried in and returned as: float adds in double, whole
// numbers in 64 bits. Used by reduce.cu and cumulative.cu.
#pragma once

#include "kernel.h"

template <class N>
struct Sum {
  using carried = i64;
  using result = i64;
};
template <>
struct Sum<float> {
  using carried = double;
  using result = float;
};
template <>
struct Sum<double> {
  using carried = double;
  using result = double;
};
