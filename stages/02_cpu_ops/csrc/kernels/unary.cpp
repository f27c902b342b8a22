// One number in, one of the same type out.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/elementwise.h"
#include "kernels/loop.h"
#include "kernels/math.h"

namespace norch {
namespace {
template <class T>
constexpr bool kIsFloat = std::is_floating_point_v<T>;

// The list's words for numbers that may be whole; a row makes the result the elements' type again.
constexpr auto negative = [](auto a) {
  if constexpr (kIsFloat<decltype(a)>)
    return -a;
  else
    return static_cast<decltype(a)>(0 - static_cast<uint64_t>(a));
};
constexpr auto absolute = [](auto a) {
  if constexpr (kIsFloat<decltype(a)>)
    return std::fabs(a);
  else if constexpr (std::is_unsigned_v<decltype(a)>)
    return a;
  else
    return a < 0 ? negative(a) : a;
};
constexpr auto sign = [](auto a) {  // of NaN 0, as PyTorch
  if constexpr (std::is_unsigned_v<decltype(a)>)
    return a > 0;
  else
    return (a > 0) - (a < 0);
};
constexpr auto square = [](auto a) {
  if constexpr (kIsFloat<decltype(a)>)
    return a * a;
  else
    return static_cast<uint64_t>(a) * static_cast<uint64_t>(a);
};
constexpr auto relu = [](auto a) {  // written so that NaN passes
  constexpr decltype(a) zero = 0;
  return a < zero ? zero : a;
};
constexpr auto inverted = [](auto a) {
  if constexpr (std::is_same_v<decltype(a), bool>)
    return !a;
  else
    return ~a;
};

// From the list: constexpr auto kExp = [](auto a) { return math::exp(a); }; and so on.
#define NORCH_DEFINE(op, name, value, doc) constexpr auto op = [](auto a) { return value; };
NORCH_UNARY(NORCH_DEFINE)

// Short forms, which hold up to a limit; exp's also in float64.
constexpr auto kNearExp = [](auto a) { return math::near_exp(a); };
constexpr auto kNearSigmoid = [](auto a) { return 1 / (1 + math::near_exp(-a)); };
constexpr auto kNearSin = [](float a) { return math::sincos(a).sin; };
constexpr auto kNearCos = [](float a) { return math::sincos(a).cos; };
constexpr auto kNearTan = [](float a) {
  const math::SinCos s = math::sincos(a);
  return s.sin / s.cos;
};
template <class T>
constexpr T kExpLimit = sizeof(T) == 4 ? T(math::kNearExpLimit) : T(math::kNearExpLimit64);

// The loop of one function of a number over a row of elements.
template <const auto& f, class T>
void row(char* const* data, const int64_t* step, int64_t n, const void*) {
  map_row<T, T>(data, step, n, [](Value<T> a) { return static_cast<Value<T>>(f(a)); });
}

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;

// For the unary kernels: |x| as bits, which order as the numbers do; NaN stands above infinity.
template <class T>
Bits<T> magnitude(T x) {
  Bits<T> bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits & std::numeric_limits<Bits<T>>::max();
}

// For the unary kernels' choice of a short form: the largest |x| of a row, as bits.
template <class T>
Bits<T> largest_magnitude(const char* x, int64_t step, int64_t n) {
  Bits<T> most = 0;
  if (step == sizeof(T)) {
    const T* p = reinterpret_cast<const T*>(x);
    for (int64_t i = 0; i < n; ++i) most = std::max(most, magnitude(p[i]));
  } else {
    for (int64_t i = 0; i < n; ++i) {
      most = std::max(most, magnitude(*reinterpret_cast<const T*>(x + i * step)));
    }
  }
  return most;
}

// The short form of exp, sin and the like holds for moderate arguments only: look at a block first.
template <const auto& f, const auto& near, class T, const T& limit>
void moderate_row(char* const* data, const int64_t* step, int64_t n, const void*) {
  constexpr int64_t kBlock = kPieceBytes / sizeof(T);
  for (int64_t start = 0; start < n; start += kBlock) {
    const int64_t size = std::min(kBlock, n - start);
    char* const block[2] = {data[0] + start * step[0], data[1] + start * step[1]};
    if (largest_magnitude<T>(block[1], step[1], size) > magnitude(limit)) {
      row<f, T>(block, step, size, nullptr);
    } else {
      row<near, T>(block, step, size, nullptr);
    }
  }
}

constexpr int index_of(UnaryOp op) { return static_cast<int>(op); }

// Enters the loops of a function for some types.
template <const auto& f, class... T>
constexpr void put(UnaryTable& t, UnaryOp op) {
  ((t.row[index_of(op)][static_cast<int>(kDTypeOf<T>)] = &row<f, T>), ...);
}

// Enters a function that has a short form in float32 and float64.
template <const auto& f, const auto& near>
constexpr void put_exp(UnaryTable& t, UnaryOp op) {
  RowFn* rows = t.row[index_of(op)];
  rows[static_cast<int>(DType::kFloat32)] = &moderate_row<f, near, float, kExpLimit<float>>;
  rows[static_cast<int>(DType::kFloat64)] = &moderate_row<f, near, double, kExpLimit<double>>;
}

// Enters sin, cos or tan, which has a short form in float32 alone.
template <const auto& f, const auto& near>
constexpr void put_turn(UnaryTable& t, UnaryOp op) {
  put<f, double>(t, op);
  t.row[index_of(op)][static_cast<int>(DType::kFloat32)] =
      &moderate_row<f, near, float, math::kTrigonometryLimit>;
}

// The table of the loops of all functions of one number.
constexpr UnaryTable make_table() {
  UnaryTable t{};
  put<kNeg, uint8_t, int32_t, int64_t, float, double>(t, UnaryOp::kNeg);
  put<kAbs, Bool, uint8_t, int32_t, int64_t, float, double>(t, UnaryOp::kAbs);
  put<kSign, Bool, uint8_t, int32_t, int64_t, float, double>(t, UnaryOp::kSign);
  put<kSquare, uint8_t, int32_t, int64_t, float, double>(t, UnaryOp::kSquare);
  put<kRelu, uint8_t, int32_t, int64_t, float, double>(t, UnaryOp::kRelu);
  put<kBitwiseNot, Bool, uint8_t, int32_t, int64_t>(t, UnaryOp::kBitwiseNot);
#define NORCH_PUT(op, ...) put<op, float, double>(t, UnaryOp::op);
  NORCH_ROUNDINGS(NORCH_PUT)
  NORCH_FUNCTIONS_OF_REALS(NORCH_PUT)
  put_exp<kExp, kNearExp>(t, UnaryOp::kExp);
  put_exp<kSigmoid, kNearSigmoid>(t, UnaryOp::kSigmoid);
  put_turn<kSin, kNearSin>(t, UnaryOp::kSin);
  put_turn<kCos, kNearCos>(t, UnaryOp::kCos);
  put_turn<kTan, kNearTan>(t, UnaryOp::kTan);
  return t;
}
}  // namespace

template <>
const UnaryTable& table<UnaryTable, kIsa>() {
  static constexpr UnaryTable t = make_table();
  return t;
}
}  // namespace norch
