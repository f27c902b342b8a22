// activation: gelu and silu, and the gradients of all activations. T is float or double.
//
// A gradient reads the activation's input, or its result where that is enough: then the input need
// not be kept. One thread: the elements of its share, see elementwise.h.

#include "elementwise.h"

// gelu(x) = x P(x), P the share of a normal distribution below x. Its derivative is
// P(x) + x p(x), with the density p.
__device__ inline T normal_share(T x) { return (1 + erf(x * T(0.7071067811865476))) / 2; }
__device__ inline T normal_density(T x) { return exp(-x * x / 2) * T(0.3989422804014327); }

// gelu by tanh: (1 + tanh(u)) / 2 in place of P, u = sqrt(2 / pi) (x + 0.044715 x^3).
constexpr double kRoot = 0.7978845608028654, kCubic = 0.044715;
__device__ inline T tanh_of_cubic(T x) { return tanh(T(kRoot) * (x + T(kCubic) * x * x * x)); }
__device__ inline T gelu_tanh_slope(T x) {
  T t = tanh_of_cubic(x), du = T(kRoot) * (1 + 3 * T(kCubic) * x * x);
  return (1 + t) / 2 + x / 2 * (1 - t * t) * du;
}

// exp never overflows.
__device__ inline T logistic(T x) { return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x)); }
__device__ inline T silu_slope(T x) {
  T s = logistic(x);
  return s * (1 + x * (1 - s));
}

UNARY(gelu, T, x* normal_share(x))
UNARY(gelu_tanh, T, x * (1 + tanh_of_cubic(x)) / 2)
UNARY(silu, T, x / (1 + exp(-x)))

// The gradients: x is the one of the result, y the saved array.
BINARY(relu_backward, T, y <= 0 ? T(0) : x)
BINARY(tanh_backward, T, x * (1 - y * y))
BINARY(sigmoid_backward, T, x * y * (1 - y))
BINARY(gelu_backward, T, x*(normal_share(y) + y * normal_density(y)))
BINARY(gelu_tanh_backward, T, x* gelu_tanh_slope(y))
BINARY(silu_backward, T, x* silu_slope(y))
