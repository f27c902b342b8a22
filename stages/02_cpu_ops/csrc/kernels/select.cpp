// Tests of one number, where and clamp.
#include <cmath>

#include "kernels/elementwise.h"
#include "kernels/loop.h"

namespace norch {
namespace {
// Written on the number itself: integers are never NaN or infinite.
constexpr auto kIsnan = [](auto a) { return a != a; };
constexpr auto kIsfinite = [](auto a) { return a - a == a - a; };
constexpr auto kIsinf = [](auto a) { return a == a && !(a - a == a - a); };
constexpr auto kLogicalNot = [](auto a) { return a == 0; };

// The loop of isnan and its like over a row.
template <const auto& f, class T>
void test_row(char* const* data, const int64_t* step, int64_t n, const void*) {
  map_row<Bool, T>(data, step, n, [](Value<T> a) { return f(a); });
}

// `one_a`, `one_b`: the operand is one number for the whole row.
template <class T, bool one_a, bool one_b>
void choose(char* const* data, int64_t n) {
  const Bool* c = reinterpret_cast<const Bool*>(data[1]);
  const T *x = reinterpret_cast<const T*>(data[2]), *y = reinterpret_cast<const T*>(data[3]);
  T* out = reinterpret_cast<T*>(data[0]);
  NORCH_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) {
    const Value<T> from_a = x[one_a ? 0 : i];  // both read, so that the choice needs no branch
    const Value<T> from_b = y[one_b ? 0 : i];
    out[i] = c[i] ? from_a : from_b;
  }
}

// The loop of where over a row.
template <class T>
void where_row(char* const* data, const int64_t* step, int64_t n, const void*) {
  const bool one_a = step[2] == 0, one_b = step[3] == 0;
  const bool in_order_a = one_a || step[2] == sizeof(T), in_order_b = one_b || step[3] == sizeof(T);
  if (step[0] == sizeof(T) && step[1] == 1 && in_order_a && in_order_b) {
    if (one_a) return one_b ? choose<T, true, true>(data, n) : choose<T, true, false>(data, n);
    return one_b ? choose<T, false, true>(data, n) : choose<T, false, false>(data, n);
  }
  for (int64_t i = 0; i < n; ++i) {
    const Value<T> from_a = *reinterpret_cast<const T*>(data[2] + i * step[2]);
    const Value<T> from_b = *reinterpret_cast<const T*>(data[3] + i * step[3]);
    const bool choose_a = *reinterpret_cast<const Bool*>(data[1] + i * step[1]);
    *reinterpret_cast<T*>(data[0] + i * step[0]) = choose_a ? from_a : from_b;
  }
}

// The loop of clamp over a row.
template <class T>
void clamp_row(char* const* data, const int64_t* step, int64_t n, const void* context) {
  using V = Value<T>;
  const V lo = static_cast<const T*>(context)[0], hi = static_cast<const T*>(context)[1];
  if (lo != lo || hi != hi) {  // nothing lies within a bound that is NaN
    const V nothing = lo != lo ? lo : hi;
    return map_row<T, T>(data, step, n, [nothing](V) { return nothing; });
  }
  map_row<T, T>(data, step, n, [lo, hi](V a) {  // NaN passes; when lo > hi, hi wins, as in PyTorch
    const V raised = a < lo ? lo : a;
    return raised > hi ? hi : raised;
  });
}

// Enters the loops of tests, where and clamp for one type.
template <class T>
constexpr void put(SelectTable& t) {
  constexpr int i = static_cast<int>(kDTypeOf<T>);
  t.test[static_cast<int>(TestOp::kIsnan)][i] = &test_row<kIsnan, T>;
  t.test[static_cast<int>(TestOp::kIsinf)][i] = &test_row<kIsinf, T>;
  t.test[static_cast<int>(TestOp::kIsfinite)][i] = &test_row<kIsfinite, T>;
  t.test[static_cast<int>(TestOp::kLogicalNot)][i] = &test_row<kLogicalNot, T>;
  t.where[i] = &where_row<T>;
  t.clamp[i] = &clamp_row<T>;
}

// The table of the loops of tests, where and clamp.
template <class... T>
constexpr SelectTable make_table() {
  SelectTable t{};
  (put<T>(t), ...);
  return t;
}
}  // namespace

template <>
const SelectTable& table<SelectTable, kIsa>() {
  static constexpr SelectTable t = make_table<Bool, uint8_t, int32_t, int64_t, float, double>();
  return t;
}
}  // namespace norch
