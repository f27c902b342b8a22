// unary: functions of one number that make sense for every type T of number.
//
// One thread: out[i] = f(x[i]) for every i of its share; reads x once, writes out once, in order.
#define UNARY(name, expression)                                                         \
  extern "C" __global__ void name##_kernel(i64 n, Layout lx, const T* values, T* out) { \
    for (i64 i = first_element(); i < n; i += element_step()) {                         \
      T x = values[at(lx, i)];                                                          \
      out[i] = static_cast<T>(expression);                                              \
    }                                                                                   \
  }

UNARY(neg, -x)
UNARY(abs, x < T(0) ? -x : x + T(0))  // + 0 makes a positive zero of a negative one
UNARY(sign, T(T(0) < x) - T(x < T(0)))
UNARY(square, x* x)
UNARY(relu, x < T(0) ? T(0) : x)  // a NaN stays a NaN
