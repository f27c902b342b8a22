// bits: operations on the single bits of a whole number. T is a type of whole number, or bool.

template <class I>
__device__ I inverted(I x) {
  return static_cast<I>(~x);
}
template <>
__device__ bool inverted<bool>(bool x) {
  return !x;
}

// One thread: out[i] = the bits of x[i] turned over.
extern "C" __global__ void bitwise_not_kernel(i64 n, Layout lx, const T* x, T* out) {
  for (i64 i = first_element(); i < n; i += element_step()) out[i] = inverted(x[at(lx, i)]);
}

// One thread: out[i] = f(x[i], y[i]), bit by bit.
#define BITS(name, expression)                                                         \
  extern "C" __global__ void name##_kernel(i64 n, Layout lx, const T* left, Layout ly, \
                                           const T* right, T* out) {                   \
    for (i64 i = first_element(); i < n; i += element_step()) {                        \
      T x = left[at(lx, i)], y = right[at(ly, i)];                                     \
      out[i] = static_cast<T>(expression);                                             \
    }                                                                                  \
  }

BITS(bitwise_and, x& y)
BITS(bitwise_or, x | y)
BITS(bitwise_xor, x ^ y)
