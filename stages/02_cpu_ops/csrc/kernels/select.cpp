// Tests of one number, where and clamp.
#include <cmath>

#include "kernels/elementwise.h"
#include "kernels/loop.h"

namespace norch {
namespace {

// Written on the number itself: integers are never NaN or infinite.
struct Isnan {
  template <class T>
  static bool apply(T a) {
    return a != a;
  }
};
struct Isfinite {
  template <class T>
  static bool apply(T a) {
    return a - a == a - a;
  }
};
struct Isinf {
  template <class T>
  static bool apply(T a) {
    return a == a && !(a - a == a - a);
  }
};
struct LogicalNot {
  template <class T>
  static bool apply(T a) {
    return a == 0;
  }
};

template <class Op, class T>
void test_row(char* const* data, const int64_t* step, int64_t n, const void*) {
  map_row<bool, T>(data, step, n, [](T a) { return Op::apply(a); });
}

template <class T>
void where_row(char* const* data, const int64_t* step, int64_t n, const void*) {
  char *out = data[0], *condition = data[1], *a = data[2], *b = data[3];
  if (step[0] == sizeof(T) && step[1] == 1 && step[2] == sizeof(T) && step[3] == sizeof(T)) {
    const uint8_t* c = reinterpret_cast<const uint8_t*>(condition);
    const T *x = reinterpret_cast<const T*>(a), *y = reinterpret_cast<const T*>(b);
    T* o = reinterpret_cast<T*>(out);
    NORCH_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) {
      const T from_a = x[i], from_b = y[i];  // both read, so that the choice needs no branch
      o[i] = c[i] != 0 ? from_a : from_b;
    }
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    const T from_a = *reinterpret_cast<const T*>(a + i * step[2]);
    const T from_b = *reinterpret_cast<const T*>(b + i * step[3]);
    const bool choose_a = *reinterpret_cast<const uint8_t*>(condition + i * step[1]) != 0;
    *reinterpret_cast<T*>(out + i * step[0]) = choose_a ? from_a : from_b;
  }
}

template <class T>
void clamp_row(char* const* data, const int64_t* step, int64_t n, const void* context) {
  const T lo = static_cast<const T*>(context)[0], hi = static_cast<const T*>(context)[1];
  if (lo != lo || hi != hi) {  // nothing lies within a bound that is NaN
    const T nothing = lo != lo ? lo : hi;
    return map_row<T, T>(data, step, n, [nothing](T) { return nothing; });
  }
  map_row<T, T>(data, step, n, [lo, hi](T a) {  // NaN passes; when lo > hi, hi wins, as in PyTorch
    const T raised = a < lo ? lo : a;
    return raised > hi ? hi : raised;
  });
}

template <class T>
constexpr void put(SelectTable& t) {
  constexpr int i = static_cast<int>(DTypeOf<T>::value);
  t.test[static_cast<int>(TestOp::kIsnan)][i] = &test_row<Isnan, T>;
  t.test[static_cast<int>(TestOp::kIsinf)][i] = &test_row<Isinf, T>;
  t.test[static_cast<int>(TestOp::kIsfinite)][i] = &test_row<Isfinite, T>;
  t.test[static_cast<int>(TestOp::kLogicalNot)][i] = &test_row<LogicalNot, T>;
  t.where[i] = &where_row<T>;
  t.clamp[i] = &clamp_row<T>;
}

template <class... T>
constexpr SelectTable make_table() {
  SelectTable t{};
  (put<T>(t), ...);
  return t;
}

}  // namespace

template <>
const SelectTable& table<SelectTable, kIsa>() {
  static constexpr SelectTable t = make_table<bool, uint8_t, int32_t, int64_t, float, double>();
  return t;
}

}  // namespace norch
