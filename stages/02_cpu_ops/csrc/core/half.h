// float16 and bfloat16: two bytes in memory, float32 in arithmetic.
// Conversions round to nearest even and are branch-free where a loop over them must vectorise.
#pragma once

#include <cstdint>
#include <cstring>

namespace norch {
// The 32 bits of a float as a whole number.
inline uint32_t bits_of(float x) {
  uint32_t u;
  std::memcpy(&u, &x, sizeof u);
  return u;
}
// The float of 32 bits.
inline float float_of(uint32_t u) {
  float x;
  std::memcpy(&x, &u, sizeof x);
  return x;
}

struct BFloat16 {
  uint16_t bits;
  BFloat16() = default;
  explicit BFloat16(float x) {
    const uint32_t u = bits_of(x);
    const uint32_t rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
    bits = static_cast<uint16_t>(x != x ? 0x7fc0u : rounded);
  }
  operator float() const { return float_of(static_cast<uint32_t>(bits) << 16); }
};

struct Float16 {
  uint16_t bits;
  Float16() = default;
  // The float adder rounds: adding a power of two places the last bit that is kept.
  explicit Float16(float x) {
    const uint32_t u = bits_of(x), sign = (u >> 16) & 0x8000u, magnitude = u & 0x7fffffffu;
    const uint32_t subnormal = bits_of(float_of(magnitude) + 0.5f) - 0x3f000000u;
    const uint32_t odd = (magnitude >> 13) & 1u;
    const uint32_t normal = (magnitude - 0x38000000u + 0xfffu + odd) >> 13;
    const uint32_t special = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
    uint32_t half = magnitude < 0x38800000u ? subnormal : normal;
    half = magnitude >= 0x47800000u ? special : half;
    bits = static_cast<uint16_t>(sign | half);
  }
  operator float() const {
    const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16, rest = bits & 0x7fffu;
    const uint32_t normal = (rest << 13) + 0x38000000u;
    const uint32_t subnormal = bits_of(static_cast<float>(rest) * 5.9604644775390625e-8f);
    const uint32_t special = (rest << 13) | 0x7f800000u;
    uint32_t u = rest < 0x400u ? subnormal : normal;
    u = rest >= 0x7c00u ? special : u;
    return float_of(sign | u);
  }
};
}  // namespace norch
