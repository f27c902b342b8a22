// Philox4x32-10: random numbers without a state (Salmon et al., "Parallel Random Numbers: As Easy
// as 1, 2, 3", SC 2011).  A counter goes in, four 32-bit words come out; nothing is remembered, so
// any element can be drawn by any thread of any device, in any order, with the same result.
// Called by random.cpp; stage 3 writes the rule once more for the GPU, and tests compare both.
//
// THE RULE.  Every draw is a pure function of (seed, position, lane).  Element i of a flat output
// has position = offset + i.
//   word(position, lane)   = philox(counter = {q, q >> 32, lane, 0}, key = seed)[position % 4]
//                            with q = position / 4: one block serves four neighbours
//   word64(position, lane) = word(position, 2 lane) << 32 | word(position, 2 lane + 1)
// How words become numbers:
//   uniform float   (word(p, 0) >> 8) * 2^-24                       in [0, 1), 24 random bits
//   uniform double  (word64(p, 0) >> 11) * 2^-53                    in [0, 1); same leading bits
//   bernoulli(prob) word(p, 0) < prob * 2^32
//   integer in n    word64(p, lane) % n, lane = 0, 1, ... until it is >= 2^64 mod n: no bias
//   normal          Box-Muller on the pair of positions (p & ~1, p | 1): the even position takes
//                   radius * cos(angle), the odd one radius * sin(angle), where
//                   radius = sqrt(-2 log u), u = ((word(even, 0) >> 1) + 1/2) * 2^-31,
//                   angle = 2 pi word(odd, 0) * 2^-32; float64 takes word64 in place of word:
//                   u = ((word64(even, 0) >> 11) + 1/2) * 2^-53, angle = 2 pi (word64 >> 11) *
//                   2^-53
//   permutation     Fisher-Yates: for i = n-1 ... 1 swap(i, integer in i + 1 at position offset +
//   i)
// Multiplications and additions are to be rounded one by one (no fused multiply-add) wherever bits
// must agree between devices; random.cpp is compiled with -ffp-contract=off for that reason.
#pragma once

#include <cstdint>

namespace norch {
namespace philox {
struct Block {
  uint32_t word[4];
};

constexpr uint32_t kMultiplier0 = 0xD2511F53u, kMultiplier1 = 0xCD9E8D57u;
constexpr uint32_t kWeyl0 = 0x9E3779B9u, kWeyl1 = 0xBB67AE85u;  // golden ratio, sqrt(3) - 1
constexpr int kRounds = 10;

// Ten rounds of "multiply, keep both halves, cross over, add the key".
inline Block philox4x32(Block counter, uint32_t key0, uint32_t key1) {
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t product0 = uint64_t(kMultiplier0) * counter.word[0];
    const uint64_t product1 = uint64_t(kMultiplier1) * counter.word[2];
    counter = Block{{uint32_t(product1 >> 32) ^ counter.word[1] ^ key0, uint32_t(product1),
                     uint32_t(product0 >> 32) ^ counter.word[3] ^ key1, uint32_t(product0)}};
    key0 += kWeyl0;
    key1 += kWeyl1;
  }
  return counter;
}

// The four words of positions 4 quad ... 4 quad + 3.
inline Block block(uint64_t seed, uint64_t quad, uint32_t lane) {
  return philox4x32(Block{{uint32_t(quad), uint32_t(quad >> 32), lane, 0}}, uint32_t(seed),
                    uint32_t(seed >> 32));
}

// The random word of a position and lane.
inline uint32_t word(uint64_t seed, uint64_t position, uint32_t lane) {
  return block(seed, position / 4, lane).word[position % 4];
}

// The random 64 bits of a position and lane.
inline uint64_t word64(uint64_t seed, uint64_t position, uint32_t lane) {
  return uint64_t(word(seed, position, 2 * lane)) << 32 | word(seed, position, 2 * lane + 1);
}

// A random word as a float in [0, 1).
inline float to_uniform(uint32_t w) { return float(w >> 8) * (1.0f / 16777216.0f); }

// 64 random bits as a double in [0, 1).
inline double to_uniform(uint64_t w) { return double(w >> 11) * (1.0 / 9007199254740992.0); }

// An integer in [0, n), n > 0.  2^64 is not a multiple of n, so the first 2^64 mod n values would
// come once too often: they are thrown away and the next lane is drawn.
inline uint64_t below(uint64_t seed, uint64_t position, uint64_t n) {
  const uint64_t reject = (uint64_t(0) - n) % n;
  for (uint32_t lane = 0;; ++lane) {
    const uint64_t w = word64(seed, position, lane);
    if (w >= reject) return w % n;
  }
}
}  // namespace philox
}  // namespace norch
