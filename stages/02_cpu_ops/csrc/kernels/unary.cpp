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

struct Neg {
  template <class T>
  static T apply(T a) {
    if constexpr (std::is_floating_point_v<T>)
      return -a;
    else
      return static_cast<T>(0 - static_cast<uint64_t>(a));
  }
};
struct Abs {
  template <class T>
  static T apply(T a) {
    if constexpr (std::is_floating_point_v<T>)
      return std::fabs(a);
    else if constexpr (std::is_unsigned_v<T>)
      return a;
    else
      return a < 0 ? Neg::apply(a) : a;
  }
};
struct Sign {
  template <class T>
  static T apply(T a) {  // of NaN 0, as PyTorch
    if constexpr (std::is_same_v<T, bool>)
      return a;
    else if constexpr (std::is_unsigned_v<T>)
      return a > 0;
    else
      return static_cast<T>((a > 0) - (a < 0));
  }
};
struct Square {
  template <class T>
  static T apply(T a) {
    if constexpr (std::is_floating_point_v<T>)
      return a * a;
    else
      return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(a));
  }
};
struct Relu {
  template <class T>
  static T apply(T a) {
    return a < T(0) ? T(0) : a;
  }  // written so that NaN passes
};
struct BitwiseNot {
  template <class T>
  static T apply(T a) {
    if constexpr (std::is_same_v<T, bool>)
      return !a;
    else
      return static_cast<T>(~a);
  }
};
struct Floor {
  template <class T>
  static T apply(T a) {
    return std::floor(a);
  }
};
struct Ceil {
  template <class T>
  static T apply(T a) {
    return std::ceil(a);
  }
};
struct Round {
  template <class T>
  static T apply(T a) {
    return std::nearbyint(a);
  }
};  // to even
struct Trunc {
  template <class T>
  static T apply(T a) {
    return std::trunc(a);
  }
};
struct Reciprocal {
  template <class T>
  static T apply(T a) {
    return T(1) / a;
  }
};
struct Sqrt {
  template <class T>
  static T apply(T a) {
    return std::sqrt(a);
  }
};
struct Rsqrt {
  template <class T>
  static T apply(T a) {
    return T(1) / std::sqrt(a);
  }
};

// float32 by our own vector mathematics, float64 by the C++ library (but exp and sigmoid).
struct Exp {
  template <class T>
  static constexpr T kLimit = sizeof(T) == 4 ? T(math::kNearExpLimit) : T(math::kNearExpLimit64);
  template <class T>
  static T near(T a) {
    return math::near_exp(a);
  }
  static float apply(float a) { return math::exp(a); }
  static double apply(double a) { return std::exp(a); }
};
struct Expm1 {
  static float apply(float a) { return math::expm1(a); }
  static double apply(double a) { return std::expm1(a); }
};
struct Log {
  static float apply(float a) { return math::log(a); }
  static double apply(double a) { return std::log(a); }
};
struct Log1p {
  static float apply(float a) { return math::log1p(a); }
  static double apply(double a) { return std::log1p(a); }
};
struct Log2 {
  static float apply(float a) { return math::log2(a); }
  static double apply(double a) { return std::log2(a); }
};
struct Tanh {
  static float apply(float a) { return math::tanh(a); }
  static double apply(double a) { return std::tanh(a); }
};
struct Sigmoid {
  template <class T>
  static constexpr T kLimit = Exp::kLimit<T>;
  template <class T>
  static T near(T a) {
    return T(1) / (T(1) + math::near_exp(-a));
  }
  static float apply(float a) { return math::sigmoid(a); }
  static double apply(double a) { return 1.0 / (1.0 + std::exp(-a)); }
};
struct Erf {
  static float apply(float a) { return math::erf(a); }
  static double apply(double a) { return std::erf(a); }
};
struct Asin {
  template <class T>
  static T apply(T a) {
    return std::asin(a);
  }
};
struct Acos {
  template <class T>
  static T apply(T a) {
    return std::acos(a);
  }
};
struct Atan {
  template <class T>
  static T apply(T a) {
    return std::atan(a);
  }
};
struct Sinh {
  template <class T>
  static T apply(T a) {
    return std::sinh(a);
  }
};
struct Cosh {
  template <class T>
  static T apply(T a) {
    return std::cosh(a);
  }
};
struct Asinh {
  template <class T>
  static T apply(T a) {
    return std::asinh(a);
  }
};
struct Acosh {
  template <class T>
  static T apply(T a) {
    return std::acosh(a);
  }
};
struct Atanh {
  template <class T>
  static T apply(T a) {
    return std::atanh(a);
  }
};
struct Erfinv {
  template <class T>
  static T apply(T a) {
    return math::erfinv(a);
  }
};
struct Sin {
  template <class T>
  static constexpr T kLimit = math::kTrigonometryLimit;
  static float near(float a) { return math::sincos(a).sin; }
  template <class T>
  static T apply(T a) {
    return std::sin(a);
  }
};
struct Cos {
  template <class T>
  static constexpr T kLimit = math::kTrigonometryLimit;
  static float near(float a) { return math::sincos(a).cos; }
  template <class T>
  static T apply(T a) {
    return std::cos(a);
  }
};
struct Tan {
  template <class T>
  static constexpr T kLimit = math::kTrigonometryLimit;
  static float near(float a) {
    const math::SinCos s = math::sincos(a);
    return s.sin / s.cos;
  }
  template <class T>
  static T apply(T a) {
    return std::tan(a);
  }
};

