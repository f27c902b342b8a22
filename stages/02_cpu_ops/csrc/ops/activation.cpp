// Checks and allocation for the activations.
#include "ops/activation.h"

#include "ops/copy.h"

namespace norch {
namespace {
constexpr int64_t kGrain = 1 << 12;       // elements worth a chunk: an exponential each
constexpr int64_t kCheapGrain = 1 << 15;  // a product or two each

// The door's choice of the kernels' loops: for float32 or float64.
const ActivationRows& rows_for(DType compute) {
  const ActivationTable& t = kernels<ActivationTable>();
  return compute == DType::kFloat64 ? t.float64 : t.float32;
}
}  // namespace

// What messages call an activation.
const char* name_of(Activation kind) {
  constexpr const char* kNames[kNumActivations] = {"gelu", "gelu",    "silu",
                                                   "tanh", "sigmoid", "relu"};
  return kNames[static_cast<int>(kind)];
}

// What messages call an activation's gradient.
const char* backward_name_of(Activation kind) {
  constexpr const char* kNames[kNumActivations] = {"gelu_backward",    "gelu_backward",
                                                   "silu_backward",    "tanh_backward",
                                                   "sigmoid_backward", "relu_backward"};
  return kNames[static_cast<int>(kind)];
}

// Door of gelu and silu: checks the dtype, allocates, walks.
Array activation(Activation kind, const Array& a) {
  check_floating(a, name_of(kind));
  const DType compute = compute_type(a.dtype);
  Array out = Array::empty_like(a, a.dtype);
  const Array* operands[] = {&out, &a};
  const DType stored[] = {a.dtype, a.dtype}, computed[] = {compute, compute};
  const RowFn row = rows_for(compute).forward[static_cast<int>(kind)];
  walk_converting(make_plan(operands, 2), stored, computed, row, nullptr, kGrain);
  return out;
}

// Door of the activations' gradients: checks, allocates, walks.
Array activation_backward(Activation kind, const Array& grad, const Array& saved) {
  const char* op = backward_name_of(kind);
  check_floating(saved, op);
  if (!grad.same_shape(saved) || grad.dtype != saved.dtype) {
    raise<ShapeError>("[", op, "] grad is ", name_of(grad.dtype), " ", grad.shape_text(),
                      " but the saved array ", name_of(saved.dtype), " ", saved.shape_text(),
                      ": both must be alike");
  }
  const DType compute = compute_type(saved.dtype);
  Array out = Array::empty_like(saved, saved.dtype);
  const Array* operands[] = {&out, &grad, &saved};
  const DType stored[] = {saved.dtype, saved.dtype, saved.dtype};
  const DType computed[] = {compute, compute, compute};
  const int64_t grain = kind < Activation::kTanh ? kGrain : kCheapGrain;
  const RowFn row = rows_for(compute).backward[static_cast<int>(kind)];
  walk_converting(make_plan(operands, 3), stored, computed, row, nullptr, grain);
  return out;
}
}  // namespace norch
