// What the machine can do at most: multiply-adds per second, bytes read and bytes copied.
// benchmarks/limits.py compiles this for the machine it runs on and calls it from one or more
// threads; nothing else uses it.
#include <stddef.h>
#include <string.h>

#if defined(__AVX512F__)
#define WIDTH 64
#elif defined(__AVX__)
#define WIDTH 32
#else
#define WIDTH 16
#endif

typedef float vec __attribute__((vector_size(WIDTH)));
enum { LANES = WIDTH / sizeof(float) };

// Twelve independent chains: enough to fill two pipes of latency four to six, few enough to stay
// in sixteen registers.
#define EACH(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
enum { CHAINS = 12 };

// Do `rounds` rounds of multiply-adds; return how many floating point operations that was.
double multiply_add(long rounds, float factor, float term, float* out) {
  vec x = factor - (vec){}, y = term - (vec){};
#define START(i) vec a##i = y + (float)i;
  EACH(START)
  for (long r = 0; r < rounds; ++r) {
#define STEP(i) a##i = a##i * x + y;
    EACH(STEP)
  }
  vec all = y;
#define ADD(i) all += a##i;
  EACH(ADD)
  for (int lane = 0; lane < LANES; ++lane) out[lane] = all[lane];
  return 2.0 * CHAINS * LANES * (double)rounds;
}

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

// Copy `bytes` bytes `times` times.
void copy_all(char* to, const char* from, size_t bytes, int times) {
  for (int t = 0; t < times; ++t) {
    memcpy(to, from, bytes);
    __asm__ volatile("" ::: "memory");
  }
}
