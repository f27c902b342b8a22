// random: numbers from counters (Philox4x32-10), the same on every device. T is the type written.
//
// The rule is stage 2's, stated in its philox.h: the numbers of element i depend on the seed and on
// the position offset + i alone, so threads need no state and no order. The tests compare both
// stages bit by bit; to make that possible this file is compiled without fused multiply-add.

#include "philox.h"

// In [0, 1): the highest 24 bits for a float, 53 for a double.
__device__ inline void draw_unit(u64 seed, u64 position, float& unit) {
  unit = static_cast<float>(word(seed, position, 0) >> 8) * (1.0f / 16777216.0f);
}
__device__ inline void draw_unit(u64 seed, u64 position, double& unit) {
  unit = static_cast<double>(word64(seed, position, 0) >> 11) * (1.0 / 9007199254740992.0);
}

// One thread: out[i] uniform in [low, high).
extern "C" __global__ void uniform_kernel(i64 n, double low, double high, i64 seed, i64 offset,
                                          T* out) {
  T start = static_cast<T>(low), range = static_cast<T>(high - low), end = static_cast<T>(high);
  for (i64 i = first_element(); i < n; i += element_step()) {
    T unit;
    draw_unit(static_cast<u64>(seed), static_cast<u64>(offset + i), unit);
    T value = start + range * unit;
    out[i] = value < end ? value : start;
  }
}

// log x for x in (0, 1], and cos and sin of 2 pi w / 2^32: polynomials, because the library's
// functions differ from device to device in the last bit.
__device__ inline float log_unit(float x) {
  int bits = __float_as_int(x);
  int exponent = (bits - 0x3F3504F3) >> 23;
  float mantissa = __int_as_float(bits - exponent * (1 << 23));
  float t = mantissa - 1.0f, e = static_cast<float>(exponent);
  float y = 7.0376836292e-2f;
  y = y * t - 1.1514610310e-1f;
  y = y * t + 1.1676998740e-1f;
  y = y * t - 1.2420140846e-1f;
  y = y * t + 1.4249322787e-1f;
  y = y * t - 1.6668057665e-1f;
  y = y * t + 2.0000714765e-1f;
  y = y * t - 2.4999993993e-1f;
  y = y * t + 3.3333331174e-1f;
  y = y * t * t * t - 2.12194440e-4f * e - 0.5f * t * t;
  return t + y + 0.693359375f * e;
}
__device__ inline void cos_sin_turn(u32 w, float& cosine, float& sine) {
  u32 quarter = (w + (1u << 29)) >> 30;
  float x = static_cast<float>(static_cast<int>(w - (quarter << 30))) * 1.46291807926715968e-9f;
  float z = x * x;
  float s = x + x * z * (-1.6666654611e-1f + z * (8.3321608736e-3f - z * 1.9515295891e-4f));
  float c =
      1.0f - 0.5f * z +
      z * z * (4.166664568298827e-2f + z * (-1.388731625493765e-3f + z * 2.443315711809948e-5f));
  float even = quarter & 1 ? s : c, odd = quarter & 1 ? c : s;
  cosine = (quarter + 1) & 2 ? -even : even;
  sine = quarter & 2 ? -odd : odd;
}

// Box-Muller: the positions 2j and 2j + 1 share one radius; the even one takes its cosine, the odd
// its sine.
__device__ inline void draw_normal(u64 seed, u64 position, float& value) {
  u32 even = word(seed, position & ~1ull, 0), odd = word(seed, position | 1ull, 0);
  float u = (static_cast<float>(static_cast<int>(even >> 1)) + 0.5f) * (1.0f / 2147483648.0f);
  float radius = sqrt(-2.0f * log_unit(u)), cosine, sine;
  cos_sin_turn(odd, cosine, sine);
  value = radius * (position & 1 ? sine : cosine);
}
__device__ inline void draw_normal(u64 seed, u64 position, double& value) {
  u64 even = word64(seed, position & ~1ull, 0), odd = word64(seed, position | 1ull, 0);
  double u = (static_cast<double>(even >> 11) + 0.5) * (1.0 / 9007199254740992.0);
  double radius = sqrt(-2.0 * log(u));
  double angle =
      6.283185307179586476925 * (static_cast<double>(odd >> 11) * (1.0 / 9007199254740992.0));
  value = radius * (position & 1 ? sin(angle) : cos(angle));
}

// One thread: out[i] normal with this mean and standard deviation.
extern "C" __global__ void normal_kernel(i64 n, double mean, double std, i64 seed, i64 offset,
                                         T* out) {
  for (i64 i = first_element(); i < n; i += element_step()) {
    T value;
    draw_normal(static_cast<u64>(seed), static_cast<u64>(offset + i), value);
    out[i] = static_cast<T>(mean) + static_cast<T>(std) * value;
  }
}
