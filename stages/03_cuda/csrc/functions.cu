// functions: mathematics on real numbers, activations, and the gradients of activations. T is a
// real type. One thread: the elements of its share, see elementwise.h.

#include "elementwise.h"

// The x with erf(x) = y: S. Winitzki's two digits of it, then Halley's steps in double, each of
// which has three times the digits. Near 1 they use 1 - erf, whose digits are not lost.
__device__ inline double inverse_erf(double y) {
  double size = fabs(y), rest = 1.0 - size;
  if (!(size < 1.0)) return size == 1.0 ? copysign(double(infinity()), y) : sqrt(-1.0);
  double w = -log1p(-size) - log1p(size), half = 4.3307467508 - w / 2;
  double x = sqrt(sqrt(half * half + w / 0.147) - half);
  for (int step = 0; step < 4; step++) {
    double error = size < 0.5 ? erf(x) - size : rest - erfc(x);
    double move = error * 0.88622692545275801365 * exp(x * x);
    x -= move / (1.0 + x * move);
  }
  return copysign(x, y);
}

UNARY(exp, T, exp(x))
UNARY(expm1, T, expm1(x))
UNARY(log, T, log(x))
UNARY(log1p, T, log1p(x))
UNARY(log2, T, log2(x))
UNARY(sqrt, T, sqrt(x))
UNARY(rsqrt, T, C(1) / sqrt(x))
UNARY(sin, T, sin(x))
UNARY(cos, T, cos(x))
UNARY(tan, T, tan(x))
UNARY(asin, T, asin(x))
UNARY(acos, T, acos(x))
UNARY(atan, T, atan(x))
UNARY(sinh, T, sinh(x))
UNARY(cosh, T, cosh(x))
UNARY(tanh, T, tanh(x))
UNARY(asinh, T, asinh(x))
UNARY(acosh, T, acosh(x))
UNARY(atanh, T, atanh(x))
UNARY(sigmoid, T, logistic(x))
UNARY(reciprocal, T, C(1) / x)
UNARY(floor, T, floor(x))
UNARY(ceil, T, ceil(x))
UNARY(round, T, rint(x))  // halves go to the even neighbour
UNARY(trunc, T, trunc(x))
UNARY(erf, T, erf(x))
UNARY(erfc, T, erfc(x))
UNARY(erfinv, T, inverse_erf(x))

BINARY(div, T, x / y)
BINARY(atan2, T, atan2(x, y))

// gelu(x) = x P(x), P the share of a normal distribution below x. Its derivative is
// P(x) + x p(x), with the density p.
__device__ inline C normal_share(C x) { return erfc(x * C(-0.7071067811865476)) / 2; }
__device__ inline C normal_density(C x) { return exp(-x * x / 2) * C(0.3989422804014327); }

// gelu by tanh: (1 + tanh(u)) / 2 in place of P, u = sqrt(2 / pi) (x + 0.044715 x^3). That is the
// logistic function of 2 u, which keeps its digits in the left tail.
constexpr double kRoot = 1.5957691216057308, kCubic = 0.044715;
__device__ inline C gelu_tanh_share(C x) {
  return logistic(C(kRoot) * (x + C(kCubic) * x * x * x));
}
__device__ inline C gelu_tanh_slope(C x) {
  C s = gelu_tanh_share(x), du = C(kRoot) * (1 + 3 * C(kCubic) * x * x);
  return s + x * (s * (1 - s)) * du;
}

// The derivative of silu.
__device__ inline C silu_slope(C x) {
  C s = logistic(x);
  return s * (1 + x * (1 - s));
}

UNARY(gelu, T, x* normal_share(x))
UNARY(gelu_tanh, T, x* gelu_tanh_share(x))
UNARY(silu, T, x / (1 + exp(-x)))

// The gradients: x is the one of the result, y the activation's input, or its result where that is
// enough: then the input need not be kept.
BINARY(relu_backward, T, y <= 0 ? C(0) : x)
BINARY(tanh_backward, T, x * (1 - y * y))
BINARY(sigmoid_backward, T, x * y * (1 - y))
BINARY(gelu_backward, T, x*(normal_share(y) + y * normal_density(y)))
BINARY(gelu_tanh_backward, T, x* gelu_tanh_slope(y))
BINARY(silu_backward, T, x* silu_slope(y))
