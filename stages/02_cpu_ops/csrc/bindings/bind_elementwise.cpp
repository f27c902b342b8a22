// Arithmetic, comparisons, functions of one number, where and clamp.
#include "bindings/layouts.h"
#include "bindings/operation.h"
#include "ops/copy.h"
#include "ops/elementwise.h"

namespace norch {
namespace {
// How many elements two operands of a Python call have: decides about the GIL.
double work_of(const Term& a, const Term& b) {
  return std::max(elements(a.array), elements(b.array));
}

// For the bindings of two operands: checks them, broadcasts them when their shapes differ, and runs
// f(a, b).
template <class F>
Array with_terms(const char* op, const Operand& a, const Operand& b, F&& f) {
  a.check(op);
  b.check(op);
  if (a.array == nullptr && b.array == nullptr) {
    raise<TypeError>("[", op, "] expected an Array, got two numbers");
  }
  const Term left{a.array, a.scalar}, right{b.array, b.scalar};
  if (left.is_single() || right.is_single() || a.array->same_shape(*b.array)) {
    return without_gil(work_of(left, right), [&] { return f(left, right); });
  }
  Array x = *a.array, y = *b.array;
  broadcast(x, y);
  const Term wide_left{&x, {}}, wide_right{&y, {}};
  return without_gil(elements(x), [&] { return f(wide_left, wide_right); });
}

// The binding that Python calls as add, mul and the like.
template <ArithmeticOp op>
Array binary(const Operand& a, const Operand& b) {
  return with_terms(name_of(op), a, b,
                    [](const Term& x, const Term& y) { return arithmetic(op, x, y); });
}

// The binding that Python calls as eq, lt and the like.
template <CompareOp op>
Array binary(const Operand& a, const Operand& b) {
  return with_terms(name_of(op), a, b,
                    [](const Term& x, const Term& y) { return compare(op, x, y); });
}

// The binding that Python calls as add_, mul_ and the like.
template <ArithmeticOp op>
void in_place(Array& destination, const Operand& b) {
  b.check(in_place_name_of(op));
  const Array wide = b.array == nullptr || b.array->ndim == 0
                         ? Array()
                         : broadcast_to(*b.array, destination, in_place_name_of(op));
  Term term{b.array, b.scalar};
  if (!term.is_single()) term.array = &wide;
  without_gil(elements(destination), [&] { arithmetic_(op, destination, term); });
}

// The binding that Python calls as exp, floor and the like.
template <UnaryOp op>
Array one(const Array& a) {
  return unary(op, a);
}

// The binding that Python calls as isnan and the like.
template <TestOp op>
Array one(const Array& a) {
  return test(op, a);
}

// A Python operand as an array: a number becomes one of no dims.
Array as_array(const Operand& operand, DType dtype) {
  if (operand.array != nullptr) return *operand.array;
  Array a = Array::scalar(dtype);
  visit(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    *a.data<T>() = operand.scalar.to<T>();
  });
  return a;
}

// The binding that Python calls as where; the three operands are broadcast.
Array where_of(const Array& condition, const Operand& a, const Operand& b) {
  Array c = condition;
  a.check("where");
  b.check("where");
  const Term terms[] = {{a.array, a.scalar}, {b.array, b.scalar}};
  const DType result = result_type(terms, 2);
  Array x = as_array(a, result), y = as_array(b, result);
  Array* const all[] = {&c, &x, &y};
  broadcast_all(all, 3, "where");
  return without_gil(elements(c), [&] { return where(c, x, y); });
}

// The binding that Python calls as clamp, either bound may be None.
Array clamp_of(const Array& a, const std::optional<Scalar>& min, const std::optional<Scalar>& max) {
  return clamp(a, min ? &*min : nullptr, max ? &*max : nullptr);
}
}  // namespace

