// One or two integers for a window's stride, padding or dilation: an int counts for both
// directions.
#pragma once

#include "bindings/python.h"

namespace norch {

inline void copy_pair(const char* op, const Dims& dims, int64_t* pair, const char* what) {
  if (dims.n != 1 && dims.n != 2) {
    raise<Error>("[", op, "] expected ", what, " as one or two integers, got ", dims.n);
  }
  pair[0] = dims[0];
  pair[1] = dims[dims.n - 1];
}

}  // namespace norch
