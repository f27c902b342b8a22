// One integer for all directions of a window's stride, padding or dilation, or one for each.
#pragma once

#include "bindings/python.h"
#include "ops/window.h"

namespace norch {

// Fills the last `count` of the directions depth, height, width.
inline void copy_sizes(const char* op, int count, const Dims& dims, int64_t* directions,
                       const char* what) {
  if (dims.n != 1 && dims.n != count) {
    raise<Error>("[", op, "] expected ", what, " as one or ", count == 2 ? "two" : "three",
                 " integers, got ", dims.n);
  }
  for (int i = 0; i < count; ++i) {
    directions[kDirections - count + i] = dims[dims.n == 1 ? 0 : i];
  }
}

}  // namespace norch