namespace operators {
// Python's a + b in the bindings of the class Array.
PyObject* add(PyObject* a, PyObject* b) { return operate(a, b, binary<ArithmeticOp::kAdd>); }
// Python's a - b in the bindings of the class Array.
PyObject* sub(PyObject* a, PyObject* b) { return operate(a, b, binary<ArithmeticOp::kSub>); }
// Python's a * b in the bindings of the class Array.
PyObject* mul(PyObject* a, PyObject* b) { return operate(a, b, binary<ArithmeticOp::kMul>); }
// Python's a / b in the bindings of the class Array.
PyObject* div(PyObject* a, PyObject* b) { return operate(a, b, binary<ArithmeticOp::kDiv>); }

// Python's -a in the bindings of the class Array.
PyObject* neg(PyObject* a) {
  return operate(a, a,
                 [](const Operand& x, const Operand&) { return one<UnaryOp::kNeg>(*x.array); });
}
}  // namespace operators

// Everything elementwise, as rows that become Python functions.
Table elementwise_table() {
  static const Operation rows[] = {
      {"add(a, b)", &binary<ArithmeticOp::kAdd>, "a + b", kHoldsGil},
      {"sub(a, b)", &binary<ArithmeticOp::kSub>, "a - b", kHoldsGil},
      {"mul(a, b)", &binary<ArithmeticOp::kMul>, "a * b", kHoldsGil},
      {"div(a, b)", &binary<ArithmeticOp::kDiv>, "a / b, true division: integers become float32.",
       kHoldsGil},
      {"floor_divide(a, b)", &binary<ArithmeticOp::kFloorDivide>, "a // b, rounded down.",
       kHoldsGil},
      {"remainder(a, b)", &binary<ArithmeticOp::kRemainder>, "a % b, with the sign of b.",
       kHoldsGil},
      {"fmod(a, b)", &binary<ArithmeticOp::kFmod>, "The remainder with the sign of a.", kHoldsGil},
      {"pow(a, b)", &binary<ArithmeticOp::kPow>, "a ** b", kHoldsGil},
      {"maximum(a, b)", &binary<ArithmeticOp::kMaximum>, "The larger of both; NaN wins.",
       kHoldsGil},
      {"minimum(a, b)", &binary<ArithmeticOp::kMinimum>, "The smaller of both; NaN wins.",
       kHoldsGil},
      {"atan2(a, b)", &binary<ArithmeticOp::kAtan2>, "The angle of the point (b, a).", kHoldsGil},
      {"bitwise_and(a, b)", &binary<ArithmeticOp::kBitwiseAnd>, "a & b", kHoldsGil},
      {"bitwise_or(a, b)", &binary<ArithmeticOp::kBitwiseOr>, "a | b", kHoldsGil},
      {"bitwise_xor(a, b)", &binary<ArithmeticOp::kBitwiseXor>, "a ^ b", kHoldsGil},
      {"add_(destination, b)", &in_place<ArithmeticOp::kAdd>, "destination += b", kHoldsGil},
      {"sub_(destination, b)", &in_place<ArithmeticOp::kSub>, "destination -= b", kHoldsGil},
      {"mul_(destination, b)", &in_place<ArithmeticOp::kMul>, "destination *= b", kHoldsGil},
      {"div_(destination, b)", &in_place<ArithmeticOp::kDiv>, "destination /= b", kHoldsGil},
      {"eq(a, b)", &binary<CompareOp::kEq>, "a == b", kHoldsGil},
      {"ne(a, b)", &binary<CompareOp::kNe>, "a != b", kHoldsGil},
      {"lt(a, b)", &binary<CompareOp::kLt>, "a < b", kHoldsGil},
      {"le(a, b)", &binary<CompareOp::kLe>, "a <= b", kHoldsGil},
      {"gt(a, b)", &binary<CompareOp::kGt>, "a > b", kHoldsGil},
      {"ge(a, b)", &binary<CompareOp::kGe>, "a >= b", kHoldsGil},
      {"logical_and(a, b)", &binary<CompareOp::kLogicalAnd>, "Both are not 0.", kHoldsGil},
      {"logical_or(a, b)", &binary<CompareOp::kLogicalOr>, "One of both is not 0.", kHoldsGil},
      {"logical_xor(a, b)", &binary<CompareOp::kLogicalXor>, "Exactly one of both is not 0.",
       kHoldsGil},
      {"logical_not(a)", &one<TestOp::kLogicalNot>, "a is 0."},
      {"isnan(a)", &one<TestOp::kIsnan>, "a is not a number."},
      {"isinf(a)", &one<TestOp::kIsinf>, "a is infinite."},
      {"isfinite(a)", &one<TestOp::kIsfinite>, "a is neither infinite nor NaN."},
      {"neg(a)", &one<UnaryOp::kNeg>, "-a"},
      {"abs(a)", &one<UnaryOp::kAbs>, "|a|"},
      {"sign(a)", &one<UnaryOp::kSign>, "-1, 0 or 1; 0 for NaN."},
      {"square(a)", &one<UnaryOp::kSquare>, "a * a"},
      {"relu(a)", &one<UnaryOp::kRelu>, "max(a, 0); NaN stays."},
      {"floor(a)", &one<UnaryOp::kFloor>, "The largest integer not above a."},
      {"ceil(a)", &one<UnaryOp::kCeil>, "The smallest integer not below a."},
      {"round(a)", &one<UnaryOp::kRound>, "The nearest integer, halves to even."},
      {"trunc(a)", &one<UnaryOp::kTrunc>, "The integer part."},
      {"bitwise_not(a)", &one<UnaryOp::kBitwiseNot>, "~a"},
      {"reciprocal(a)", &one<UnaryOp::kReciprocal>, "1 / a"},
      {"sqrt(a)", &one<UnaryOp::kSqrt>, "The square root."},
      {"rsqrt(a)", &one<UnaryOp::kRsqrt>, "1 / sqrt(a)"},
      {"exp(a)", &one<UnaryOp::kExp>, "e ** a"},
      {"expm1(a)", &one<UnaryOp::kExpm1>, "e ** a - 1, exact near 0."},
      {"log(a)", &one<UnaryOp::kLog>, "The natural logarithm."},
      {"log1p(a)", &one<UnaryOp::kLog1p>, "log(1 + a), exact near 0."},
      {"log2(a)", &one<UnaryOp::kLog2>, "The logarithm to base 2."},
      {"sin(a)", &one<UnaryOp::kSin>, "The sine."},
      {"cos(a)", &one<UnaryOp::kCos>, "The cosine."},
      {"tan(a)", &one<UnaryOp::kTan>, "The tangent."},
      {"tanh(a)", &one<UnaryOp::kTanh>, "The hyperbolic tangent."},
      {"sigmoid(a)", &one<UnaryOp::kSigmoid>, "1 / (1 + exp(-a))"},
      {"erf(a)", &one<UnaryOp::kErf>, "The error function."},
      {"asin(a)", &one<UnaryOp::kAsin>, "The angle whose sine is a."},
      {"acos(a)", &one<UnaryOp::kAcos>, "The angle whose cosine is a."},
      {"atan(a)", &one<UnaryOp::kAtan>, "The angle whose tangent is a."},
      {"sinh(a)", &one<UnaryOp::kSinh>, "The hyperbolic sine."},
      {"cosh(a)", &one<UnaryOp::kCosh>, "The hyperbolic cosine."},
      {"asinh(a)", &one<UnaryOp::kAsinh>, "The number whose hyperbolic sine is a."},
      {"acosh(a)", &one<UnaryOp::kAcosh>, "The number whose hyperbolic cosine is a."},
      {"atanh(a)", &one<UnaryOp::kAtanh>, "The number whose hyperbolic tangent is a."},
      {"erfinv(a)", &one<UnaryOp::kErfinv>, "The number whose erf is a."},
      {"where(condition, a, b)", &where_of, "a where the condition holds, else b.", kHoldsGil},
      {"clamp(a, min=None, max=None)", &clamp_of, "a limited to min..max."},
  };
  return rows;
}
}  // namespace norch
