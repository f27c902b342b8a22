// compare: predicates and comparisons, whose result is a bool. T is the type compared. One thread:
// the elements of its share, see elementwise.h.

#include "elementwise.h"

UNARY(logical_not, bool, x == T(0))
UNARY(isnan, bool, x != x)
UNARY(isfinite, bool, x - x == T(0))  // infinity - infinity is no number
UNARY(isinf, bool, x == x && x - x != T(0))

BINARY(eq, bool, x == y)
BINARY(ne, bool, x != y)
BINARY(lt, bool, x < y)
BINARY(le, bool, x <= y)
BINARY(gt, bool, x > y)
BINARY(ge, bool, x >= y)
BINARY(logical_and, bool, x != T(0) && y != T(0))
BINARY(logical_or, bool, x != T(0) || y != T(0))
BINARY(logical_xor, bool, (x != T(0)) != (y != T(0)))
