// binary: arithmetic on two operands of one type T. One thread: the elements of its share,
// see elementwise.h.

#include "elementwise.h"

// Python's // and %: the quotient is rounded down, the remainder has the sign of the divisor.
template <class F>
__device__ F real_floor_quotient(F x, F y) {
  if (y == F(0)) return x / y;
  F rest = fmod(x, y), quotient = (x - rest) / y;
  if (rest != F(0) && (rest < F(0)) != (y < F(0))) quotient -= F(1);
  return quotient == F(0) ? copysign(F(0), x / y) : rint(quotient);
}
__device__ inline float floor_quotient(float x, float y) { return real_floor_quotient(x, y); }
__device__ inline double floor_quotient(double x, double y) { return real_floor_quotient(x, y); }
__device__ inline float truncated_rest(float x, float y) { return fmod(x, y); }
__device__ inline double truncated_rest(double x, double y) { return fmod(x, y); }
__device__ inline float power(float x, float y) { return pow(x, y); }
__device__ inline double power(double x, double y) { return pow(x, y); }

// Whole numbers; the host has refused a zero divisor. Dividing by -1 apart: the lowest number
// overflows.
template <class I>
__device__ I truncated_rest(I x, I y) {
  return y == I(0) || y == I(-1) ? I(0) : I(x % y);
}
template <class I>
__device__ I floor_quotient(I x, I y) {
  if (y == I(0)) return I(0);
  if (I(-1) < I(0) && y == I(-1)) return I(0 - static_cast<u64>(x));
  I quotient = I(x / y), rest = I(x % y);
  return rest != I(0) && (rest < I(0)) != (y < I(0)) ? I(quotient - 1) : quotient;
}
// x to the power y by squaring; a negative power is 0 unless x is 1 or -1.
template <class I>
__device__ I power(I x, I y) {
  if (y < I(0)) return x == I(1) ? I(1) : x == I(-1) ? (y % 2 == 0 ? I(1) : I(-1)) : I(0);
  u64 result = 1, base = static_cast<u64>(x);
  for (u64 left = static_cast<u64>(y); left > 0; left >>= 1) {
    if (left & 1) result *= base;
    base *= base;
  }
  return static_cast<I>(result);
}
template <class N>
__device__ N floored_rest(N x, N y) {
  N rest = truncated_rest(x, y);
  return rest != N(0) && (rest < N(0)) != (y < N(0)) ? N(rest + y) : rest;
}

BINARY(add, T, x + y)
BINARY(sub, T, x - y)
BINARY(mul, T, x* y)
BINARY(maximum, T, x != x || x > y ? x : y)  // a NaN on either side is the result
BINARY(minimum, T, x != x || x < y ? x : y)
BINARY(floor_divide, T, floor_quotient(x, y))
BINARY(remainder, T, floored_rest(x, y))
BINARY(fmod, T, truncated_rest(x, y))
BINARY(pow, T, power(x, y))
