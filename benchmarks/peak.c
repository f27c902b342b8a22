// What the machine can do at most: multiply-adds and dot products per second, and bytes that are
// read, stored, copied, or added from two arrays to a third ("triad"). benchmarks/limits.py
// compiles this for the machine it runs on and calls it from one or more threads; nothing else uses
// it.
#include <stddef.h>
#include <stdint.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
#define WIDTH 64
#elif defined(__AVX__)
#define WIDTH 32
#else
#define WIDTH 16
#endif

typedef float vec __attribute__((vector_size(WIDTH)));
typedef double wide __attribute__((vector_size(WIDTH)));
enum { LANES = WIDTH / sizeof(float) };

// Twelve independent chains: enough to fill two pipes of latency four to six, few enough to stay
// in sixteen registers. Each function does `rounds` rounds and returns how many operations that
// was.
#define EACH(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
enum { CHAINS = 12 };

#define MULTIPLY_ADD(name, type, number)                                              \
  double name(long rounds, float factor, float term, void* out) {                     \
    type x = (number)factor - (type){}, y = (number)term - (type){};                  \
    EACH(START)                                                                       \
    for (long r = 0; r < rounds; ++r) {                                               \
      EACH(STEP)                                                                      \
    }                                                                                 \
    type all = y;                                                                     \
    EACH(ADD)                                                                         \
    for (int i = 0; i < WIDTH / (int)sizeof(number); ++i) ((number*)out)[i] = all[i]; \
    return 2.0 * CHAINS * (WIDTH / sizeof(number)) * (double)rounds;                  \
  }
#define START(i) __typeof__(y) a##i = y + i;
#define STEP(i) a##i = a##i * x + y;
#define ADD(i) all += a##i;
MULTIPLY_ADD(float32, vec, float)
MULTIPLY_ADD(float64, wide, double)

// Dot products: 0 operations where the processor has no instruction for them.
double bfloat16(long rounds, float factor, float term, void* out) {
#if defined(__AVX512BF16__) && defined(__AVX512F__)
  __m512 one = _mm512_set1_ps(factor);
  __m512bh x = _mm512_cvtne2ps_pbh(one, one), y = _mm512_cvtne2ps_pbh(one, one);
#define START_DOT(i) __m512 a##i = _mm512_set1_ps(term);
#define STEP_DOT(i) a##i = _mm512_dpbf16_ps(a##i, x, y);
#define ADD_DOT(i) one = _mm512_add_ps(one, a##i);
  EACH(START_DOT)
  for (long r = 0; r < rounds; ++r) {
    EACH(STEP_DOT)
  }
  EACH(ADD_DOT)
  _mm512_storeu_ps(out, one);
  return 2.0 * CHAINS * 32 * (double)rounds;
#else
  return 0;
#endif
}

double int8(long rounds, float factor, float term, void* out) {
#if defined(__AVX512VNNI__) && defined(__AVX512F__)
  __m512i all = _mm512_set1_epi8((char)term), x = _mm512_set1_epi8((char)(factor + 1)), y = x;
#define START_BYTES(i) __m512i a##i = all;
#define STEP_BYTES(i) a##i = _mm512_dpbusd_epi32(a##i, x, y);
#define ADD_BYTES(i) all = _mm512_add_epi32(all, a##i);
  EACH(START_BYTES)
  for (long r = 0; r < rounds; ++r) {
    EACH(STEP_BYTES)
  }
  EACH(ADD_BYTES)
  _mm512_storeu_si512(out, all);
  return 2.0 * CHAINS * 64 * (double)rounds;
#else
  return 0;
#endif
}

// Stores past the cache, where the processor has them.
static inline void stream(float* to, vec value) {
#if defined(__AVX512F__)
  _mm512_stream_ps(to, (__m512)value);
#elif defined(__AVX__)
  _mm256_stream_ps(to, (__m256)value);
#elif defined(__x86_64__)
  _mm_stream_ps(to, (__m128)value);
#else
  *(vec*)to = value;
#endif
}

static inline void keep(float* to, vec value) { *(vec*)to = value; }

// Add up `count` floats, a multiple of eight vectors, `times` times: reading alone.
float read_all(const float* data, size_t count, int times) {
  vec a[8] = {};
  for (int t = 0; t < times; ++t) {
    for (size_t i = 0; i + 8 * LANES <= count; i += 8 * LANES) {
      const vec* block = (const vec*)(data + i);
      for (int k = 0; k < 8; ++k) a[k] += block[k];
    }
    __asm__ volatile("" ::: "memory");
  }
  float sum = 0;
  for (int k = 0; k < 8; ++k) {
    for (int lane = 0; lane < LANES; ++lane) sum += a[k][lane];
  }
  return sum;
}

// Write `to` `times` times: a constant, a copy of `a`, the sum of `a` and `b`; by ordinary stores
// or past the cache. The arrays are aligned to vectors.
#define SWEEP(name, write, value)                                                 \
  void name(float* to, const float* a, const float* b, size_t count, int times) { \
    for (int t = 0; t < times; ++t) {                                             \
      for (size_t i = 0; i + LANES <= count; i += LANES) write(to + i, value);    \
      __asm__ volatile("" ::: "memory");                                          \
    }                                                                             \
  }
#define AT(array) (*(const vec*)(array + i))
SWEEP(store, keep, (1.0f - (vec){}))
SWEEP(store_past, stream, (1.0f - (vec){}))
SWEEP(copy, keep, AT(a))
SWEEP(copy_past, stream, AT(a))
SWEEP(triad, keep, AT(a) + AT(b))
SWEEP(triad_past, stream, AT(a) + AT(b))
