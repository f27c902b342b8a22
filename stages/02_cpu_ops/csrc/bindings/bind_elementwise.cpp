// Arithmetic, comparisons, functions of one number, where and clamp.
#include "bindings/layouts.h"
#include "bindings/python.h"
#include "ops/copy.h"
#include "ops/elementwise.h"

namespace norch {
namespace {

using py::arg;

int64_t work_of(const Term& a, const Term& b) {
  return std::max(a.array == nullptr ? 0 : a.array->numel, b.array == nullptr ? 0 : b.array->numel);
}

// Checks two operands, broadcasts them when their shapes differ, and runs f(a, b).
template <class F>
auto with_terms(const char* op, const Operand& a, const Operand& b, F&& f) {
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
  return without_gil(x.numel, [&] { return f(wide_left, wide_right); });
}

template <ArithmeticOp op>
Array binary(const Operand& a, const Operand& b) {
  return with_terms(name_of(op), a, b,
                    [](const Term& x, const Term& y) { return arithmetic(op, x, y); });
}

template <CompareOp op>
Array binary(const Operand& a, const Operand& b) {
  return with_terms(name_of(op), a, b,
                    [](const Term& x, const Term& y) { return compare(op, x, y); });
}

template <ArithmeticOp op>
void in_place(const Operand& destination, const Operand& b) {
  Array& out = destination.as_array(in_place_name_of(op));
  b.check(in_place_name_of(op));
  const Array wide = b.array == nullptr || b.array->ndim == 0
                         ? Array()
                         : broadcast_to(*b.array, out, in_place_name_of(op));
  Term term{b.array, b.scalar};
  if (!term.is_single()) term.array = &wide;
  without_gil(out.numel, [&] { arithmetic_(op, out, term); });
}

template <UnaryOp op>
Array one(const Operand& a) {
  const Array& x = a.as_array(name_of(op));
  return without_gil(x.numel, [&] { return unary(op, x); });
}

template <TestOp op>
Array one(const Operand& a) {
  const Array& x = a.as_array(name_of(op));
  return without_gil(x.numel, [&] { return test(op, x); });
}

template <auto op>
Array binary_of(PyObject* const* operands) {
  return binary<op>(operand_from(operands[0]), operand_from(operands[1]));
}

template <auto op>
Array unary_of(PyObject* const* operands) {
  return one<op>(operand_from(operands[0]));
}

template <auto op>
void def_binary(py::module_& m, const char* doc) {
  m.def(name_of(op), &binary<op>, doc, arg("a"), arg("b"));
  add_shortcut<2, &binary_of<op>>(name_of(op));
}

template <ArithmeticOp op>
void def_in_place(py::module_& m, const char* doc) {
  m.def(in_place_name_of(op), &in_place<op>, doc, arg("destination"), arg("b"));
}

template <auto op>
void def_unary(py::module_& m, const char* doc) {
  m.def(name_of(op), &one<op>, doc, arg("a"));
  add_shortcut<1, &unary_of<op>>(name_of(op));
}

Array as_array(const Operand& operand, DType dtype) {
  if (operand.array != nullptr) return *operand.array;
  Array a = Array::scalar(dtype);
  visit(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    *a.data<T>() = operand.scalar.to<T>();
  });
  return a;
}

Array where_of(const Operand& condition, const Operand& a, const Operand& b) {
  Array c = condition.as_array("where");
  a.check("where");
  b.check("where");
  const Term terms[] = {{a.array, a.scalar}, {b.array, b.scalar}};
  const DType result = result_type(terms, 2);
  Array x = as_array(a, result), y = as_array(b, result);
  Array* const all[] = {&c, &x, &y};
  broadcast_all(all, 3, "where");
  return without_gil(c.numel, [&] { return where(c, x, y); });
}

Array clamp_of(const Operand& a, std::optional<Scalar> min, std::optional<Scalar> max) {
  const Array& x = a.as_array("clamp");
  return without_gil(x.numel,
                     [&] { return clamp(x, min ? &*min : nullptr, max ? &*max : nullptr); });
}

void bind_arithmetic(py::module_& m) {
  def_binary<ArithmeticOp::kAdd>(m, "a + b");
  def_binary<ArithmeticOp::kSub>(m, "a - b");
  def_binary<ArithmeticOp::kMul>(m, "a * b");
  def_binary<ArithmeticOp::kDiv>(m, "a / b, true division: integers become float32.");
  def_binary<ArithmeticOp::kFloorDivide>(m, "a // b, rounded down.");
  def_binary<ArithmeticOp::kRemainder>(m, "a % b, with the sign of b.");
  def_binary<ArithmeticOp::kFmod>(m, "The remainder with the sign of a.");
  def_binary<ArithmeticOp::kPow>(m, "a ** b");
  def_binary<ArithmeticOp::kMaximum>(m, "The larger of both; NaN wins.");
  def_binary<ArithmeticOp::kMinimum>(m, "The smaller of both; NaN wins.");
  def_binary<ArithmeticOp::kAtan2>(m, "The angle of the point (b, a).");
  def_binary<ArithmeticOp::kBitwiseAnd>(m, "a & b");
  def_binary<ArithmeticOp::kBitwiseOr>(m, "a | b");
  def_binary<ArithmeticOp::kBitwiseXor>(m, "a ^ b");
  def_in_place<ArithmeticOp::kAdd>(m, "destination += b");
  def_in_place<ArithmeticOp::kSub>(m, "destination -= b");
  def_in_place<ArithmeticOp::kMul>(m, "destination *= b");
  def_in_place<ArithmeticOp::kDiv>(m, "destination /= b");
}

void bind_comparisons(py::module_& m) {
  def_binary<CompareOp::kEq>(m, "a == b");
  def_binary<CompareOp::kNe>(m, "a != b");
  def_binary<CompareOp::kLt>(m, "a < b");
  def_binary<CompareOp::kLe>(m, "a <= b");
  def_binary<CompareOp::kGt>(m, "a > b");
  def_binary<CompareOp::kGe>(m, "a >= b");
  def_binary<CompareOp::kLogicalAnd>(m, "Both are not 0.");
  def_binary<CompareOp::kLogicalOr>(m, "One of both is not 0.");
  def_binary<CompareOp::kLogicalXor>(m, "Exactly one of both is not 0.");
  def_unary<TestOp::kLogicalNot>(m, "a is 0.");
  def_unary<TestOp::kIsnan>(m, "a is not a number.");
  def_unary<TestOp::kIsinf>(m, "a is infinite.");
  def_unary<TestOp::kIsfinite>(m, "a is neither infinite nor NaN.");
}

void bind_functions(py::module_& m) {
  def_unary<UnaryOp::kNeg>(m, "-a");
  def_unary<UnaryOp::kAbs>(m, "|a|");
  def_unary<UnaryOp::kSign>(m, "-1, 0 or 1; 0 for NaN.");
  def_unary<UnaryOp::kSquare>(m, "a * a");
  def_unary<UnaryOp::kRelu>(m, "max(a, 0); NaN stays.");
  def_unary<UnaryOp::kFloor>(m, "The largest integer not above a.");
  def_unary<UnaryOp::kCeil>(m, "The smallest integer not below a.");
  def_unary<UnaryOp::kRound>(m, "The nearest integer, halves to even.");
  def_unary<UnaryOp::kTrunc>(m, "The integer part.");
  def_unary<UnaryOp::kBitwiseNot>(m, "~a");
  def_unary<UnaryOp::kReciprocal>(m, "1 / a");
  def_unary<UnaryOp::kSqrt>(m, "The square root.");
  def_unary<UnaryOp::kRsqrt>(m, "1 / sqrt(a)");
  def_unary<UnaryOp::kExp>(m, "e ** a");
  def_unary<UnaryOp::kExpm1>(m, "e ** a - 1, exact near 0.");
  def_unary<UnaryOp::kLog>(m, "The natural logarithm.");
  def_unary<UnaryOp::kLog1p>(m, "log(1 + a), exact near 0.");
  def_unary<UnaryOp::kLog2>(m, "The logarithm to base 2.");
  def_unary<UnaryOp::kSin>(m, "The sine.");
  def_unary<UnaryOp::kCos>(m, "The cosine.");
  def_unary<UnaryOp::kTan>(m, "The tangent.");
  def_unary<UnaryOp::kTanh>(m, "The hyperbolic tangent.");
  def_unary<UnaryOp::kSigmoid>(m, "1 / (1 + exp(-a))");
  def_unary<UnaryOp::kErf>(m, "The error function.");
  def_unary<UnaryOp::kAsin>(m, "The angle whose sine is a.");
  def_unary<UnaryOp::kAcos>(m, "The angle whose cosine is a.");
  def_unary<UnaryOp::kAtan>(m, "The angle whose tangent is a.");
  def_unary<UnaryOp::kSinh>(m, "The hyperbolic sine.");
  def_unary<UnaryOp::kCosh>(m, "The hyperbolic cosine.");
  def_unary<UnaryOp::kAsinh>(m, "The number whose hyperbolic sine is a.");
  def_unary<UnaryOp::kAcosh>(m, "The number whose hyperbolic cosine is a.");
  def_unary<UnaryOp::kAtanh>(m, "The number whose hyperbolic tangent is a.");
  def_unary<UnaryOp::kErfinv>(m, "The number whose erf is a.");
}

}  // namespace

namespace operators {

PyObject* add(PyObject* a, PyObject* b) { return operate(a, b, binary<ArithmeticOp::kAdd>); }
PyObject* sub(PyObject* a, PyObject* b) { return operate(a, b, binary<ArithmeticOp::kSub>); }
PyObject* mul(PyObject* a, PyObject* b) { return operate(a, b, binary<ArithmeticOp::kMul>); }
PyObject* div(PyObject* a, PyObject* b) { return operate(a, b, binary<ArithmeticOp::kDiv>); }

PyObject* neg(PyObject* a) {
  return operate(a, a, [](const Operand& x, const Operand&) { return one<UnaryOp::kNeg>(x); });
}

}  // namespace operators

void bind_elementwise(py::module_& m) {
  bind_arithmetic(m);
  bind_comparisons(m);
  bind_functions(m);
  m.def("where", &where_of, "a where the condition holds, else b.", arg("condition"), arg("a"),
        arg("b"));
  m.def("clamp", &clamp_of, "a limited to min..max.", arg("a"), arg("min") = py::none(),
        arg("max") = py::none());
}

}  // namespace norch
