// An operand that may be left out.
#pragma once

#include "ops/copy.h"

namespace norch {

// `a` contiguous, or null where it was not given.
struct Optional {
  Array array;
  const Array* get = nullptr;
  explicit Optional(const Array* a) {
    if (a == nullptr) return;
    array = contiguous(*a);
    get = &array;
  }
  Optional(const Optional&) = delete;
};

}  // namespace norch
