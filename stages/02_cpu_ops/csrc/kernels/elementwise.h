// Elementwise operations: the one list of them, and their loops as tables of rows, indexed by
// operation and compute dtype. A line of the list becomes an enumerator, the name that Python and
// messages say, and the Python function with its sentence (bindings/bind_elementwise.cpp); of a
// function of one number `a` also its loop (kernels/unary.cpp). An empty entry of a table means the
// operation does not exist for that dtype; the doors (ops/elementwise.cpp) say so.
#pragma once

#include <iterator>

#include "core/isa.h"
#include "core/plan.h"

// clang-format off: it would align every backslash with the longest line.
// Results have the dtype of the inputs; kDiv and kAtan2 are floating only: the doors turn integers
// into float32 first.
#define NORCH_ARITHMETIC(X) \
  X(kAdd, "add", "a + b") \
  X(kSub, "sub", "a - b") \
  X(kMul, "mul", "a * b") \
  X(kDiv, "div", "a / b, true division: integers become float32.") \
  X(kFloorDivide, "floor_divide", "a // b, rounded down.") \
  X(kRemainder, "remainder", "a % b, with the sign of b.") \
  X(kFmod, "fmod", "The remainder with the sign of a.") \
  X(kPow, "pow", "a ** b") \
  X(kMaximum, "maximum", "The larger of both; NaN wins.") \
  X(kMinimum, "minimum", "The smaller of both; NaN wins.") \
  X(kAtan2, "atan2", "The angle of the point (b, a).") \
  X(kBitwiseAnd, "bitwise_and", "a & b") \
  X(kBitwiseOr, "bitwise_or", "a | b") \
  X(kBitwiseXor, "bitwise_xor", "a ^ b")

// Results are bool.
#define NORCH_COMPARISONS(X) \
  X(kEq, "eq", "a == b") \
  X(kNe, "ne", "a != b") \
  X(kLt, "lt", "a < b") \
  X(kLe, "le", "a <= b") \
  X(kGt, "gt", "a > b") \
  X(kGe, "ge", "a >= b") \
  X(kLogicalAnd, "logical_and", "Both are not 0.") \
  X(kLogicalOr, "logical_or", "One of both is not 0.") \
  X(kLogicalXor, "logical_xor", "Exactly one of both is not 0.")

// Results are bool.
#define NORCH_TESTS(X) \
  X(kIsnan, "isnan", "a is not a number.") \
  X(kIsinf, "isinf", "a is infinite.") \
  X(kIsfinite, "isfinite", "a is neither infinite nor NaN.") \
  X(kLogicalNot, "logical_not", "a is 0.")

// Results have the dtype of the input; unary.cpp says for which there is a loop.
#define NORCH_FUNCTIONS_OF_NUMBERS(X) \
  X(kNeg, "neg", negative(a), "-a") \
  X(kAbs, "abs", absolute(a), "|a|") \
  X(kSign, "sign", sign(a), "-1, 0 or 1; 0 for NaN.") \
  X(kSquare, "square", square(a), "a * a") \
  X(kRelu, "relu", relu(a), "max(a, 0); NaN stays.") \
  X(kBitwiseNot, "bitwise_not", inverted(a), "~a")

// Loops for float32 and float64; integers come back as they are. kFloor is first, kTrunc last.
#define NORCH_ROUNDINGS(X) \
  X(kFloor, "floor", std::floor(a), "The largest integer not above a.") \
  X(kCeil, "ceil", std::ceil(a), "The smallest integer not below a.") \
  X(kRound, "round", std::nearbyint(a), "The nearest integer, halves to even.") \
  X(kTrunc, "trunc", std::trunc(a), "The integer part.")

