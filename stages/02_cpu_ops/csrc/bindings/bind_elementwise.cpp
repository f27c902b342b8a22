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

// The binding that Python calls as where; what has dims is broadcast.
Array where_of(const Array& condition, const Operand& a, const Operand& b) {
  a.check("where");
  b.check("where");
  Array c = condition, wide[2];
  Term terms[] = {{a.array, a.scalar}, {b.array, b.scalar}};
  Array* all[3] = {&c};
  int count = 1;
  for (int k = 0; k < 2; ++k) {
    if (terms[k].is_single()) continue;
    wide[k] = *terms[k].array;
    terms[k].array = all[count++] = &wide[k];
  }
  broadcast_all(all, count, "where");
  return without_gil(elements(c), [&] { return where(c, terms[0], terms[1]); });
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
  return operate(a, a, [=](const Operand&, const Operand&) {
    return one<UnaryOp::kNeg>(read(Type<Array>(), {a, "neg", "a"}));
  });
}
}  // namespace operators

// The list's lines as rows.
#define NORCH_ARITHMETIC_ROW(op, name, doc) \
  {name "(a, b)", &binary<ArithmeticOp::op>, doc, kHoldsGil},
#define NORCH_COMPARE_ROW(op, name, doc) {name "(a, b)", &binary<CompareOp::op>, doc, kHoldsGil},
#define NORCH_TEST_ROW(op, name, doc) {name "(a)", &one<TestOp::op>, doc},
#define NORCH_UNARY_ROW(op, name, value, doc) {name "(a)", &one<UnaryOp::op>, doc},

// Everything elementwise, as rows that become Python functions.
Table elementwise_table() {
  static const Operation rows[] = {
      {"add_(destination, b)", &in_place<ArithmeticOp::kAdd>, "destination += b", kHoldsGil},
      {"sub_(destination, b)", &in_place<ArithmeticOp::kSub>, "destination -= b", kHoldsGil},
      {"mul_(destination, b)", &in_place<ArithmeticOp::kMul>, "destination *= b", kHoldsGil},
      {"div_(destination, b)", &in_place<ArithmeticOp::kDiv>, "destination /= b", kHoldsGil},
      {"where(condition, a, b)", &where_of, "a where the condition holds, else b.", kHoldsGil},
      {"clamp(a, min=None, max=None)", &clamp_of, "a limited to min..max."},
      NORCH_ARITHMETIC(NORCH_ARITHMETIC_ROW) NORCH_COMPARISONS(NORCH_COMPARE_ROW)
          NORCH_TESTS(NORCH_TEST_ROW) NORCH_UNARY(NORCH_UNARY_ROW)};
  return rows;
}
}  // namespace norch
