// Two numbers in, one of the same type out.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "kernels/elementwise.h"
#include "kernels/loop.h"
#include "kernels/math.h"

namespace norch {
namespace {
template <class T>
inline constexpr bool kIsFloat = std::is_floating_point_v<T>;

// Integers wrap around, as PyTorch's do; unsigned arithmetic makes that defined behaviour.
template <class T, class F>
inline T wrapping(T a, T b, F f) {
  using Unsigned = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  return static_cast<T>(f(static_cast<Unsigned>(a), static_cast<Unsigned>(b)));
}

constexpr auto kAdd = [](auto a, auto b) -> decltype(a) {
  using T = decltype(a);
  if constexpr (std::is_same_v<T, bool>)
    return a | b;
  else if constexpr (kIsFloat<T>)
    return a + b;
  else
    return wrapping(a, b, [](auto x, auto y) { return x + y; });
};

constexpr auto kSub = [](auto a, auto b) -> decltype(a) {
  using T = decltype(a);
  if constexpr (kIsFloat<T>)
    return a - b;
  else
    return wrapping(a, b, [](auto x, auto y) { return x - y; });
};

constexpr auto kMul = [](auto a, auto b) -> decltype(a) {
  using T = decltype(a);
  if constexpr (std::is_same_v<T, bool>)
    return a & b;
  else if constexpr (kIsFloat<T>)
    return a * b;
  else
    return wrapping(a, b, [](auto x, auto y) { return x * y; });
};

constexpr auto kDiv = [](auto a, auto b) { return a / b; };

// Refuses the division of a whole number by zero, inside the loop.
inline void check_divisor(bool is_zero, const char* op) {
  if (is_zero) raise<Error>("[", op, "] ZeroDivisionError: a whole number divided by zero");
}

// -a of a whole number, which may wrap around.
template <class T>
inline T negate(T a) {
  return wrapping(T(0), a, [](auto x, auto y) { return x - y; });
}

// fmod, then the floor's correction: one rounding less than floor(a / b), as in Python.
constexpr auto kFloorDivide = [](auto a, auto b) -> decltype(a) {
  using T = decltype(a);
  if constexpr (kIsFloat<T>) {
    if (b == 0) return a / b;
    const T rest = std::fmod(a, b);
    T quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
    if (quotient == 0) return std::copysign(T(0), a / b);
    const T whole = std::floor(quotient);
    return quotient - whole > T(0.5) ? whole + 1 : whole;
  } else {
    check_divisor(b == 0, "floor_divide");
    if (std::is_signed_v<T> && b == T(-1)) return negate(a);  // lowest / -1 would trap
    const T quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
  }
};

constexpr auto kRemainder = [](auto a, auto b) -> decltype(a) {  // has the sign of the divisor
  using T = decltype(a);
  if constexpr (kIsFloat<T>) {
    const T rest = std::fmod(a, b);
    return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
  } else {
    check_divisor(b == 0, "remainder");
    if (std::is_signed_v<T> && b == T(-1)) return 0;
    const T rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
};

constexpr auto kFmod = [](auto a, auto b) -> decltype(a) {  // has the sign of the dividend
  using T = decltype(a);
  if constexpr (kIsFloat<T>) {
    return std::fmod(a, b);
  } else {
    check_divisor(b == 0, "fmod");
    if (std::is_signed_v<T> && b == T(-1)) return 0;
    return a % b;
  }
};

constexpr auto kPow = [](auto a, auto b) -> decltype(a) {
  using T = decltype(a);
  if constexpr (kIsFloat<T>) {
    return std::pow(a, b);
  } else {
    if (std::is_signed_v<T> && b < 0) {  // 1 / a^|b|, rounded towards zero
      if (a == T(1)) return 1;
      return a == T(-1) ? (b % 2 != 0 ? T(-1) : T(1)) : T(0);
    }
    T result = 1;
    for (; b != 0; b = static_cast<T>(b / 2)) {  // square and multiply
      if (b % 2 != 0) result = kMul(result, a);
      a = kMul(a, a);
    }
    return result;
  }
};

constexpr auto kMaximum = [](auto a, auto b) { return a > b || a != a ? a : b; };  // NaN wins
constexpr auto kMinimum = [](auto a, auto b) { return a < b || a != a ? a : b; };
constexpr auto kAtan2 = [](auto a, auto b) { return std::atan2(a, b); };
constexpr auto kBitwiseAnd = [](auto a, auto b) { return a & b; };
constexpr auto kBitwiseOr = [](auto a, auto b) { return a | b; };
constexpr auto kBitwiseXor = [](auto a, auto b) { return a ^ b; };

// The loop of one arithmetic operation over a row of elements.
template <const auto& f, class T>
void row(char* const* data, const int64_t* step, int64_t n, const void*) {
  using V = Value<T>;
  map_row2<T, T, T>(data, step, n, [](V a, V b) { return static_cast<V>(f(a, b)); });
}

// Whether near_pow holds for all of a block: no base that is 0, negative, tiny, infinite or NaN.
bool is_plain_power(char* const* data, const int64_t* step, int64_t n) {
  int far = 0;
  for (int64_t i = 0; i < n; ++i) {
    const float a = *reinterpret_cast<const float*>(data[1] + i * step[1]);
    const float b = *reinterpret_cast<const float*>(data[2] + i * step[2]);
    far |= !(a >= std::numeric_limits<float>::min());
    far |= !(a <= std::numeric_limits<float>::max());
    far |= !(std::fabs(b) <= std::numeric_limits<float>::max());
  }
  return far == 0;
}

// The loop of float32 pow, a block at a time: the short form where it holds.
void pow_row(char* const* data, const int64_t* step, int64_t n, const void*) {
  constexpr int64_t kBlock = 256;
  for (int64_t start = 0; start < n; start += kBlock) {
    const int64_t size = std::min(kBlock, n - start);
    char* at[3];
    for (int k = 0; k < 3; ++k) at[k] = data[k] + start * step[k];
    if (is_plain_power(at, step, size)) {
      map_row2<float, float, float>(at, step, size,
                                    [](float a, float b) { return math::near_pow(a, b); });
    } else {
      row<kPow, float>(at, step, size, nullptr);
    }
  }
}

// Enters the loops of an arithmetic operation for some types.
template <const auto& f, class... T>
constexpr void put(ArithmeticTable& t, ArithmeticOp op) {
  ((t.row[static_cast<int>(op)][static_cast<int>(kDTypeOf<T>)] = &row<f, T>), ...);
}

// The table of all arithmetic loops.
constexpr ArithmeticTable make_table() {
  using Kind = ArithmeticOp;
  ArithmeticTable t{};
  put<kAdd, Bool, uint8_t, int32_t, int64_t, float, double>(t, Kind::kAdd);
  put<kSub, uint8_t, int32_t, int64_t, float, double>(t, Kind::kSub);
  put<kMul, Bool, uint8_t, int32_t, int64_t, float, double>(t, Kind::kMul);
  put<kDiv, float, double>(t, Kind::kDiv);
  put<kFloorDivide, uint8_t, int32_t, int64_t, float, double>(t, Kind::kFloorDivide);
  put<kRemainder, uint8_t, int32_t, int64_t, float, double>(t, Kind::kRemainder);
  put<kFmod, uint8_t, int32_t, int64_t, float, double>(t, Kind::kFmod);
  put<kPow, uint8_t, int32_t, int64_t, double>(t, Kind::kPow);
  t.row[static_cast<int>(Kind::kPow)][static_cast<int>(DType::kFloat32)] = &pow_row;
  put<kMaximum, Bool, uint8_t, int32_t, int64_t, float, double>(t, Kind::kMaximum);
  put<kMinimum, Bool, uint8_t, int32_t, int64_t, float, double>(t, Kind::kMinimum);
  put<kAtan2, float, double>(t, Kind::kAtan2);
  put<kBitwiseAnd, Bool, uint8_t, int32_t, int64_t>(t, Kind::kBitwiseAnd);
  put<kBitwiseOr, Bool, uint8_t, int32_t, int64_t>(t, Kind::kBitwiseOr);
  put<kBitwiseXor, Bool, uint8_t, int32_t, int64_t>(t, Kind::kBitwiseXor);
  return t;
}
}  // namespace

template <>
const ArithmeticTable& table<ArithmeticTable, kIsa>() {
  static constexpr ArithmeticTable t = make_table();
  return t;
}
}  // namespace norch