// Loops for float32 and float64; from kReciprocal on the doors turn integers into float32 first.
#define NORCH_FUNCTIONS_OF_REALS(X) \
  X(kReciprocal, "reciprocal", 1 / a, "1 / a") \
  X(kSqrt, "sqrt", std::sqrt(a), "The square root.") \
  X(kRsqrt, "rsqrt", 1 / std::sqrt(a), "1 / sqrt(a)") \
  X(kExp, "exp", math::exp(a), "e ** a") \
  X(kExpm1, "expm1", math::expm1(a), "e ** a - 1, exact near 0.") \
  X(kLog, "log", math::log(a), "The natural logarithm.") \
  X(kLog1p, "log1p", math::log1p(a), "log(1 + a), exact near 0.") \
  X(kLog2, "log2", math::log2(a), "The logarithm to base 2.") \
  X(kSin, "sin", std::sin(a), "The sine.") \
  X(kCos, "cos", std::cos(a), "The cosine.") \
  X(kTan, "tan", std::tan(a), "The tangent.") \
  X(kTanh, "tanh", math::tanh(a), "The hyperbolic tangent.") \
  X(kSigmoid, "sigmoid", math::sigmoid(a), "1 / (1 + exp(-a))") \
  X(kErf, "erf", math::erf(a), "The error function.") \
  X(kErfc, "erfc", std::erfc(a), "1 - erf(a), exact where it is small.") \
  X(kAsin, "asin", std::asin(a), "The angle whose sine is a.") \
  X(kAcos, "acos", std::acos(a), "The angle whose cosine is a.") \
  X(kAtan, "atan", std::atan(a), "The angle whose tangent is a.") \
  X(kSinh, "sinh", std::sinh(a), "The hyperbolic sine.") \
  X(kCosh, "cosh", std::cosh(a), "The hyperbolic cosine.") \
  X(kAsinh, "asinh", std::asinh(a), "The number whose hyperbolic sine is a.") \
  X(kAcosh, "acosh", std::acosh(a), "The number whose hyperbolic cosine is a.") \
  X(kAtanh, "atanh", std::atanh(a), "The number whose hyperbolic tangent is a.") \
  X(kErfinv, "erfinv", math::erfinv(a), "The number whose erf is a.")

#define NORCH_UNARY(X) NORCH_FUNCTIONS_OF_NUMBERS(X) NORCH_ROUNDINGS(X) NORCH_FUNCTIONS_OF_REALS(X)

// clang-format on
#define NORCH_ENUMERATOR(op, ...) op,
#define NORCH_NAME(op, name, ...) name,

namespace norch {
enum class ArithmeticOp { NORCH_ARITHMETIC(NORCH_ENUMERATOR) };
enum class CompareOp { NORCH_COMPARISONS(NORCH_ENUMERATOR) };
enum class TestOp { NORCH_TESTS(NORCH_ENUMERATOR) };
enum class UnaryOp { NORCH_UNARY(NORCH_ENUMERATOR) };

inline constexpr const char* kArithmeticNames[] = {NORCH_ARITHMETIC(NORCH_NAME)};
inline constexpr const char* kCompareNames[] = {NORCH_COMPARISONS(NORCH_NAME)};
inline constexpr const char* kTestNames[] = {NORCH_TESTS(NORCH_NAME)};
inline constexpr const char* kUnaryNames[] = {NORCH_UNARY(NORCH_NAME)};

inline constexpr int kNumArithmeticOps = std::size(kArithmeticNames);
inline constexpr int kNumCompareOps = std::size(kCompareNames);
inline constexpr int kNumTestOps = std::size(kTestNames);
inline constexpr int kNumUnaryOps = std::size(kUnaryNames);

struct ArithmeticTable {
  RowFn row[kNumArithmeticOps][kNumDTypes];
};
struct CompareTable {
  RowFn row[kNumCompareOps][kNumDTypes];
};
struct UnaryTable {
  RowFn row[kNumUnaryOps][kNumDTypes];
};
struct SelectTable {
  RowFn test[kNumTestOps][kNumDTypes];
  RowFn where[kNumDTypes];  // out, condition (bool), a, b
  RowFn clamp[kNumDTypes];  // out, a; context: the two bounds, of the dtype
};
}  // namespace norch
