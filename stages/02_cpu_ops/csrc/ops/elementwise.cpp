// Checks, result types and allocation for everything elementwise.
#include "ops/elementwise.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "ops/copy.h"

namespace norch {
// What messages call an operation of arithmetic.
const char* name_of(ArithmeticOp op) { return kArithmeticNames[static_cast<int>(op)]; }

// What messages call a comparison.
const char* name_of(CompareOp op) { return kCompareNames[static_cast<int>(op)]; }

// What messages call a function of one number.
const char* name_of(UnaryOp op) { return kUnaryNames[static_cast<int>(op)]; }

// What messages call a test.
const char* name_of(TestOp op) { return kTestNames[static_cast<int>(op)]; }

// What messages call an operation in place.
const char* in_place_name_of(ArithmeticOp op) {
  constexpr const char* kNames[] = {"add_", "sub_", "mul_", "div_"};  // only these exist
  return kNames[static_cast<int>(op)];
}

namespace {
constexpr int64_t kCheapGrain = 1 << 15;   // elements worth a chunk: an addition
constexpr int64_t kCostlyGrain = 1 << 12;  // an exponential, a power

// The type among those of one kind of term; `found` is false while there was none.
struct Candidate {
  DType dtype = DType::kBool;
  bool found = false;

  void take(DType t) {
    dtype = found ? promote_types(dtype, t) : t;
    found = true;
  }
};

// Before the kernel, for the result's type: bool, integer or floating, which a number may lift it
// to.
int category(DType t) { return t == DType::kBool ? 0 : is_floating(t) ? 2 : 1; }

// Before the kernel, for the result's type: `low` matters only when its category is higher.
Candidate combine(Candidate high, Candidate low) {
  if (!high.found) return low;
  if (low.found && category(low.dtype) > category(high.dtype)) {
    high.dtype = promote_types(high.dtype, low.dtype);
  }
  return high;
}

// The message of a door that finds no kernel for a dtype.
[[noreturn]] void raise_missing(const char* op, DType dtype) {
  raise<DTypeError>("[", op, "] is not defined for ", name_of(dtype),
                    ": cast to another dtype first");
}

// A door's look into the kernels' table: the loop for an operation and a dtype, or an error.
template <class Op, size_t ops>
RowFn find_row(const RowFn (&rows)[ops][kNumDTypes], Op op, DType dtype) {
  const RowFn row = rows[static_cast<int>(op)][static_cast<int>(dtype)];
  if (row == nullptr) raise_missing(name_of(op), dtype);
  return row;
}

// Whether the door makes whole numbers float32 first.
bool is_floating_only(ArithmeticOp op) {
  return op == ArithmeticOp::kDiv || op == ArithmeticOp::kAtan2;
}

// How many elements the door of an operation gives a thread at least.
int64_t grain_of(ArithmeticOp op) {
  switch (op) {
    case ArithmeticOp::kFloorDivide:
    case ArithmeticOp::kRemainder:
    case ArithmeticOp::kFmod:
    case ArithmeticOp::kPow:
    case ArithmeticOp::kAtan2:
      return kCostlyGrain;
    default:
      return kCheapGrain;
  }
}

// One input: an array of any dtype, or the bytes of a single element in the compute dtype.
class Input {
 public:
  Input(const Term& term, bool as_single, DType compute, const char* op) : dtype_(compute) {
    if (term.array != nullptr && !as_single) {
      array_ = term.array;
      dtype_ = array_->dtype;
      return;
    }
    visit(compute, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T value =
          term.array == nullptr ? number_as<T>(term.scalar, op) : element<T>(*term.array);
      std::memcpy(single_, &value, sizeof value);
    });
  }
  Input(const Input&) = delete;

  const Array* array() const { return array_; }
  DType dtype() const { return dtype_; }
  char* single() { return single_; }
  char* bytes() { return array_ == nullptr ? single_ : array_->bytes(); }
  int64_t step() const { return array_ == nullptr ? 0 : array_->itemsize(); }  // in a row

 private:
  template <class T>
  static T element(const Array& a) {
    return visit(a.dtype,
                 [&](auto tag) { return convert<T>(*a.data<typename decltype(tag)::type>()); });
  }

