// float16 and bfloat16 are computed in float32: cast on the way in, cast back on the way out.
#pragma once

#include "core/dtype.h"

namespace norch {

inline DType widened(DType t) {
  return t == DType::kFloat16 || t == DType::kBFloat16 ? DType::kFloat32 : t;
}

}  // namespace norch
