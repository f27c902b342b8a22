// Broadcasting: stage 1 owns the rule, so shapes that differ are sent there; equal ones never are.
#pragma once

#include "bindings/python.h"

namespace norch {

// Both become views of one shape. RuntimeError, in stage 1's words, when there is none.
void broadcast(Array& a, Array& b);
// `a` seen with the shape of `model`.
Array broadcast_to(const Array& a, const Array& model, const char* op);
// All `count` arrays become views of one shape.
void broadcast_all(Array* const* arrays, int count, const char* op);

}  // namespace norch