  const Array* array_ = nullptr;
  DType dtype_;
  alignas(8) char single_[8];
};

// What a row computes with, and what it writes.
struct RowTypes {
  DType compute, written;
};

// The doors' loops over the `count` arrays given and two inputs behind them, the singles standing
// still.
Plan plan_with(const Array* const* given, int count, Input& a, Input& b) {
  const Array* operands[4];
  int all = std::copy_n(given, count, operands) - operands;
  if (a.array() != nullptr) operands[all++] = a.array();
  if (b.array() != nullptr) operands[all++] = b.array();
  Plan plan = make_plan(operands, all);
  if (a.array() == nullptr) insert_single(plan, count, a.single());
  if (b.array() == nullptr) insert_single(plan, count + 1, b.single());
  return plan;
}

// The doors' call of a kernel of two inputs: out = row(a, b).
void run_binary(Array& out, Input& a, Input& b, RowFn row, RowTypes types, int64_t grain) {
  const Array* written = &out;
  const DType stored[] = {out.dtype, a.dtype(), b.dtype()};
  const DType computed[] = {types.written, types.compute, types.compute};
  walk_converting(plan_with(&written, 1, a, b), stored, computed, row, nullptr, grain);
}

// The door's choice of the array whose shape the result takes, null when both are single.
const Array* shaped(const Term& a, const Term& b) {
  if (!a.is_single()) return a.array;
  return b.is_single() ? nullptr : b.array;
}

// The door allocates a result of the model's shape.
Array empty_result(const Array* model, DType dtype) {
  return model == nullptr ? Array::scalar(dtype) : Array::empty_like(*model, dtype);
}

// Behind the doors of two inputs: allocates the result and runs the kernel over everything.
Array binary(RowFn row, const Term& a, const Term& b, RowTypes types, DType result, const char* op,
             int64_t grain) {
  const Array* model = shaped(a, b);
  Input left(a, model != nullptr && a.is_single(), types.compute, op);
  Input right(b, model != nullptr && b.is_single(), types.compute, op);
  Array out = empty_result(model, result);
  run_binary(out, left, right, row, types, grain);
  return out;
}

// Whether a door may take the short way. The most frequent calls: two short runs of one shape and
// real dtype, or one and a number. They are one row as they stand, the row that the general way
// finds after promoting types and planning loops.
bool is_one_row(const Term& a, const Term& b, int64_t longest) {
  const Array& x = a.array == nullptr ? *b.array : *a.array;
  const bool is_real = x.dtype == DType::kFloat32 || x.dtype == DType::kFloat64;
  if (!is_real || !x.contiguous || x.numel == 0 || x.numel > longest) return false;
  const Term& other = a.array == nullptr ? a : b;
  if (other.array == nullptr) return other.scalar.kind != Scalar::Kind::kBool;  // sub refuses it
  return other.array->dtype == x.dtype && other.array->contiguous && other.array->same_shape(x);
}

// Behind the doors of two inputs: runs the kernel over one row, without a plan.
Array run_one_row(RowFn row, const Term& a, const Term& b, DType result, const char* op) {
  const Array& x = a.array == nullptr ? *b.array : *a.array;
  Input left(a, false, x.dtype, op), right(b, false, x.dtype, op);
  Array out = Array::empty_like(x, result);
  char* const data[] = {out.bytes(), left.bytes(), right.bytes()};
  const int64_t step[] = {out.itemsize(), left.step(), right.step()};
  row(data, step, x.numel, nullptr);
  return out;
}

// Whether pow's door takes a simpler one: x ** 2 and its like, without the library's pow: the
// exponents PyTorch treats so.
bool is_simple_power(const Term& exponent) {
  if (exponent.array != nullptr) return false;
  const double e = exponent.scalar.as_double();
  return e == 3 || e == 2 || e == 0.5 || e == -0.5 || e == -1 || e == -2;
}

// The door of pow for a power that has an operation of its own.
Array simple_power(const Array& a, double exponent) {
  if (exponent == 0.5) return unary(UnaryOp::kSqrt, a);
  if (exponent == -0.5) return unary(UnaryOp::kRsqrt, a);
  if (exponent == -1) return unary(UnaryOp::kReciprocal, a);
  const Array square = unary(UnaryOp::kSquare, a);
  if (exponent == -2) return unary(UnaryOp::kReciprocal, square);
  return exponent == 2 ? square : arithmetic(ArithmeticOp::kMul, {&square, {}}, {&a, {}});
}

// Refuses whole numbers to a negative power.
void check_integer_power(const Term& exponent, DType dtype) {
  if (exponent.array == nullptr && !is_floating(dtype) && exponent.scalar.as_double() < 0) {
    raise<Error>("[pow] an integer array to the negative integer power ", exponent.scalar.i,
                 ": cast the array to float32 first");
  }
}

// Whether an operand is a bool or an array of them.
bool is_bool(const Term& t) {
  return (t.array == nullptr ? t.scalar.natural_type() : t.array->dtype) == DType::kBool;
}

// Refuses to subtract bools, as PyTorch.
void check_no_bool(const Term& a, const Term& b) {
  if (is_bool(a) || is_bool(b)) {
    raise<DTypeError>(
        "[sub] bools have no minus: logical_not or ~ turns them round, ^ tells where two ",
        "differ");
  }
}

// The result's dtype of an operation of arithmetic.
DType arithmetic_type(ArithmeticOp op, const Term& a, const Term& b) {
  const Term terms[] = {a, b};
  const DType t = result_type(terms, 2);
  if (op == ArithmeticOp::kPow) check_integer_power(b, t);
  if (op == ArithmeticOp::kSub) check_no_bool(a, b);
  return is_floating_only(op) && !is_floating(t) ? DType::kFloat32 : t;
}
}  // namespace

