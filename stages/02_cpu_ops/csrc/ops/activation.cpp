// Checks and allocation for the activations.
#include "ops/activation.h"

#include "core/dtype_error.h"
#include "ops/convert_walk.h"

namespace norch {
namespace {

constexpr int64_t kGrain = 1 << 12;       // elements worth a chunk: an exponential each
constexpr int64_t kCheapGrain = 1 << 15;  // a product or two each

const ActivationRows& rows_for(DType compute) {
  const ActivationTable& t = kernels<ActivationTable>();
  return compute == DType::kFloat64 ? t.float64 : t.float32;
}

}  // namespace

const char* name_of(Activation kind) {
  constexpr const char* kNames[kNumActivations] = {"gelu", "gelu",    "silu",
                                                   "tanh", "sigmoid", "relu"};
  return kNames[static_cast<int>(kind)];
}

const char* backward_name_of(Activation kind) {
  constexpr const char* kNames[kNumActivations] = {"gelu_backward",    "gelu_backward",
                                                   "silu_backward",    "tanh_backward",
                                                   "sigmoid_backward", "relu_backward"};
  return kNames[static_cast<int>(kind)];
}

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