template <class Op, class T>
void row(char* const* data, const int64_t* step, int64_t n, const void*) {
  map_row<T, T>(data, step, n, [](Value<T> a) { return static_cast<Value<T>>(Op::apply(a)); });
}

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;

// |x| as bits: they order as the numbers do, and NaN stands above infinity.
template <class T>
Bits<T> magnitude(T x) {
  Bits<T> bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits & std::numeric_limits<Bits<T>>::max();
}

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
template <class Op, class T>
void moderate_row(char* const* data, const int64_t* step, int64_t n, const void*) {
  constexpr int64_t kBlock = 1024;
  for (int64_t start = 0; start < n; start += kBlock) {
    const int64_t size = std::min(kBlock, n - start);
    char* const block[2] = {data[0] + start * step[0], data[1] + start * step[1]};
    if (largest_magnitude<T>(block[1], step[1], size) > magnitude(Op::template kLimit<T>)) {
      row<Op, T>(block, step, size, nullptr);
    } else {
      map_row<T, T>(block, step, size, [](T a) { return Op::near(a); });
    }
  }
}

constexpr int index_of(UnaryOp op) { return static_cast<int>(op); }

template <class Op, class... T>
constexpr void put(UnaryTable& t, UnaryOp op) {
  ((t.row[index_of(op)][static_cast<int>(DTypeOf<T>::value)] = &row<Op, T>), ...);
}

template <class Op, class... T>
constexpr void put_moderate(UnaryTable& t, UnaryOp op) {
  ((t.row[index_of(op)][static_cast<int>(DTypeOf<T>::value)] = &moderate_row<Op, T>), ...);
}

constexpr UnaryTable make_table() {
  UnaryTable t{};
  put<Neg, uint8_t, int32_t, int64_t, float, double>(t, UnaryOp::kNeg);
  put<Abs, Bool, uint8_t, int32_t, int64_t, float, double>(t, UnaryOp::kAbs);
  put<Sign, Bool, uint8_t, int32_t, int64_t, float, double>(t, UnaryOp::kSign);
  put<Square, uint8_t, int32_t, int64_t, float, double>(t, UnaryOp::kSquare);
  put<Relu, uint8_t, int32_t, int64_t, float, double>(t, UnaryOp::kRelu);
  put<BitwiseNot, Bool, uint8_t, int32_t, int64_t>(t, UnaryOp::kBitwiseNot);
  put<Floor, float, double>(t, UnaryOp::kFloor);
  put<Ceil, float, double>(t, UnaryOp::kCeil);
  put<Round, float, double>(t, UnaryOp::kRound);
  put<Trunc, float, double>(t, UnaryOp::kTrunc);
  put<Reciprocal, float, double>(t, UnaryOp::kReciprocal);
  put<Sqrt, float, double>(t, UnaryOp::kSqrt);
  put<Rsqrt, float, double>(t, UnaryOp::kRsqrt);
  put_moderate<Exp, float, double>(t, UnaryOp::kExp);
  put<Expm1, float, double>(t, UnaryOp::kExpm1);
  put<Log, float, double>(t, UnaryOp::kLog);
  put<Log1p, float, double>(t, UnaryOp::kLog1p);
  put<Log2, float, double>(t, UnaryOp::kLog2);
  put<Tanh, float, double>(t, UnaryOp::kTanh);
  put_moderate<Sigmoid, float, double>(t, UnaryOp::kSigmoid);
  put<Erf, float, double>(t, UnaryOp::kErf);
  put_moderate<Sin, float>(t, UnaryOp::kSin);
  put<Sin, double>(t, UnaryOp::kSin);
  put_moderate<Cos, float>(t, UnaryOp::kCos);
  put<Cos, double>(t, UnaryOp::kCos);
  put_moderate<Tan, float>(t, UnaryOp::kTan);
  put<Tan, double>(t, UnaryOp::kTan);
  put<Asin, float, double>(t, UnaryOp::kAsin);
  put<Acos, float, double>(t, UnaryOp::kAcos);
  put<Atan, float, double>(t, UnaryOp::kAtan);
  put<Sinh, float, double>(t, UnaryOp::kSinh);
  put<Cosh, float, double>(t, UnaryOp::kCosh);
  put<Asinh, float, double>(t, UnaryOp::kAsinh);
  put<Acosh, float, double>(t, UnaryOp::kAcosh);
  put<Atanh, float, double>(t, UnaryOp::kAtanh);
  put<Erfinv, float, double>(t, UnaryOp::kErfinv);
  return t;
}

}  // namespace

template <>
const UnaryTable& table<UnaryTable, kIsa>() {
  static constexpr UnaryTable t = make_table();
  return t;
}

}  // namespace norch
