// Elementary functions of one float, written without branches so that a loop over them becomes
// vector code under every instruction set; accurate to about 2 units in the last place, with the
// usual results at 0, infinity and NaN. float64 goes to the C++ library, under the same names.
// Kernel files only; internal linkage, because each instruction set needs its own copy.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace norch {
namespace {
namespace math {
// The bits of a float, for the kernels' vector code.
inline int32_t to_bits(float x) {
  int32_t i;
  std::memcpy(&i, &x, sizeof i);
  return i;
}
// The float of these bits, for the kernels' vector code.
inline float from_bits(int32_t i) {
  float x;
  std::memcpy(&x, &i, sizeof x);
  return x;
}
// x between lo and hi without a branch, for the kernels' vector code; NaN stays NaN.
inline float clamp(float x, float lo, float hi) {
  x = x < lo ? lo : x;
  return x > hi ? hi : x;
}

// exp(r) - 1 - r over r^2, for |r| <= ln(2) / 2: Cephes' polynomial.
inline float exp_tail(float r) {
  float y = 1.9875691500e-4f;
  y = y * r + 1.3981999507e-3f;
  y = y * r + 8.3334519073e-3f;
  y = y * r + 4.1665795894e-2f;
  y = y * r + 1.6666665459e-1f;
  return y * r + 5.0000001201e-1f;
}

// x = n ln(2) + r, and exp(x) = 2^n exp(r). The scale is applied in two halves, so that results
// below the smallest normal number (and the step to infinity) round as they should.
inline float exp(float x) {
  x = clamp(x, -104.0f, 89.0f);
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it leaves the nearest integer
  const float t = x * 1.44269504088896341f + kRound;
  const float n = t - kRound;
  const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  const float y = exp_tail(r) * (r * r) + r + 1.0f;
  const int32_t exponent = static_cast<int32_t>(static_cast<uint32_t>(to_bits(t)) << 23);  // n 2^23
  const int32_t half = (exponent >> 1) & static_cast<int32_t>(0xff800000u);
  return from_bits(to_bits(y) + (exponent - half)) * from_bits(half + to_bits(1.0f));
}

// exp without the steps that only the ends of the line need: for |x| <= kNearExpLimit.
inline constexpr float kNearExpLimit = 87.0f;

// exp(x) in float32 for the kernels' vector code, short.
inline float near_exp(float x) {
  constexpr float kRound = 12582912.0f;
  const float t = x * 1.44269504088896341f + kRound;
  const float n = t - kRound;
  const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  float y = 1.38143206779584e-3f;  // minimax of degree 6 with 1 + r as it stands: 3e-9
  y = y * r + 8.36885123112788e-3f;
  y = y * r + 4.16684010940881e-2f;
  y = y * r + 1.66665195227193e-1f;
  y = y * r + 4.99999933730074e-1f;
  y = y * r + 1.0f;
  y = y * r + 1.0f;
  const uint32_t scale = (static_cast<uint32_t>(to_bits(t)) << 23) + 0x3f800000u;
  return y * from_bits(static_cast<int32_t>(scale));
}

// The same for float64: Taylor's series to the 13th power is exact to the last digit here.
inline constexpr double kNearExpLimit64 = 708.0;

// exp(x) in float64 for the kernels' vector code, short.
inline double near_exp(double x) {
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52
  const double t = x * 1.4426950408889634074 + kRound;
  const double n = t - kRound;
  const double r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
  double y = 1.6059043836821613e-10;
  y = y * r + 2.08767569878681e-09;
  y = y * r + 2.505210838544172e-08;
  y = y * r + 2.755731922398589e-07;
  y = y * r + 2.7557319223985893e-06;
  y = y * r + 2.48015873015873e-05;
  y = y * r + 0.0001984126984126984;
  y = y * r + 0.001388888888888889;
  y = y * r + 0.008333333333333333;
  y = y * r + 0.041666666666666664;
  y = y * r + 0.16666666666666666;
  y = y * r + 0.5;
  y = y * r + 1.0;
  y = y * r + 1.0;
  int64_t bits;
  std::memcpy(&bits, &t, sizeof bits);
  const uint64_t scale = (static_cast<uint64_t>(bits) << 52) + 0x3ff0000000000000u;
  double power;
  std::memcpy(&power, &scale, sizeof power);
  return y * power;
}

// exp for x <= 0: what is below the smallest normal number becomes 0, NaN stays NaN.
inline float exp_of_negative(float x) {
  const float y = near_exp(x);
  return x < -kNearExpLimit ? 0.0f : y;
}

// The kernels' exp(x) - 1 as vector code in float32, exact near 0.
inline float expm1(float x) {
  const float near = exp_tail(x) * (x * x) + x, far = exp(x) - 1.0f;
  return std::fabs(x) < 0.34f ? near : far;
}

struct Logarithm {
  float exponent;  // x = 2^exponent * (1 + f), 1 + f in [sqrt(1/2), sqrt(2))
  float mantissa;  // log(1 + f)
};

// For the kernels' logarithms: a float as a power of two and the logarithm of the rest.
inline Logarithm split_log(float x) {
  const bool tiny = x < 1.17549435e-38f;  // subnormal: lift it into the normal range
  const float lifted = tiny ? x * 8388608.0f : x;
  constexpr int32_t kHalfRoot = 0x3f3504f3;  // sqrt(1/2)
  // Wraps for negative x, whose result log_special replaces.
  const auto i = static_cast<int32_t>(static_cast<uint32_t>(to_bits(lifted)) - uint32_t{kHalfRoot});
  const float f = from_bits((i & 0x007fffff) + kHalfRoot) - 1.0f;
  float p = 7.0376836292e-2f;
  p = p * f - 1.1514610310e-1f;
  p = p * f + 1.1676998740e-1f;
  p = p * f - 1.2420140846e-1f;
  p = p * f + 1.4249322787e-1f;
  p = p * f - 1.6668057665e-1f;
  p = p * f + 2.0000714765e-1f;
  p = p * f - 2.4999993993e-1f;
  p = p * f + 3.3333331174e-1f;
  const float z = f * f;
  return {static_cast<float>(i >> 23) - (tiny ? 23.0f : 0.0f), p * f * z - 0.5f * z + f};
}

inline float log_special(float x, float y) {  // what the formula cannot know
  constexpr float kInf = std::numeric_limits<float>::infinity();
  y = x == 0.0f ? -kInf : y;
  y = x < 0.0f ? std::numeric_limits<float>::quiet_NaN() : y;
  return x < kInf ? y : x;  // infinity and NaN come back unchanged
}

// The kernels' natural logarithm as vector code in float32.
inline float log(float x) {
  const Logarithm l = split_log(x);
  return log_special(x, l.exponent * -2.12194440e-4f + l.mantissa + l.exponent * 0.693359375f);
}

// The kernels' logarithm to base 2 as vector code in float32, exact at powers of two.
inline float log2(float x) {
  const Logarithm l = split_log(x);
  return log_special(x, l.exponent + l.mantissa * 1.44269504088896341f);
}

// The kernels' log(1 + x) as vector code in float32, exact near 0.
inline float log1p(float x) {
  const float u = 1.0f + x;
  const float corrected = log(u) + (x - (u - 1.0f)) / u;  // what rounding 1 + x lost
  const float y = u == 1.0f ? x : corrected;
  return u > 0.0f && u < std::numeric_limits<float>::infinity() ? y : log(u);
}

// The kernels' hyperbolic tangent as vector code in float32.
inline float tanh(float x) {
  const float u = 2.0f * clamp(std::fabs(x), 0.0f, 15.0f);
  const float near = exp_tail(u) * (u * u) + u, far = near_exp(u) - 1.0f;
  const float e = u < 0.34f ? near : far;
  const float y = e / (e + 2.0f);
  return x != x ? x : std::copysign(y, x);
}

// The kernels' 1 / (1 + exp(-x)) as vector code in float32.
inline float sigmoid(float x) { return 1.0f / (1.0f + exp(-x)); }

inline double exp(double x) { return std::exp(x); }                // for the float64 kernels
inline double expm1(double x) { return std::expm1(x); }            // for the float64 kernels
inline double log(double x) { return std::log(x); }                // for the float64 kernels
inline double log1p(double x) { return std::log1p(x); }            // for the float64 kernels
inline double log2(double x) { return std::log2(x); }              // for the float64 kernels
inline double tanh(double x) { return std::tanh(x); }              // for the float64 kernels
inline double erf(double x) { return std::erf(x); }                // for the float64 kernels
inline double sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }  // for the float64 kernels

// The kernels' erf as vector code in float32: N. Juffa's two polynomials, below one unit in the
// last place each.
inline float erf(float x) {
  const float t = std::fabs(x), s = x * x;
  float p = -5.96761703e-4f;
  p = p * s + 4.99119423e-3f;
  p = p * s - 2.67681349e-2f;
  p = p * s + 1.12819925e-1f;
  p = p * s - 3.76125336e-1f;
  p = p * s + 1.28379166e-1f;
  const float near = p * x + x;
  const float u = clamp(t, 0.0f, 4.0f), v = u * u;  // erf(4) is 1 already
  float r = -1.72853470e-5f * u + 3.83197126e-4f;
  r = r * v + (-3.88396438e-3f * u + 2.42546219e-2f);
  r = r * u - 1.06777877e-1f;
  r = r * u - 6.34846687e-1f;
  r = r * u - 1.28717512e-1f;
  r = r * u - u;
  const float far = std::copysign(1.0f - exp(r), x);
  const float y = t > 0.927734375f ? far : near;
  return x != x ? x : y;
}

// log2(a) in double for positive normal a, to about 1e-15.
inline double near_log2(float a) {
  constexpr int32_t kHalfRoot = 0x3f3504f3;  // sqrt(1/2)
  const auto i = static_cast<int32_t>(static_cast<uint32_t>(to_bits(a)) - uint32_t{kHalfRoot});
  const double f = static_cast<double>(from_bits((i & 0x007fffff) + kHalfRoot)) - 1.0;
  const double s = f / (f + 2.0), z = s * s;  // log(1 + f) = 2 (s + s^3 / 3 + s^5 / 5 ...)
  double y = 1.0 / 15;
  y = y * z + 1.0 / 13;
  y = y * z + 1.0 / 11;
  y = y * z + 1.0 / 9;
  y = y * z + 1.0 / 7;
  y = y * z + 1.0 / 5;
  y = y * z + 1.0 / 3;
  y = y * z + 1.0;
  return static_cast<double>(i >> 23) + y * s * 2.8853900817779268147;
}

// a^b for positive normal a and finite b: 2^(b log2(a)) in double, whose digits cover the product;
// the step back to float rounds once, and to infinity or below the normal numbers as it should.
inline float near_pow(float a, float b) {
  double t = static_cast<double>(b) * near_log2(a);
  t = t < -200.0 ? -200.0 : t;
  t = t > 200.0 ? 200.0 : t;
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52
  const double whole = t + kRound;
  const double r = (t - (whole - kRound)) * 0.69314718055994530942;
  double p = 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  int64_t bits;
  std::memcpy(&bits, &whole, sizeof bits);
  const uint64_t scale = (static_cast<uint64_t>(bits) << 52) + 0x3ff0000000000000u;
  double power;
  std::memcpy(&power, &scale, sizeof power);
  return static_cast<float>(p * power);
}

// erfinv(x) / x, given w = -log(1 - x^2) < 16: two polynomials, as M. Giles's (Approximating the
// erfinv function, GPU Computing Gems, 2010), fitted to 7e-9.
inline double erfinv_ratio(double w) {
  constexpr double kNear[] = {
      -8.94141409329e-9, 2.3264800104e-8,   4.68266973723e-7,  -3.46309306939e-6, -4.97306967007e-6,
      2.18345886772e-4,  -1.25272522691e-3, -4.17738847388e-3, 0.246640278481,    1.50140935958};
  constexpr double kFar[] = {
      1.27802179806e-4, -3.19499040549e-4, -7.3933905459e-5, 1.49693809712e-3, -3.58883755248e-3,
      5.68266713422e-3, -7.63896972964e-3, 9.44576340264e-3, 1.00167506013,    2.83297679372};
  const double c = w - 2.5, s = std::sqrt(w) - 3;
  double near = kNear[0], far = kFar[0];
  for (int k = 1; k < 10; ++k) {
    near = near * c + kNear[k];
    far = far * s + kFar[k];
  }
  return w < 5 ? near : far;
}

// The kernels' inverse of erf in float32, by way of double: a slope of erfinv multiplies its error.
inline float erfinv(float x) {
  const float z = std::fabs(x);
  const double w = -0.69314718055994530942 * near_log2((1.0f - x) * (1.0f + x));
  const auto y = static_cast<float>(x * erfinv_ratio(w));
  const float end = z == 1.0f ? std::copysign(std::numeric_limits<float>::infinity(), x) : NAN;
  return z < 1.0f ? y : end;
}

// The kernels' inverse of erf in float64: Halley's steps from that guess, by erfc near 1, where
// 1 - |x| is exact.
inline double erfinv(double x) {
  const double z = std::fabs(x);
  if (!(z < 1.0)) return z == 1.0 ? std::copysign(HUGE_VAL, x) : std::nan("");
  const double w = -std::log1p(-z) - std::log1p(z);
  double y = w < 16.0 ? z * erfinv_ratio(w) : std::sqrt(w - 0.5 * std::log(3.14159265358979 * w));
  for (int step = w < 16.0 ? 1 : 3; step > 0; --step) {
    const double excess = z < 0.5 ? std::erf(y) - z : (1.0 - z) - std::erfc(y);
    const double d = excess * 0.88622692545275801365 * std::exp(y * y);  // over the slope of erf
    y -= d / (1.0 + y * d);
  }
  return std::copysign(y, x);
}

// Mills' ratio by its definition: what lies above z >= 0 in the normal distribution, over
// exp(-z^2 / 2). A quotient of polynomials: 5e-8 up to z = 5.6, 5e-5 where the tail itself is
// below 1e-8. With it no difference is formed, so that the left tail of gelu keeps its digits.
inline float mills_ratio(float z) {
  float p = 1.3461566829e-2f;
  p = p * z + 1.03690376064e-1f;
  p = p * z + 3.33088346888e-1f;
  p = p * z + 4.99999973044e-1f;
  float q = 3.3765120474e-2f;
  q = q * z + 2.59333937283e-1f;
  q = q * z + 8.7556117927e-1f;
  q = q * z + 1.464058025299f;
  q = q * z + 1.0f;
  return p / q;
}

// exp(-s / 2) for 0 <= s <= 2 kNearExpLimit: near_exp with the half in its constants and 2 ln(2) in
// one piece. That costs s / 2 units in the last place where there is no fused multiply-add, which
// is less than the rounding of s has cost already.
inline float exp_of_half_below(float s) {
  constexpr float kRound = 12582912.0f;
  const float t = s * -0.721347520444481704f + kRound;
  const float n = t - kRound;
  const float r = s + n * 1.38629436111989f;
  float e = 2.15848760593e-05f;
  e = e * r - 0.000261526600973f;
  e = e * r + 0.00260427506838f;
  e = e * r - 0.0208331494034f;
  e = e * r + 0.124999983433f;
  e = e * r - 0.5f;
  e = e * r + 1.0f;
  return from_bits(to_bits(e) + static_cast<int32_t>(static_cast<uint32_t>(to_bits(t)) << 23));
}

// The kernels' gelu as vector code: max(x, 0) less what the normal distribution takes away, |x|
// times its tail.
inline float gelu(float x) {
  const float z = std::fabs(x), square = x * x;
  const float lost = z * exp_of_half_below(square) * mills_ratio(z);
  return (0.5f * x + 0.5f * z) - (square > 2 * kNearExpLimit ? 0.0f : lost);
}

// The normal distribution at x: its density and what lies below x.
template <class T>
struct Normal {
  T density, below;
};

// For the kernel of gelu's gradient: density and distribution of the normal at x, in float32.
inline Normal<float> normal(float x) {
  float z = std::fabs(x);
  z = z > 14.0f ? 14.0f : z;
  const float e = exp_of_negative(-0.5f * (x * x));
  const float tail = e * mills_ratio(z);
  return {e * 3.98942280401432678e-1f, x > 0.0f ? 1.0f - tail : tail};
}
// The same in float64.
inline Normal<double> normal(double x) {
  return {0.3989422804014326779 * std::exp(-0.5 * x * x),
          0.5 * std::erfc(-x * 0.70710678118654752440)};
}

// sin and cos in double, where x - q pi/2 is exact enough for |x| up to kTrigonometryLimit.
inline constexpr float kTrigonometryLimit = 1e6f;

struct SinCos {
  float sin, cos;
};

// The kernels' sine and cosine of a float as vector code, by their polynomials.
inline SinCos sincos(float x_) {
  const double x = x_;
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52
  const double t = x * 0.63661977236758134308 + kRound;
  const double q = t - kRound;
  int64_t quadrant;
  std::memcpy(&quadrant, &t, sizeof quadrant);
  const double r = (x - q * 1.57079632673412561417) - q * 6.07710050650619224932e-11;
  const double z = r * r;
  double s = 2.718311493989822e-6;
  s = s * z - 1.9839334836096632e-4;
  s = s * z + 8.333329385889463e-3;
  s = s * z - 0.16666666641626524;
  s = s * z * r + r;
  double c = 2.439044879627741e-5;
  c = c * z - 1.388676377460993e-3;
  c = c * z + 4.166662332373906e-2;
  c = c * z - 0.499999997251031;
  c = c * z + 1.0;
  const bool swap = (quadrant & 1) != 0;
  const double sine = swap ? c : s, cosine = swap ? s : c;
  const bool flip_sine = (quadrant & 2) != 0, flip_cosine = ((quadrant + 1) & 2) != 0;
  return {static_cast<float>(flip_sine ? -sine : sine),
          static_cast<float>(flip_cosine ? -cosine : cosine)};
}
}  // namespace math
}  // namespace
}  // namespace norch
