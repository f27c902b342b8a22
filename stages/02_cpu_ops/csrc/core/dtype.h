// Element types: their sizes, names, PyTorch's promotion rules, and the one dispatch from a
// run-time DType to a C++ type. Kernels and bindings call it; nobody else switches on a DType.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/error.h"
#include "core/half.h"

namespace norch {
// Bool: one byte in memory that is true unless it is 0. Foreign memory, views of other dtypes and
// new memory hold other bytes than 0 and 1, and to read those as a C++ bool is undefined. So every
// read gives a bool by asking != 0, and every write leaves 0 or 1.
struct Bool {
  uint8_t byte;
  Bool() = default;
  Bool(bool x) : byte(x) {}                    // NOLINT: reading and writing
  operator bool() const { return byte != 0; }  // convert by themselves
};

enum class DType : uint8_t {
  kBool,
  kUInt8,
  kInt8,
  kInt16,  // for storage: check_moves tells the operations that take it
  kInt32,
  kInt64,
  kFloat16,
  kBFloat16,
  kFloat32,
  kFloat64
};
inline constexpr int kNumDTypes = 10;

struct DTypeInfo {
  const char* name;  // as printed: norch.<name>
  int itemsize;
  const char* format;  // the letter of Python's struct module, null when it has none
};

inline constexpr DTypeInfo kDTypeInfo[kNumDTypes] = {
    {"bool", 1, "?"},    {"uint8", 1, "B"},   {"int8", 1, "b"},    {"int16", 2, "h"},
    {"int32", 4, "i"},   {"int64", 8, "q"},   {"float16", 2, "e"}, {"bfloat16", 2, nullptr},
    {"float32", 4, "f"}, {"float64", 8, "d"},
};

// A dtype's name, such as float32.
inline const char* name_of(DType t) { return kDTypeInfo[static_cast<int>(t)].name; }
// The bytes of one element.
inline int itemsize_of(DType t) { return kDTypeInfo[static_cast<int>(t)].itemsize; }
// Whether it is float16, bfloat16, float32 or float64.
inline bool is_floating(DType t) { return t >= DType::kFloat16; }
// Whether it is float16 or bfloat16.
inline bool is_half(DType t) { return t == DType::kFloat16 || t == DType::kBFloat16; }
inline bool is_integral(DType t) { return t < DType::kFloat16; }  // bool included, as PyTorch

// float16 and bfloat16 are computed in float32, int8 in int32: they are ways of storing numbers.
inline DType compute_type(DType t) {
  if (t == DType::kInt8) return DType::kInt32;
  return is_half(t) ? DType::kFloat32 : t;
}

// The type that holds both, by PyTorch's table (c10/core/ScalarType.cpp): the later in the enum,
// but for two pairs. uint8 with int8 make PyTorch's int16, and here the next type that computes.
inline DType promote_types(DType a, DType b) {
  const DType low = std::min(a, b), high = std::max(a, b);
  if (low == DType::kUInt8 && high == DType::kInt8) return DType::kInt32;
  if (low == DType::kFloat16 && high == DType::kBFloat16) return DType::kFloat32;
  return high;
}

// Casting `from` into an in-place destination of type `to`: never to a lower category.
inline bool can_cast(DType from, DType to) {
  if (is_floating(from) && !is_floating(to)) return false;
  return !(from != DType::kBool && to == DType::kBool);
}

template <class T>
struct Tag {
  using type = T;
};

// What a kernel computes with when memory holds a T.
template <class T>
using Value = std::conditional_t<std::is_same_v<T, Bool>, bool, T>;

template <class... T>
struct Types {};
// The C++ type of each dtype, in the order of the enum.
using AllTypes =
    Types<Bool, uint8_t, int8_t, int16_t, int32_t, int64_t, Float16, BFloat16, float, double>;

// The place of a C++ type in that list, as a dtype; kDTypeOf asks.
template <class T, class... All>
constexpr DType dtype_for(Types<All...>) {
  int place = 0;
  static_cast<void>(((std::is_same_v<T, All> || (++place, false)) || ...));  // counts up to T
  return static_cast<DType>(place);
}

// The DType of elements of the C++ type T.
template <class T>
inline constexpr DType kDTypeOf = dtype_for<T>(AllTypes{});

// Calls f with the one of these types that t is; visit asks for all of them.
template <class F, class T, class... Others>
auto visit_among(Types<T, Others...>, DType t, F&& f) {
  if constexpr (sizeof...(Others) > 0) {
    if (t != kDTypeOf<T>) return visit_among(Types<Others...>{}, t, f);
  }
  return f(Tag<T>{});
}

// visit(dtype, [&](auto tag) { using T = typename decltype(tag)::type; ... }): all ten types.
template <class F>
auto visit(DType t, F&& f) {
  return visit_among(AllTypes{}, t, f);
}

// The two types that floating kernels are written for; halves were cast to float32 at the door.
template <class F>
auto visit_floating(DType t, const char* op, F&& f) {
  if (t == DType::kFloat32) return f(Tag<float>{});
  if (t == DType::kFloat64) return f(Tag<double>{});
  raise<TypeError>("[", op, "] expected float32 or float64, got ", name_of(t));
}
}  // namespace norch
