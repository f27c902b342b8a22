// The error for an array whose elements have the wrong type: two dtypes that do not go together,
// or one that an operation has no kernel for.
#pragma once

#include "core/array.h"
#include "core/error.h"

namespace norch {

// -> norch_cpu_ops.DTypeError: a TypeError, as Python would say, and a RuntimeError, as PyTorch
// does.
struct DTypeError : TypeError {
  using TypeError::TypeError;
};

inline void check_floating(const Array& a, const char* op) {
  if (is_floating(a.dtype)) return;
  raise<DTypeError>("[", op, "] expected a floating array, got ", name_of(a.dtype),
                    ": cast to float32 first");
}

}  // namespace norch
