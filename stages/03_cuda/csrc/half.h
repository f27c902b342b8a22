// float16 and bfloat16 as stored: two bytes in memory, float in arithmetic; rounds to nearest even.
// The same bits as stage 2's. Included by kernel.h; needs no header of the CUDA toolkit.
#pragma once

__device__ inline unsigned bits_of(float x) { return static_cast<unsigned>(__float_as_int(x)); }
__device__ inline float float_of(unsigned bits) { return __int_as_float(static_cast<int>(bits)); }

struct BFloat16 {
  unsigned short bits;
  BFloat16() = default;
  __device__ explicit BFloat16(float x) {
    unsigned u = bits_of(x);
    unsigned rounded = (u + 0x7fffu + (u >> 16 & 1u)) >> 16;
    bits = static_cast<unsigned short>(x != x ? 0x7fc0u : rounded);
  }
  __device__ operator float() const { return float_of(static_cast<unsigned>(bits) << 16); }
};

struct Float16 {
  unsigned short bits;
  Float16() = default;
  // Adding a power of two to a small number lets the float adder place the last kept bit.
  __device__ explicit Float16(float x) {
    unsigned u = bits_of(x), sign = u >> 16 & 0x8000u, magnitude = u & 0x7fffffffu;
    unsigned half;
    if (magnitude >= 0x47800000u) {
      half = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;  // NaN, or too large: infinity
    } else if (magnitude < 0x38800000u) {
      half = bits_of(float_of(magnitude) + 0.5f) - 0x3f000000u;  // subnormal
    } else {
      half = (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u)) >> 13;
    }
    bits = static_cast<unsigned short>(sign | half);
  }
  __device__ operator float() const {
    unsigned sign = static_cast<unsigned>(bits & 0x8000u) << 16, rest = bits & 0x7fffu;
    if (rest >= 0x7c00u) return float_of(sign | rest << 13 | 0x7f800000u);
    if (rest < 0x400u)
      return float_of(sign | bits_of(static_cast<float>(rest) * 5.9604644775390625e-8f));
    return float_of(sign | ((rest << 13) + 0x38000000u));
  }
};
