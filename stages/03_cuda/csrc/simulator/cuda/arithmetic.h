// The functions of one thread that C lacks: bits, conversions, fast and rounded arithmetic.
//
// The fast ones (__expf) are as exact as the plain ones here. Included by cuda_on_cpu.h.
#pragma once

template <class T>
T __ldg(const T* address) {
  return *address;
}
#define __ldca __ldg
#define __ldcg __ldg
#define __ldcs __ldg
#define __ldcv __ldg
template <class T>
void __stcs(T* address, T value) {
  *address = value;
}
#define __stcg __stcs
#define __stwb __stcs
#define __stwt __stcs

// ---- whole numbers ----

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned long long __brevll(unsigned long long x) {
  unsigned long long reversed = 0;
  for (int i = 0; i < 64; i++) reversed |= (x >> i & 1) << (63 - i);
  return reversed;
}
inline unsigned __brev(unsigned x) { return static_cast<unsigned>(__brevll(x) >> 32); }
// Byte i of the result is the one of the eight of `low` and `high` that digit i names.
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned digits) {
  unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  unsigned result = 0;
  for (int i = 0; i < 4; i++) {
    unsigned byte = static_cast<unsigned>(both >> 8 * (digits >> 4 * i & 7) & 0xff);
    if (digits >> 4 * i & 8) byte = byte & 0x80 ? 0xff : 0;  // only its sign
    result |= byte << 8 * i;
  }
  return result;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>(both << (shift & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>(both >> (shift & 31));
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
inline int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
inline unsigned __sad(int a, int b, unsigned c) {
  return c + (a < b ? static_cast<unsigned>(b) - static_cast<unsigned>(a)
                    : static_cast<unsigned>(a) - static_cast<unsigned>(b));
}
// c and the products of four bytes each.
inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; i++)
    c += static_cast<signed char>(a >> 8 * i) * static_cast<signed char>(b >> 8 * i);
  return c;
}

// ---- the bits of a number as another type ----

#define NORCH_AS(name, From, To) \
  inline To name(From x) {       \
    To y;                        \
    memcpy(&y, &x, sizeof y);    \
    return y;                    \
  }
NORCH_AS(__int_as_float, int, float)
NORCH_AS(__float_as_int, float, int)
NORCH_AS(__uint_as_float, unsigned, float)
NORCH_AS(__float_as_uint, float, unsigned)
NORCH_AS(__longlong_as_double, long long, double)
NORCH_AS(__double_as_longlong, double, long long)
#undef NORCH_AS
inline int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
inline int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
inline double __hiloint2double(int high, int low) {
  return __longlong_as_double(static_cast<long long>(high) << 32 | static_cast<unsigned>(low));
}

// ---- conversions: rn nearest, rz to zero, ru up, rd down; too large a number gives the limit ----

namespace norch_sim {
template <class To>
To clamped(double x) {
  constexpr bool kSigned = To(-1) < To(0);
  double limit = ldexp(1.0, 8 * sizeof(To) - kSigned);
  if (x != x) return 0;
  if (x >= limit) return static_cast<To>(~(kSigned ? To(1) << (8 * sizeof(To) - 1) : To(0)));
  if (x < (kSigned ? -limit : 0)) return kSigned ? To(1) << (8 * sizeof(To) - 1) : To(0);
  return static_cast<To>(x);
}
}  // namespace norch_sim
#define NORCH_ROUNDED(name, From, To)                                          \
  inline To name##_rn(From x) { return norch_sim::clamped<To>(nearbyint(x)); } \
  inline To name##_rz(From x) { return norch_sim::clamped<To>(trunc(x)); }     \
  inline To name##_ru(From x) { return norch_sim::clamped<To>(ceil(x)); }      \
  inline To name##_rd(From x) { return norch_sim::clamped<To>(floor(x)); }
NORCH_ROUNDED(__float2int, float, int)
NORCH_ROUNDED(__float2uint, float, unsigned)
NORCH_ROUNDED(__float2ll, float, long long)
NORCH_ROUNDED(__float2ull, float, unsigned long long)
NORCH_ROUNDED(__double2int, double, int)
NORCH_ROUNDED(__double2uint, double, unsigned)
NORCH_ROUNDED(__double2ll, double, long long)
#undef NORCH_ROUNDED
inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
inline float __ll2float_rn(long long x) { return static_cast<float>(x); }
inline float __double2float_rn(double x) { return static_cast<float>(x); }
inline double __int2double_rn(int x) { return x; }

// ---- floats ----

#define NORCH_FAST(name, plain) \
  inline float name(float x) { return plain(x); }
NORCH_FAST(__expf, expf)
NORCH_FAST(__logf, logf)
NORCH_FAST(__log2f, log2f)
NORCH_FAST(__log10f, log10f)
NORCH_FAST(__sinf, sinf)
NORCH_FAST(__cosf, cosf)
NORCH_FAST(__tanf, tanf)
NORCH_FAST(__fsqrt_rn, sqrtf)
#undef NORCH_FAST
inline float __exp10f(float x) { return powf(10.0f, x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline void __sincosf(float x, float* sine, float* cosine) {
  *sine = sinf(x);
  *cosine = cosf(x);
}
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
inline float __fdividef(float x, float y) { return x / y; }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __frsqrt_rn(float x) { return static_cast<float>(1.0 / sqrt(double(x))); }
#define NORCH_ROUNDING(name, T, expression) \
  inline T name(T a, T b) { return expression; }
NORCH_ROUNDING(__fadd_rn, float, a + b)
NORCH_ROUNDING(__fsub_rn, float, a - b)
NORCH_ROUNDING(__fmul_rn, float, a* b)
NORCH_ROUNDING(__fdiv_rn, float, a / b)
NORCH_ROUNDING(__dadd_rn, double, a + b)
NORCH_ROUNDING(__dsub_rn, double, a - b)
NORCH_ROUNDING(__dmul_rn, double, a* b)
NORCH_ROUNDING(__ddiv_rn, double, a / b)
#undef NORCH_ROUNDING
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
inline double __dsqrt_rn(double x) { return sqrt(x); }

inline float rsqrt(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline float rcbrtf(float x) { return 1.0f / cbrtf(x); }
inline float fdividef(float x, float y) { return x / y; }
inline float rhypotf(float x, float y) { return 1.0f / hypotf(x, y); }
inline float norm3df(float x, float y, float z) { return sqrtf(x * x + y * y + z * z); }
inline float rnorm3df(float x, float y, float z) { return 1.0f / norm3df(x, y, z); }
inline float normcdff(float x) { return 0.5f * erfcf(-x * 0.70710678118654752f); }
inline double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }

// The type in which C++ compares the two.
template <class A, class B>
auto min(A a, B b) -> decltype(A() + B()) {
  return b < a ? b : a;
}
template <class A, class B>
auto max(A a, B b) -> decltype(A() + B()) {
  return a < b ? b : a;
}
template <class T>
T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
T max(T a, T b) {
  return a < b ? b : a;
}

// ---- time, in nanoseconds ----

inline long long clock64() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}
inline void __nanosleep(unsigned) {}

// The special registers that `asm("mov.u32 %0, %laneid;" ...)` reads: see runtime/cuda_text.py.
namespace norch_sim {
inline unsigned register_laneid() { return static_cast<unsigned>(self->index % 32); }
inline unsigned register_warpid() { return static_cast<unsigned>(self->index / 32); }
inline unsigned register_smid() { return 0; }
inline unsigned long long register_globaltimer() {
  return static_cast<unsigned long long>(clock64());
}
}  // namespace norch_sim
