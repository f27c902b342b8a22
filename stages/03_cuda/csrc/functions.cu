// functions: mathematics on real numbers. T is float or double.
//
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
FUNCTION(tanh, tanh(x))
FUNCTION(sigmoid,
         x < T(0) ? exp(x) / (T(1) + exp(x)) : T(1) / (T(1) + exp(-x)))  // exp never overflows
FUNCTION(reciprocal, T(1) / x)
FUNCTION(floor, floor(x))
FUNCTION(ceil, ceil(x))
FUNCTION(round, rint(x))  // halves go to the even neighbour
FUNCTION(trunc, trunc(x))
FUNCTION(erf, erf(x))

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
