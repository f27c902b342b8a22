// Doors of the elementwise operations: result types by PyTorch's rules, allocation, dispatch.
// Arrays arrive broadcast to one shape already (bindings/layouts.h); zero-dimensional arrays and
// numbers go with every shape.
#pragma once

#include "core/array.h"
#include "kernels/elementwise.h"

namespace norch {
// An input that is either an array or a number (array null).
struct Term {
  const Array* array = nullptr;
  Scalar scalar;

  bool is_single() const { return array == nullptr || array->ndim == 0; }
};

// PyTorch's result type: arrays with dimensions come first; a zero-dimensional array, and after it
// a Python number, only lift the category (bool < integer < floating).
DType result_type(const Term* terms, int count);

Array arithmetic(ArithmeticOp op, const Term& a, const Term& b);
void arithmetic_(ArithmeticOp op, Array& destination, const Term& b);  // destination op= b
Array compare(CompareOp op, const Term& a, const Term& b);
Array unary(UnaryOp op, const Array& a);
Array test(TestOp op, const Array& a);
Array where(const Array& condition, const Term& a, const Term& b);
Array clamp(const Array& a, const Scalar* min, const Scalar* max);

const char* name_of(ArithmeticOp op);
const char* in_place_name_of(ArithmeticOp op);  // of the four that arithmetic_ takes
const char* name_of(CompareOp op);
const char* name_of(UnaryOp op);
const char* name_of(TestOp op);
}  // namespace norch
