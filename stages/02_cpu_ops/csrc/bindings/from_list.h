// Nested Python lists to an array, in one walk.
#pragma once

#include <optional>

#include "bindings/python.h"

namespace norch {

// bools -> bool, ints -> int64 (exactly), anything with a float -> float32, unless dtype is given.
Array from_list(PyObject* nested, std::optional<DType> dtype);

}  // namespace norch
