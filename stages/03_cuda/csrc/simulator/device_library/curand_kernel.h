// <curand_kernel.h> of the simulator: cuRAND's XORWOW and Philox4x32-10, number for number.
//
// XORWOW is Marsaglia's ("Xorshift RNGs", 2003), Philox Salmon's ("Parallel random numbers: as easy
// as 1, 2, 3", 2011); how a seed is spread, and how bits become numbers, is cuRAND's. Quasi-random
// generators, MRG32k3a and Poisson are not here.
#pragma once

// What a normal distribution keeps for the next call: Box-Muller makes two numbers at once.
struct norch_curand_extra {
  bool has = false, has_double = false;
  float value = 0;
  double value_double = 0;
};

struct curandStateXORWOW {
  unsigned d, v[5];
  norch_curand_extra extra;
};
struct curandStatePhilox4_32_10 {
  unsigned long long low, high;  // the counter: of fours in a sequence, of sequences
  unsigned key[2], output[4];    // output: of the counter
  unsigned used;                 // of output
  norch_curand_extra extra;
};
typedef curandStateXORWOW curandStateXORWOW_t, curandState, curandState_t;
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

// ---- XORWOW ----

inline unsigned curand(curandStateXORWOW* state) {
  unsigned* v = state->v;
  unsigned t = v[0] ^ v[0] >> 2;
  for (int i = 0; i < 4; i++) v[i] = v[i + 1];
  v[4] = v[4] ^ v[4] << 4 ^ t ^ t << 1;
  return v[4] + (state->d += 362437);
}
inline void skipahead(unsigned long long count, curandStateXORWOW* state) {
  norch_sim::skip_xorwow(state->v, count, 0);
  state->d += 362437 * static_cast<unsigned>(count);
}
// A sequence is 2^67 numbers, over which d comes round.
inline void skipahead_sequence(unsigned long long count, curandStateXORWOW* state) {
  norch_sim::skip_xorwow(state->v, count, 67);
}
inline void curand_init(unsigned long long seed, unsigned long long sequence,
                        unsigned long long offset, curandStateXORWOW* state) {
  unsigned low = 1099087573u * (static_cast<unsigned>(seed) ^ 0xaad26b49u);
  unsigned high = 2591861531u * (static_cast<unsigned>(seed >> 32) ^ 0xf7dcefddu);
  *state = {
      6615241u + low + high,
      {123456789u + low, 362436069u ^ low, 521288629u + high, 88675123u ^ high, 5783321u + low},
      {}};
  skipahead_sequence(sequence, state);
  skipahead(offset, state);
}

// ---- Philox ----

namespace norch_sim {
// Ten rounds of "multiply, keep both halves, cross over, add the key".
inline void refill(curandStatePhilox4_32_10* state) {
  unsigned key0 = state->key[0], key1 = state->key[1];
  unsigned c[4] = {static_cast<unsigned>(state->low), static_cast<unsigned>(state->low >> 32),
                   static_cast<unsigned>(state->high), static_cast<unsigned>(state->high >> 32)};
  for (int round = 0; round < 10; round++, key0 += 0x9E3779B9u, key1 += 0xBB67AE85u) {
    unsigned high0 = __umulhi(0xD2511F53u, c[0]), low0 = 0xD2511F53u * c[0];
    unsigned high1 = __umulhi(0xCD9E8D57u, c[2]), low1 = 0xCD9E8D57u * c[2];
    c[0] = high1 ^ c[1] ^ key0, c[1] = low1, c[2] = high0 ^ c[3] ^ key1, c[3] = low0;
  }
  for (int i = 0; i < 4; i++) state->output[i] = c[i];
}
// Moves the counter of fours on.
inline void advance(curandStatePhilox4_32_10* state, unsigned long long fours) {
  state->low += fours;
  if (state->low < fours) state->high++;
}
}  // namespace norch_sim

