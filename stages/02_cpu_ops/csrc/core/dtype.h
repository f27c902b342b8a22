// Element types: their sizes, names, PyTorch's promotion rules, and the one dispatch from a
// run-time DType to a C++ type. Kernels and bindings call it; nobody else switches on a DType.
#pragma once

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

// PyTorch's promotion table (c10/core/ScalarType.cpp), row and column in the order of the enum; but
// for uint8 with int8, which make PyTorch's int16: the next type that computes is int32 here.
inline DType promote_types(DType a, DType b) {
  using enum_t = DType;
  constexpr auto b1 = enum_t::kBool, u1 = enum_t::kUInt8, i1 = enum_t::kInt8, i2 = enum_t::kInt16,
                 i4 = enum_t::kInt32, i8 = enum_t::kInt64, f2 = enum_t::kFloat16,
                 bf = enum_t::kBFloat16, f4 = enum_t::kFloat32, f8 = enum_t::kFloat64;
  constexpr DType kTable[kNumDTypes][kNumDTypes] = {
      {b1, u1, i1, i2, i4, i8, f2, bf, f4, f8},  // bool
      {u1, u1, i4, i2, i4, i8, f2, bf, f4, f8},  // uint8
      {i1, i4, i1, i2, i4, i8, f2, bf, f4, f8},  // int8
      {i2, i2, i2, i2, i4, i8, f2, bf, f4, f8},  // int16
      {i4, i4, i4, i4, i4, i8, f2, bf, f4, f8},  // int32
      {i8, i8, i8, i8, i8, i8, f2, bf, f4, f8},  // int64
      {f2, f2, f2, f2, f2, f2, f2, f4, f4, f8},  // float16
      {bf, bf, bf, bf, bf, bf, f4, bf, f4, f8},  // bfloat16
      {f4, f4, f4, f4, f4, f4, f4, f4, f4, f8},  // float32
      {f8, f8, f8, f8, f8, f8, f8, f8, f8, f8},  // float64
  };
  return kTable[static_cast<int>(a)][static_cast<int>(b)];
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

// The dtype of each C++ type; kDTypeOf asks.
constexpr DType dtype_for(Tag<Bool>) { return DType::kBool; }
constexpr DType dtype_for(Tag<uint8_t>) { return DType::kUInt8; }
constexpr DType dtype_for(Tag<int8_t>) { return DType::kInt8; }
constexpr DType dtype_for(Tag<int16_t>) { return DType::kInt16; }
constexpr DType dtype_for(Tag<int32_t>) { return DType::kInt32; }
constexpr DType dtype_for(Tag<int64_t>) { return DType::kInt64; }
constexpr DType dtype_for(Tag<Float16>) { return DType::kFloat16; }
constexpr DType dtype_for(Tag<BFloat16>) { return DType::kBFloat16; }
constexpr DType dtype_for(Tag<float>) { return DType::kFloat32; }
constexpr DType dtype_for(Tag<double>) { return DType::kFloat64; }

// The DType of elements of the C++ type T.
template <class T>
inline constexpr DType kDTypeOf = dtype_for(Tag<T>{});

// visit(dtype, [&](auto tag) { using T = typename decltype(tag)::type; ... }): all ten types.
template <class F>
auto visit(DType t, F&& f) {
  switch (t) {
    case DType::kBool:
      return f(Tag<Bool>{});
    case DType::kUInt8:
      return f(Tag<uint8_t>{});
    case DType::kInt8:
      return f(Tag<int8_t>{});
    case DType::kInt16:
      return f(Tag<int16_t>{});
    case DType::kInt32:
      return f(Tag<int32_t>{});
    case DType::kInt64:
      return f(Tag<int64_t>{});
    case DType::kFloat16:
      return f(Tag<Float16>{});
    case DType::kBFloat16:
      return f(Tag<BFloat16>{});
    case DType::kFloat32:
      return f(Tag<float>{});
    default:
      return f(Tag<double>{});
  }
}

// The two types that floating kernels are written for; halves were cast to float32 at the door.
template <class F>
auto visit_floating(DType t, const char* op, F&& f) {
  if (t == DType::kFloat32) return f(Tag<float>{});
  if (t == DType::kFloat64) return f(Tag<double>{});
  raise<TypeError>("[", op, "] expected float32 or float64, got ", name_of(t));
}
}  // namespace norch
