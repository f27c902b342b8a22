// copy: move elements between layouts and types, fill, count.
//
// T is the type read. One kernel for each type written: a copy is the one that writes T itself.
// Memory: each element of x is read once, each of out written once, wherever their layouts say.

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
    for (i64 i = first_element(); i < n; i += element_step()) {                                  \
      out[at(lout, i)] = convert<To>(x[at(lx, i)]);                                              \
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
