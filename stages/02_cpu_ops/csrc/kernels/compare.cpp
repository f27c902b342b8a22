// Two numbers in, a truth out.
#include "kernels/elementwise.h"
#include "kernels/loop.h"

namespace norch {
namespace {
constexpr auto kEq = [](auto a, auto b) { return a == b; };
constexpr auto kNe = [](auto a, auto b) { return a != b; };
constexpr auto kLt = [](auto a, auto b) { return a < b; };
constexpr auto kLe = [](auto a, auto b) { return a <= b; };
constexpr auto kGt = [](auto a, auto b) { return a > b; };
constexpr auto kGe = [](auto a, auto b) { return a >= b; };
constexpr auto kAnd = [](auto a, auto b) { return bool((a != 0) & (b != 0)); };
constexpr auto kOr = [](auto a, auto b) { return bool((a != 0) | (b != 0)); };
constexpr auto kXor = [](auto a, auto b) { return (a != 0) != (b != 0); };

// The loop of one comparison over a row of elements.
template <const auto& f, class T>
void row(char* const* data, const int64_t* step, int64_t n, const void*) {
  map_row2<Bool, T, T>(data, step, n, [](Value<T> a, Value<T> b) { return f(a, b); });
}

// Enters the loops of a comparison for some types.
template <const auto& f, class... T>
constexpr void put(CompareTable& t, CompareOp op) {
  ((t.row[static_cast<int>(op)][static_cast<int>(kDTypeOf<T>)] = &row<f, T>), ...);
}

// The table of all comparison loops.
template <class... T>
constexpr CompareTable make_table() {
  CompareTable t{};
  put<kEq, T...>(t, CompareOp::kEq);
  put<kNe, T...>(t, CompareOp::kNe);
  put<kLt, T...>(t, CompareOp::kLt);
  put<kLe, T...>(t, CompareOp::kLe);
  put<kGt, T...>(t, CompareOp::kGt);
  put<kGe, T...>(t, CompareOp::kGe);
  put<kAnd, T...>(t, CompareOp::kLogicalAnd);
  put<kOr, T...>(t, CompareOp::kLogicalOr);
  put<kXor, T...>(t, CompareOp::kLogicalXor);
  return t;
}
}  // namespace

template <>
const CompareTable& table<CompareTable, kIsa>() {
  static constexpr CompareTable t = make_table<Bool, uint8_t, int32_t, int64_t, float, double>();
  return t;
}
}  // namespace norch