inline unsigned curand(curandStatePhilox4_32_10* state) {
  unsigned result = state->output[state->used++];
  if (state->used < 4) return result;
  state->used = 0;
  norch_sim::advance(state, 1);
  norch_sim::refill(state);
  return result;
}
inline uint4 curand4(curandStatePhilox4_32_10* state) {
  unsigned x = curand(state), y = curand(state), z = curand(state);
  return {x, y, z, curand(state)};
}
inline void skipahead(unsigned long long count, curandStatePhilox4_32_10* state) {
  unsigned rest = state->used + static_cast<unsigned>(count & 3);
  state->used = rest & 3;
  norch_sim::advance(state, (count >> 2) + (rest >> 2));
  norch_sim::refill(state);
}
inline void skipahead_sequence(unsigned long long count, curandStatePhilox4_32_10* state) {
  state->high += count;
  norch_sim::refill(state);
}
inline void curand_init(unsigned long long seed, unsigned long long sequence,
                        unsigned long long offset, curandStatePhilox4_32_10* state) {
  unsigned key0 = static_cast<unsigned>(seed), key1 = static_cast<unsigned>(seed >> 32);
  *state = {0, sequence, {key0, key1}, {}, 0, {}};
  skipahead(offset, state);
}

// ---- numbers of bits ----

namespace norch_sim {
// In (0, 1]: the middle of one of 2^32 (2^53) equal parts.
inline float uniform_of(unsigned x) { return float(x) * 0x1p-32f + 0x1p-33f; }
inline double uniform_of(unsigned x, unsigned y) {
  return double(x ^ static_cast<unsigned long long>(y) << 21) * 0x1p-53 + 0x1p-54;
}
// Box-Muller: two normal numbers of two uniform ones, the sine first.
inline float2 normals_of(unsigned x, unsigned y) {
  float radius = sqrtf(-2 * logf(uniform_of(x))), sine, cosine;
  float angle = float(y) * (0x1p-32f * 6.2831855f) + 0x1p-33f * 6.2831855f;
  __sincosf(angle, &sine, &cosine);
  return {radius * sine, radius * cosine};
}
inline double2 normals_of(unsigned x0, unsigned x1, unsigned y0, unsigned y1) {
  double radius = sqrt(-2 * log(uniform_of(x0, x1)));
  double angle = 2 * 3.14159265358979323846 * uniform_of(y0, y1);
  return {radius * sin(angle), radius * cos(angle)};
}
// The first of a pair now, the second one at the next call.
template <class Pair, class T, class Make>
T one_of_pair(bool& has, T& kept, Make make) {
  if (has) return has = false, kept;
  Pair pair = make();
  has = true, kept = pair.y;
  return pair.x;
}
}  // namespace norch_sim

template <class State>
float curand_uniform(State* state) {
  return norch_sim::uniform_of(curand(state));
}
inline float4 curand_uniform4(curandStatePhilox4_32_10* state) {
  uint4 x = curand4(state);
  using norch_sim::uniform_of;
  return {uniform_of(x.x), uniform_of(x.y), uniform_of(x.z), uniform_of(x.w)};
}
inline double curand_uniform_double(curandStateXORWOW* state) {
  unsigned x = curand(state);
  return norch_sim::uniform_of(x, curand(state));
}
// Of 32 bits only, unlike its brothers.
inline double curand_uniform_double(curandStatePhilox4_32_10* state) {
  return curand(state) * 0x1p-32 + 0x1p-32;
}
inline double2 curand_uniform2_double(curandStatePhilox4_32_10* state) {
  uint4 x = curand4(state);
  return {norch_sim::uniform_of(x.x, x.y), norch_sim::uniform_of(x.z, x.w)};
}

template <class State>
float2 curand_normal2(State* state) {
  unsigned x = curand(state);
  return norch_sim::normals_of(x, curand(state));
}
template <class State>
float curand_normal(State* state) {
  return norch_sim::one_of_pair<float2>(state->extra.has, state->extra.value,
                                        [=] { return curand_normal2(state); });
}
inline float4 curand_normal4(curandStatePhilox4_32_10* state) {
  float2 first = curand_normal2(state), second = curand_normal2(state);
  return {first.x, first.y, second.x, second.y};
}
template <class State>
double2 curand_normal2_double(State* state) {
  unsigned x0 = curand(state), x1 = curand(state), y0 = curand(state);
  return norch_sim::normals_of(x0, x1, y0, curand(state));
}
template <class State>
double curand_normal_double(State* state) {
  return norch_sim::one_of_pair<double2>(state->extra.has_double, state->extra.value_double,
                                         [=] { return curand_normal2_double(state); });
}
template <class State>
float curand_log_normal(State* state, float mean, float deviation) {
  return expf(mean + deviation * curand_normal(state));
}
template <class State>
double curand_log_normal_double(State* state, double mean, double deviation) {
  return exp(mean + deviation * curand_normal_double(state));
}
