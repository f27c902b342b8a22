// unary: functions of one number that make sense for every type T of number.
// One thread: the elements of its share, see elementwise.h.

#include "elementwise.h"

UNARY(neg, T, -x)
UNARY(abs, T, x < T(0) ? -x : x + T(0))  // + 0 makes a positive zero of a negative one
UNARY(sign, T, T(T(0) < x) - T(x < T(0)))
UNARY(square, T, x* x)
UNARY(relu, T, x < T(0) ? T(0) : x)  // a NaN stays a NaN
