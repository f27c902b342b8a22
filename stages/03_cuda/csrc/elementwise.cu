// elementwise: arithmetic, comparisons (whose result is a bool) and choices for every type T of
// number. One thread: the elements of its share, see elementwise.h.

#include "elementwise.h"

UNARY(neg, T, -x)
UNARY(abs, T, x < C(0) ? -x : x + C(0))  // + 0 makes a positive zero of a negative one
UNARY(sign, T, C(C(0) < x) - C(x < C(0)))
UNARY(square, T, x* x)
UNARY(relu, T, x < C(0) ? C(0) : x)  // a NaN stays a NaN

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
__device__ inline float truncate_remainder(float x, float y) { return fmod(x, y); }
__device__ inline double truncate_remainder(double x, double y) { return fmod(x, y); }
__device__ inline float power(float x, float y) { return pow(x, y); }
__device__ inline double power(double x, double y) { return pow(x, y); }

// Whole numbers; the host refuses a zero divisor. Dividing by -1 apart: the lowest number
// overflows.
template <class I>
__device__ I truncate_remainder(I x, I y) {
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
// x % y of Python.
template <class N>
__device__ N floor_remainder(N x, N y) {
  N rest = truncate_remainder(x, y);
  return rest != N(0) && (rest < N(0)) != (y < N(0)) ? N(rest + y) : rest;
}

BINARY(add, T, x + y)
BINARY(sub, T, x - y)
BINARY(mul, T, x* y)
BINARY(maximum, T, x != x || x > y ? x : y)  // a NaN on either side is the result
BINARY(minimum, T, x != x || x < y ? x : y)

// As BINARY, for divisions: where `bad` is not null, bad[0] becomes 1 + the number of an element
// that is divided by zero.
#define DIVISION(name, expression)                                                       \
  extern "C" __global__ void name##_kernel(i64 n, Layout lx, const T* left, Layout ly,   \
                                           const T* right, C number, T* out, i64* bad) { \
    Operand<T> a{lx, left}, b{ly, right};                                                \
    bool few = n <= kMostOf32Bits;                                                       \
    for (i64 i = first_element(); i < n; i += element_step()) {                          \
      C x = left == nullptr ? number : static_cast<C>(a.one(i, few));                    \
      C y = right == nullptr ? number : static_cast<C>(b.one(i, few));                   \
      if (bad != nullptr && y == C(0)) atomicMax(bad, i + 1);                            \
      out[i] = static_cast<T>(expression);                                               \
    }                                                                                    \
  }

DIVISION(floor_divide, floor_quotient(x, y))
DIVISION(remainder, floor_remainder(x, y))
DIVISION(fmod, truncate_remainder(x, y))

BINARY(pow, T, power(x, y))

UNARY(logical_not, Bool, x == C(0))
UNARY(isnan, Bool, x != x)
UNARY(isfinite, Bool, x - x == C(0))  // infinity - infinity is no number
UNARY(isinf, Bool, x == x && x - x != C(0))

BINARY(eq, Bool, x == y)
BINARY(ne, Bool, x != y)
BINARY(lt, Bool, x < y)
BINARY(le, Bool, x <= y)
BINARY(gt, Bool, x > y)
BINARY(ge, Bool, x >= y)
BINARY(logical_and, Bool, x != C(0) && y != C(0))
BINARY(logical_or, Bool, x != C(0) || y != C(0))
BINARY(logical_xor, Bool, (x != C(0)) != (y != C(0)))

// where: out[i] = condition[i] ? x[i] : y[i], for every i of its share. Both may be numbers.
extern "C" __global__ void where_kernel(i64 n, Layout lc, const Bool* condition, Layout lx,
                                        const T* x, C x_number, Layout ly, const T* y, C y_number,
                                        T* out) {
  auto f = [](bool chosen, C a, C b) { return static_cast<T>(chosen ? a : b); };
  Operand<Bool> c{lc, condition};
  Operand<T> a{lx, x}, b{ly, y};
  Number<C> p{x_number}, q{y_number};
  if (x == nullptr && y == nullptr) return map_elements(n, out, f, c, p, q);
  if (x == nullptr) return map_elements(n, out, f, c, p, b);
  if (y == nullptr) return map_elements(n, out, f, c, a, q);
  map_elements(n, out, f, c, a, b);
}
