// functions: mathematics on real numbers. T is float or double.
//
// The x with erf(x) = y: a polynomial of M. Giles (GPU Computing Gems, 2012) for the first six
// digits, then two Newton steps in double. Near 1 the steps use 1 - erf, whose digits are not lost.
__device__ inline double inverse_erf(double y) {
  double size = fabs(y), rest = 1.0 - size;
  if (!(size < 1.0)) return size == 1.0 ? copysign(double(infinity()), y) : sqrt(-1.0);
  double w = -log(rest * (1.0 + size));
  const double near[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                         -4.39150654e-06, 0.00021858087,  -0.00125372503,
                         -0.00417768164,  0.246640727,    1.50140941};
  const double far[] = {-0.000200214257, 0.000100950558, 0.00134934322,
                        -0.00367342844,  0.00573950773,  -0.0076224613,
                        0.00943887047,   1.00167406,     2.83297682};
  double z = w < 5.0 ? w - 2.5 : sqrt(w) - 3.0, x = 0.0;
  for (int k = 0; k < 9; k++) x = x * z + (w < 5.0 ? near[k] : far[k]);
  x *= size;
  for (int step = 0; step < 2; step++) {
    double error = size < 0.5 ? erf(x) - size : rest - erfc(x);
    x -= error / (1.1283791670955126 * exp(-x * x));
  }
  return copysign(x, y);
}

// One thread: out[i] = f(x[i]), or f(x[i], y[i]), for every i of its share.
#define FUNCTION(name, expression)                                                      \
  extern "C" __global__ void name##_kernel(i64 n, Layout lx, const T* values, T* out) { \
    for (i64 i = first_element(); i < n; i += element_step()) {                         \
      T x = values[at(lx, i)];                                                          \
      out[i] = expression;                                                              \
    }                                                                                   \
  }

FUNCTION(exp, exp(x))
FUNCTION(expm1, expm1(x))
FUNCTION(log, log(x))
FUNCTION(log1p, log1p(x))
FUNCTION(log2, log2(x))
FUNCTION(sqrt, sqrt(x))
FUNCTION(rsqrt, T(1) / sqrt(x))
FUNCTION(sin, sin(x))
FUNCTION(cos, cos(x))
FUNCTION(tan, tan(x))
FUNCTION(asin, asin(x))
FUNCTION(acos, acos(x))
FUNCTION(atan, atan(x))
FUNCTION(sinh, sinh(x))
FUNCTION(cosh, cosh(x))
FUNCTION(tanh, tanh(x))
FUNCTION(asinh, asinh(x))
FUNCTION(acosh, acosh(x))
FUNCTION(atanh, atanh(x))
FUNCTION(sigmoid,
         x < T(0) ? exp(x) / (T(1) + exp(x)) : T(1) / (T(1) + exp(-x)))  // exp never overflows
FUNCTION(reciprocal, T(1) / x)
FUNCTION(floor, floor(x))
FUNCTION(ceil, ceil(x))
FUNCTION(round, rint(x))  // halves go to the even neighbour
FUNCTION(trunc, trunc(x))
FUNCTION(erf, erf(x))
FUNCTION(erfinv, static_cast<T>(inverse_erf(x)))

#define FUNCTION2(name, expression)                                                    \
  extern "C" __global__ void name##_kernel(i64 n, Layout lx, const T* left, Layout ly, \
                                           const T* right, T* out) {                   \
    for (i64 i = first_element(); i < n; i += element_step()) {                        \
      T x = left[at(lx, i)], y = right[at(ly, i)];                                     \
      out[i] = expression;                                                             \
    }                                                                                  \
  }

FUNCTION2(div, x / y)
FUNCTION2(atan2, atan2(x, y))