// The dtype that PyTorch gives a result of these operands.
DType result_type(const Term* terms, int count) {
  Candidate with_dims, without_dims, numbers;
  for (int k = 0; k < count; ++k) {
    const Term& t = terms[k];
    if (t.array == nullptr)
      numbers.take(t.scalar.natural_type());
    else
      (t.array->ndim > 0 ? with_dims : without_dims).take(t.array->dtype);
  }
  return combine(with_dims, combine(without_dims, numbers)).dtype;
}

// Door of add, mul and the like: result type, memory, kernel.
Array arithmetic(ArithmeticOp op, const Term& a, const Term& b) {
  const bool is_power = op == ArithmeticOp::kPow;  // of a number it has rows of its own
  if (!is_power && is_one_row(a, b, grain_of(op))) {
    const DType dtype = (a.array == nullptr ? b : a).array->dtype;
    const RowFn row = find_row(kernels<ArithmeticTable>().row, op, dtype);
    return run_one_row(row, a, b, dtype, name_of(op));
  }
  const DType result = arithmetic_type(op, a, b), compute = compute_type(result);
  if (is_power && is_floating(result) && is_simple_power(b)) {
    return cast(simple_power(cast(*a.array, compute), b.scalar.as_double()), result);
  }
  const RowFn row = find_row(kernels<ArithmeticTable>().row, op, compute);
  return binary(row, a, b, {compute, compute}, result, name_of(op), grain_of(op));
}

// Door of add_, mul_ and the like: checks the destination, then the kernel.
void arithmetic_(ArithmeticOp op, Array& destination, const Term& b) {
  const char* name = in_place_name_of(op);
  const Term a{&destination, {}};
  const DType result = arithmetic_type(op, a, b), compute = compute_type(result);
  if (!can_cast(result, destination.dtype)) {
    raise<Error>("[", name, "] the result is ", name_of(result), ", which cannot be written into ",
                 name_of(destination.dtype));
  }
  const RowFn row = find_row(kernels<ArithmeticTable>().row, op, compute);
  const bool overlaps = b.array != nullptr && b.array->shares_storage(destination) &&
                        !b.array->same_layout(destination);
  if (overlaps) {  // compute apart, then write
    const Array out = binary(row, a, b, {compute, compute}, compute, name, grain_of(op));
    begin_write(destination, name);
    return copy_elements(destination, out);
  }
  Input left(a, false, compute, name);
  Input right(b, b.is_single() && destination.ndim > 0, compute, name);
  begin_write(destination, name);
  run_binary(destination, left, right, row, {compute, compute}, grain_of(op));
}

// Door of eq, lt and the like: compute type, memory, kernel.
Array compare(CompareOp op, const Term& a, const Term& b) {
  if (is_one_row(a, b, kCheapGrain)) {
    const DType dtype = (a.array == nullptr ? b : a).array->dtype;
    const RowFn row = find_row(kernels<CompareTable>().row, op, dtype);
    return run_one_row(row, a, b, DType::kBool, name_of(op));
  }
  const Term terms[] = {a, b};
  const DType compute = compute_type(result_type(terms, 2));
  const RowFn row = find_row(kernels<CompareTable>().row, op, compute);
  return binary(row, a, b, {compute, DType::kBool}, DType::kBool, name_of(op), kCheapGrain);
}

