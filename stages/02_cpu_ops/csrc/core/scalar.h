// A Python number on its way to a kernel: remembers whether it was a bool, an int or a float,
// because PyTorch lets a number lift only the category of the result.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/dtype.h"
#include "core/error.h"

namespace norch {
struct Scalar {
  enum class Kind : uint8_t { kBool, kInt, kFloat };
  Kind kind = Kind::kFloat;
  union {
    int64_t i;
    double d = 0;
  };

  static Scalar of(bool v) { return integer(v, Kind::kBool); }
  static Scalar of(int64_t v) { return integer(v, Kind::kInt); }
  static Scalar of(double v) {
    Scalar s;
    s.d = v;
    return s;
  }

  bool is_float() const { return kind == Kind::kFloat; }
  double as_double() const { return is_float() ? d : static_cast<double>(i); }
  // The type a lone number has: bool, int64 or the default float32.
  DType natural_type() const {
    if (kind == Kind::kBool) return DType::kBool;
    return kind == Kind::kInt ? DType::kInt64 : DType::kFloat32;
  }
  // Exact for integers, the only way an int64 may travel.
  template <class T>
  T to() const;

 private:
  static Scalar integer(int64_t v, Kind k) {
    Scalar s;
    s.kind = k;
    s.i = v;
    return s;
  }
};

// Core's conversion of a number between dtypes. Float to integer as the hardware does it, without
// undefined behaviour: out of range (and NaN) gives the lowest value; a byte takes the low bits, so
// -1.0 becomes 255.
template <class To, class From>
inline To convert(From x) {
  if constexpr (std::is_same_v<From, Bool>) {
    return convert<To>(static_cast<bool>(x));
  } else if constexpr (std::is_same_v<To, From>) {
    return x;
  } else if constexpr (std::is_same_v<From, Float16> || std::is_same_v<From, BFloat16>) {
    return convert<To>(static_cast<float>(x));
  } else if constexpr (std::is_same_v<To, Float16> || std::is_same_v<To, BFloat16>) {
    return To(static_cast<float>(x));
  } else if constexpr (std::is_same_v<Value<To>, bool>) {
    return x != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    using Wide = std::conditional_t<sizeof(To) == 8, int64_t, int32_t>;
    constexpr From kLimit = sizeof(Wide) == 8 ? From(9223372036854775808.0) : From(2147483648.0);
    const bool fits = x >= -kLimit && x < kLimit;
    const Wide lowest = static_cast<Wide>(uint64_t(1) << (8 * sizeof(Wide) - 1));
    return static_cast<To>(fits ? static_cast<Wide>(fits ? x : From(0)) : lowest);
  } else {
    return static_cast<To>(x);
  }
}

template <class T>
T Scalar::to() const {
  return is_float() ? convert<T>(d) : convert<T>(i);
}

// Core's Scalar as a T. As in PyTorch, a number that an integer type cannot hold is refused; a byte
// may be given from below zero.
template <class T>
T number_as(const Scalar& s, const char* op) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    constexpr int64_t kHigh = std::numeric_limits<T>::max();
    constexpr int64_t kLow = std::is_unsigned_v<T> ? -kHigh : std::numeric_limits<T>::lowest();
    constexpr double kAbove = sizeof(T) == 8 ? 9223372036854775808.0 : double(kHigh) + 1;
    const bool fits =
        s.is_float() ? s.d > double(kLow) - 1 && s.d < kAbove : s.i >= kLow && s.i <= kHigh;
    if (!fits) {
      raise<Error>("[", op, "] the number ", s.as_double(), " does not fit ", name_of(kDTypeOf<T>));
    }
  }
  return s.to<T>();
}
}  // namespace norch
