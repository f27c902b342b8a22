// An operand that may be left out, and the check of one that has a number for each channel.
#pragma once

#include "core/dtype_error.h"
#include "ops/copy.h"

namespace norch {

// `a` contiguous, and float32 instead of a half; null where it was not given.
struct Optional {
  Array array;
  const Array* get = nullptr;
  explicit Optional(const Array* a) {
    if (a == nullptr) return;
    array = contiguous_as(*a, compute_type(a->dtype));
    get = &array;
  }
  Optional(const Optional&) = delete;
};

// `what` of x, whose channels are its dim `dim`.
inline void check_like_channels(const Array& x, int dim, const Array* a, const char* what,
                                const char* op) {
  if (a == nullptr) return;
  if (a->ndim != 1 || a->shape[0] != x.shape[dim]) {
    raise<ShapeError>("[", op, "] ", what, " ", a->shape_text(), " does not match x ",
                      x.shape_text(), ": expected (", x.shape[dim], ",)");
  }
  if (a->dtype != x.dtype) {
    raise<DTypeError>("[", op, "] x is ", name_of(x.dtype), " but ", what, " is ",
                      name_of(a->dtype));
  }
}

}  // namespace norch
