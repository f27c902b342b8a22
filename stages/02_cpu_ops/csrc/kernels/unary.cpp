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

// Each of one number; a row makes the result the type of its elements again.
constexpr auto kNeg = [](auto a) {
  if constexpr (kIsFloat<decltype(a)>)
    return -a;
  else
    return static_cast<decltype(a)>(0 - static_cast<uint64_t>(a));
};
constexpr auto kAbs = [](auto a) {
  if constexpr (kIsFloat<decltype(a)>)
    return std::fabs(a);
  else if constexpr (std::is_unsigned_v<decltype(a)>)
    return a;
  else
    return a < 0 ? kNeg(a) : a;
};
constexpr auto kSign = [](auto a) {  // of NaN 0, as PyTorch
  if constexpr (std::is_unsigned_v<decltype(a)>)
    return a > 0;
  else
    return (a > 0) - (a < 0);
};
constexpr auto kSquare = [](auto a) {
  if constexpr (kIsFloat<decltype(a)>)
    return a * a;
  else
    return static_cast<uint64_t>(a) * static_cast<uint64_t>(a);
};
constexpr auto kRelu = [](auto a) {  // written so that NaN passes
  constexpr decltype(a) zero = 0;
  return a < zero ? zero : a;
};
constexpr auto kBitwiseNot = [](auto a) {
  if constexpr (std::is_same_v<decltype(a), bool>)
    return !a;
  else
    return ~a;
};
constexpr auto kFloor = [](auto a) { return std::floor(a); };
constexpr auto kCeil = [](auto a) { return std::ceil(a); };
constexpr auto kRound = [](auto a) { return std::nearbyint(a); };  // to even
constexpr auto kTrunc = [](auto a) { return std::trunc(a); };
constexpr auto kReciprocal = [](auto a) { return 1 / a; };
constexpr auto kSqrt = [](auto a) { return std::sqrt(a); };
constexpr auto kRsqrt = [](auto a) { return 1 / std::sqrt(a); };
constexpr auto kExp = [](auto a) { return math::exp(a); };
constexpr auto kExpm1 = [](auto a) { return math::expm1(a); };
constexpr auto kLog = [](auto a) { return math::log(a); };
constexpr auto kLog1p = [](auto a) { return math::log1p(a); };
constexpr auto kLog2 = [](auto a) { return math::log2(a); };
constexpr auto kSin = [](auto a) { return std::sin(a); };
constexpr auto kCos = [](auto a) { return std::cos(a); };
constexpr auto kTan = [](auto a) { return std::tan(a); };
constexpr auto kTanh = [](auto a) { return math::tanh(a); };
constexpr auto kSigmoid = [](auto a) { return math::sigmoid(a); };
constexpr auto kErf = [](auto a) { return math::erf(a); };
constexpr auto kAsin = [](auto a) { return std::asin(a); };
constexpr auto kAcos = [](auto a) { return std::acos(a); };
constexpr auto kAtan = [](auto a) { return std::atan(a); };
constexpr auto kSinh = [](auto a) { return std::sinh(a); };
constexpr auto kCosh = [](auto a) { return std::cosh(a); };
constexpr auto kAsinh = [](auto a) { return std::asinh(a); };
constexpr auto kAcosh = [](auto a) { return std::acosh(a); };
constexpr auto kAtanh = [](auto a) { return std::atanh(a); };
constexpr auto kErfinv = [](auto a) { return math::erfinv(a); };

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
  constexpr int64_t kBlock = 1024;
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
  put<kFloor, float, double>(t, UnaryOp::kFloor);
  put<kCeil, float, double>(t, UnaryOp::kCeil);
  put<kRound, float, double>(t, UnaryOp::kRound);
  put<kTrunc, float, double>(t, UnaryOp::kTrunc);
  put<kReciprocal, float, double>(t, UnaryOp::kReciprocal);
  put<kSqrt, float, double>(t, UnaryOp::kSqrt);
  put<kRsqrt, float, double>(t, UnaryOp::kRsqrt);
  put_exp<kExp, kNearExp>(t, UnaryOp::kExp);
  put<kExpm1, float, double>(t, UnaryOp::kExpm1);
  put<kLog, float, double>(t, UnaryOp::kLog);
  put<kLog1p, float, double>(t, UnaryOp::kLog1p);
  put<kLog2, float, double>(t, UnaryOp::kLog2);
  put<kTanh, float, double>(t, UnaryOp::kTanh);
  put_exp<kSigmoid, kNearSigmoid>(t, UnaryOp::kSigmoid);
  put<kErf, float, double>(t, UnaryOp::kErf);
  put_turn<kSin, kNearSin>(t, UnaryOp::kSin);
  put_turn<kCos, kNearCos>(t, UnaryOp::kCos);
  put_turn<kTan, kNearTan>(t, UnaryOp::kTan);
  put<kAsin, float, double>(t, UnaryOp::kAsin);
  put<kAcos, float, double>(t, UnaryOp::kAcos);
  put<kAtan, float, double>(t, UnaryOp::kAtan);
  put<kSinh, float, double>(t, UnaryOp::kSinh);
  put<kCosh, float, double>(t, UnaryOp::kCosh);
  put<kAsinh, float, double>(t, UnaryOp::kAsinh);
  put<kAcosh, float, double>(t, UnaryOp::kAcosh);
  put<kAtanh, float, double>(t, UnaryOp::kAtanh);
  put<kErfinv, float, double>(t, UnaryOp::kErfinv);
  return t;
}
}  // namespace

template <>
const UnaryTable& table<UnaryTable, kIsa>() {
  static constexpr UnaryTable t = make_table();
  return t;
}
}  // namespace norch
