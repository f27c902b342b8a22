// Two numbers in, a truth out.
#include "kernels/elementwise.h"
#include "kernels/loop.h"

namespace norch {
namespace {

template <class T, class F>
void row(char* const* data, const int64_t* step, int64_t n, const void*) {
  using V = Value<T>;
  map_row2<Bool, T, T>(data, step, n, [](V a, V b) { return F::apply(a, b); });
}

struct Eq {
  template <class T>
  static bool apply(T a, T b) {
    return a == b;
  }
};
struct Ne {
  template <class T>
  static bool apply(T a, T b) {
    return a != b;
  }
};
struct Lt {
  template <class T>
  static bool apply(T a, T b) {
    return a < b;
  }
};
struct Le {
  template <class T>
  static bool apply(T a, T b) {
    return a <= b;
  }
};
struct Gt {
  template <class T>
  static bool apply(T a, T b) {
    return a > b;
  }
};
struct Ge {
  template <class T>
  static bool apply(T a, T b) {
    return a >= b;
  }
};
struct And {
  template <class T>
  static bool apply(T a, T b) {
    return (a != 0) & (b != 0);
  }
};
struct Or {
  template <class T>
  static bool apply(T a, T b) {
    return (a != 0) | (b != 0);
  }
};
struct Xor {
  template <class T>
  static bool apply(T a, T b) {
    return (a != 0) != (b != 0);
  }
};

template <class F, class... T>
constexpr void put(CompareTable& t, CompareOp op) {
  ((t.row[static_cast<int>(op)][static_cast<int>(DTypeOf<T>::value)] = &row<T, F>), ...);
}

template <class... T>
constexpr CompareTable make_table() {
  CompareTable t{};
  put<Eq, T...>(t, CompareOp::kEq);
  put<Ne, T...>(t, CompareOp::kNe);
  put<Lt, T...>(t, CompareOp::kLt);
  put<Le, T...>(t, CompareOp::kLe);
  put<Gt, T...>(t, CompareOp::kGt);
  put<Ge, T...>(t, CompareOp::kGe);
  put<And, T...>(t, CompareOp::kLogicalAnd);
  put<Or, T...>(t, CompareOp::kLogicalOr);
  put<Xor, T...>(t, CompareOp::kLogicalXor);
  return t;
}

}  // namespace

template <>
const CompareTable& table<CompareTable, kIsa>() {
  static constexpr CompareTable t = make_table<Bool, uint8_t, int32_t, int64_t, float, double>();
  return t;
}

}  // namespace norch
