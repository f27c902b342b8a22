// Philox4x32-10: a counter goes in, four random words come out; nothing is remembered.
//
// The rule is stated in stage 2's kernels/philox.h. It is written once more here because a wheel of
// this stage holds only this folder. The tests compare both bit by bit.
#pragma once

#include "kernel.h"

struct Words {
  u32 word[4];
};

// Ten rounds of "multiply, keep both halves, cross over, add the key".
__device__ inline Words philox(u64 seed, u64 quad, u32 lane) {
  Words c = {{static_cast<u32>(quad), static_cast<u32>(quad >> 32), lane, 0}};
  u32 key0 = static_cast<u32>(seed), key1 = static_cast<u32>(seed >> 32);
  for (int round = 0; round < 10; round++) {
    u64 product0 = static_cast<u64>(0xD2511F53u) * c.word[0];
    u64 product1 = static_cast<u64>(0xCD9E8D57u) * c.word[2];
    c = {{static_cast<u32>(product1 >> 32) ^ c.word[1] ^ key0, static_cast<u32>(product1),
          static_cast<u32>(product0 >> 32) ^ c.word[3] ^ key1, static_cast<u32>(product0)}};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return c;
}
// Random word number `lane` of the element at a position; 64 bits of it below.
__device__ inline u32 word(u64 seed, u64 position, u32 lane) {
  return philox(seed, position / 4, lane).word[position % 4];
}
__device__ inline u64 word64(u64 seed, u64 position, u32 lane) {
  u64 high = word(seed, position, 2 * lane);
  return high << 32 | word(seed, position, 2 * lane + 1);
}

// An integer in [0, n). 2^64 is no multiple of n: the first 2^64 mod n values would come once too
// often.
__device__ inline u64 below(u64 seed, u64 position, u64 n) {
  u64 reject = (0ull - n) % n;
  for (u32 lane = 0;; lane++) {
    u64 w = word64(seed, position, lane);
    if (w >= reject) return w % n;
  }
}
