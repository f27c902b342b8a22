// copy: move elements between layouts and types; arrays that are made from numbers alone.
//
// A copy reads T and has one kernel for each type written, one of which is T itself; the others
// write T. Memory: each element is read once and written once, wherever the layouts say.

#include "map.h"

// One element as another dtype: a cast, but for the dtypes that C++ has not.
template <class To>
__device__ To convert(T value) {
  return static_cast<To>(value);
}
template <>
__device__ Bool convert<Bool>(T value) {
  return value != T(0);
}
template <>
__device__ unsigned char convert<unsigned char>(T value) {
  return static_cast<unsigned char>(static_cast<int>(value));  // the low bits: -1 becomes 255
}
template <>
__device__ signed char convert<signed char>(T value) {
  return static_cast<signed char>(static_cast<int>(value));
}
template <>
__device__ Float16 convert<Float16>(T value) {
  return Float16(static_cast<float>(value));
}
template <>
__device__ BFloat16 convert<BFloat16>(T value) {
  return BFloat16(static_cast<float>(value));
}

// One thread: out[i] = x[i], converted, for every i of its share.
#define CAST(name, To)                                                                           \
  extern "C" __global__ void name##_kernel(i64 n, Layout lx, const T* x, Layout lout, To* out) { \
    auto f = [](T value) { return convert<To>(value); };                                         \
    if (is_flat(lout)) return map_elements(n, out, f, Operand<T>{lx, x});                        \
    for (i64 i = first_element(); i < n; i += element_step()) {                                  \
      out[at(lout, i)] = f(x[at(lx, i)]);                                                        \
    }                                                                                            \
  }

CAST(to_float32, float)
CAST(to_float64, double)
CAST(to_float16, Float16)
CAST(to_bfloat16, BFloat16)
CAST(to_int64, i64)
CAST(to_int32, int)
CAST(to_uint8, unsigned char)
CAST(to_int8, signed char)
CAST(to_bool, Bool)

// What cat joins: the elements of one array, and where they go.
struct Part {
  const T* data;
  T* out;
  i64 count;
  Layout from, to;
};
struct Parts {
  Part parts[7];  // as many as arguments have room for
};

// One thread: out[i] = data[i] of every part, for every i of its share.
extern "C" __global__ void cat_kernel(Parts joined) {
#pragma unroll  // else a copy of all parts would lie in each thread's local memory
  for (const Part& part : joined.parts) {
    for (i64 i = first_element(); i < part.count; i += element_step()) {
      part.out[at(part.to, i)] = part.data[at(part.from, i)];
    }
  }
}

// One thread: out[i] = value. Integers arrive as `whole`, which a double could not hold exactly.
extern "C" __global__ void fill_kernel(i64 n, double value, i64 whole, Layout lout, T* out) {
  const bool is_whole = static_cast<float>(T(0.5f)) == 0.0f;
  auto f = [=] { return is_whole ? static_cast<T>(whole) : static_cast<T>(value); };
  if (is_flat(lout)) return map_elements(n, out, f);
  for (i64 i = first_element(); i < n; i += element_step()) out[at(lout, i)] = f();
}

// One thread: out[i] = start + i step.
extern "C" __global__ void arange_kernel(i64 n, double start, double step, i64 whole_start,
                                         i64 whole_step, T* out) {
  const bool is_whole = static_cast<float>(T(0.5f)) == 0.0f;
  for (i64 i = first_element(); i < n; i += element_step()) {
    out[i] = is_whole ? static_cast<T>(whole_start + i * whole_step)
                      : static_cast<T>(start + static_cast<double>(i) * step);
  }
}
