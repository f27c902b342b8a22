// compare: questions, answered with a bool. T is the type asked about.
//
// One thread: out[i] = question(x[i]), or question(x[i], y[i]), for every i of its share.
#define QUESTION(name, expression)                                                         \
  extern "C" __global__ void name##_kernel(i64 n, Layout lx, const T* values, bool* out) { \
    for (i64 i = first_element(); i < n; i += element_step()) {                            \
      T x = values[at(lx, i)];                                                             \
      out[i] = expression;                                                                 \
    }                                                                                      \
  }

QUESTION(logical_not, x == T(0))
QUESTION(isnan, x != x)
QUESTION(isfinite, x - x == T(0))  // infinity - infinity is no number
QUESTION(isinf, x == x && x - x != T(0))

#define COMPARE(name, expression)                                                      \
  extern "C" __global__ void name##_kernel(i64 n, Layout lx, const T* left, Layout ly, \
                                           const T* right, bool* out) {                \
    for (i64 i = first_element(); i < n; i += element_step()) {                        \
      T x = left[at(lx, i)], y = right[at(ly, i)];                                     \
      out[i] = expression;                                                             \
    }                                                                                  \
  }

COMPARE(eq, x == y)
COMPARE(ne, x != y)
COMPARE(lt, x < y)
COMPARE(le, x <= y)
COMPARE(gt, x > y)
COMPARE(ge, x >= y)
COMPARE(logical_and, x != T(0) && y != T(0))
COMPARE(logical_or, x != T(0) || y != T(0))
COMPARE(logical_xor, (x != T(0)) != (y != T(0)))
