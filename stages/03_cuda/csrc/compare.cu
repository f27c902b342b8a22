// compare: predicates and comparisons, whose result is a bool. T is the type compared. One thread:
// the elements of its share, see elementwise.h.

#include "elementwise.h"

UNARY(logical_not, Bool, x == T(0))
UNARY(isnan, Bool, x != x)
UNARY(isfinite, Bool, x - x == T(0))  // infinity - infinity is no number
UNARY(isinf, Bool, x == x && x - x != T(0))

BINARY(eq, Bool, x == y)
BINARY(ne, Bool, x != y)
BINARY(lt, Bool, x < y)
BINARY(le, Bool, x <= y)
BINARY(gt, Bool, x > y)
BINARY(ge, Bool, x >= y)
BINARY(logical_and, Bool, x != T(0) && y != T(0))
BINARY(logical_or, Bool, x != T(0) || y != T(0))
BINARY(logical_xor, Bool, (x != T(0)) != (y != T(0)))
