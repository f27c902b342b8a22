// bits: operations on the single bits of a whole number. T is a type of whole number, or bool.
// One thread: the elements of its share, see elementwise.h.

#include "elementwise.h"

// ~x; of a bool, its opposite.
template <class I>
__device__ I invert(I x) {
  return static_cast<I>(~x);
}
template <>
__device__ bool invert<bool>(bool x) {
  return !x;
}

UNARY(bitwise_not, T, invert(x))
BINARY(bitwise_and, T, x& y)
BINARY(bitwise_or, T, x | y)
BINARY(bitwise_xor, T, x ^ y)