namespace {
// Behind the doors of one input: allocates the result and runs the kernel.
Array run_unary(RowFn row, const Array& a, RowTypes types, DType result, int64_t grain) {
  Array out = Array::empty_like(a, result);
  const Array* operands[] = {&out, &a};
  const DType stored[] = {result, a.dtype}, computed[] = {types.written, types.compute};
  walk_converting(make_plan(operands, 2), stored, computed, row, nullptr, grain);
  return out;
}

// Whether the door of an operation gives whole numbers back as they are.
bool is_rounding(UnaryOp op) { return op >= UnaryOp::kFloor && op <= UnaryOp::kTrunc; }

// Functions of real numbers take integers as float32; square lifts bool as x ** 2 does.
DType unary_type(UnaryOp op, DType t) {
  if (op >= UnaryOp::kReciprocal && !is_floating(t)) return DType::kFloat32;
  return op == UnaryOp::kSquare && t == DType::kBool ? DType::kInt64 : t;
}
}  // namespace

// Door of exp, neg and the like: result type, memory, kernel.
Array unary(UnaryOp op, const Array& a) {
  if (is_rounding(op) && is_integral(a.dtype)) return clone(a);
  const DType result = unary_type(op, a.dtype), compute = compute_type(result);
  const RowFn row = find_row(kernels<UnaryTable>().row, op, compute);
  const int64_t grain = op < UnaryOp::kSqrt ? kCheapGrain : kCostlyGrain;
  return run_unary(row, a, {compute, compute}, result, grain);
}

// Door of isnan and the like.
Array test(TestOp op, const Array& a) {
  const DType compute = compute_type(a.dtype);
  const RowFn row = find_row(kernels<SelectTable>().test, op, compute);
  return run_unary(row, a, {compute, DType::kBool}, DType::kBool, kCheapGrain);
}

// Door of where: checks the condition, then the kernel; of two arrays the later type counts.
Array where(const Array& condition, const Term& a, const Term& b) {
  if (condition.dtype != DType::kBool) {
    raise<Error>("[where] the condition is ", name_of(condition.dtype),
                 ", expected bool: compare first, as in x > 0");
  }
  const Term terms[] = {a, b};
  const bool both = a.array != nullptr && b.array != nullptr;
  const DType result = both ? promote_types(a.array->dtype, b.array->dtype) : result_type(terms, 2);
  const DType compute = compute_type(result);
  for (const Term& t : terms) {  // int8 is computed in a wider type
    if (t.array == nullptr && result == DType::kInt8) number_as<int8_t>(t.scalar, "where");
  }
  Input left(a, a.is_single(), compute, "where"), right(b, b.is_single(), compute, "where");
  Array out = Array::empty_like(condition, result);
  const Array* fixed[] = {&out, &condition};
  Plan plan = plan_with(fixed, 2, left, right);
  const DType stored[] = {result, DType::kBool, left.dtype(), right.dtype()};
  const DType computed[] = {compute, DType::kBool, compute, compute};
  const RowFn row = kernels<SelectTable>().where[static_cast<int>(compute)];
  walk_converting(plan, stored, computed, row, nullptr, kCheapGrain);
  return out;
}

// Door of clamp: checks the bounds, then the kernel.
Array clamp(const Array& a, const Scalar* min, const Scalar* max) {
  if (min == nullptr && max == nullptr) {
    raise<Error>("[clamp] at least one of min and max must be given");
  }
  Term terms[3] = {{&a, {}}};
  int count = 1;
  if (min != nullptr) terms[count++].scalar = *min;
  if (max != nullptr) terms[count++].scalar = *max;
  const DType result = result_type(terms, count), compute = compute_type(result);
  Array out = Array::empty_like(a, result);
  const Array* operands[] = {&out, &a};
  const DType stored[] = {result, a.dtype}, computed[] = {compute, compute};
  visit(compute, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!std::is_same_v<T, Float16> && !std::is_same_v<T, BFloat16>) {
      using Limits = std::numeric_limits<Value<T>>;
      if (result == DType::kInt8) {  // a bound that int8 cannot hold would come out as another
        if (min != nullptr) number_as<int8_t>(*min, "clamp");
        if (max != nullptr) number_as<int8_t>(*max, "clamp");
      }
      T bounds[2] = {Limits::has_infinity ? -Limits::infinity() : Limits::lowest(),
                     Limits::has_infinity ? Limits::infinity() : Limits::max()};
      if (min != nullptr) bounds[0] = number_as<T>(*min, "clamp");
      if (max != nullptr) bounds[1] = number_as<T>(*max, "clamp");
      const RowFn row = kernels<SelectTable>().clamp[static_cast<int>(compute)];
      walk_converting(make_plan(operands, 2), stored, computed, row, bounds, kCheapGrain);
    }
  });
  return out;
}
}  // namespace norch
