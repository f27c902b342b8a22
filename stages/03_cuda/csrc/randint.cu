// randint: random whole numbers, and ones with a given probability (bernoulli). T is the type
// written. The numbers are those of philox.h.

#include "philox.h"

// One thread: out[i] in low ... low + range - 1, each equally likely.
extern "C" __global__ void randint_kernel(i64 n, i64 low, i64 range, i64 seed, i64 offset, T* out) {
  for (i64 i = first_element(); i < n; i += element_step()) {
    u64 value =
        below(static_cast<u64>(seed), static_cast<u64>(offset + i), static_cast<u64>(range));
    out[i] = static_cast<T>(static_cast<u64>(low) + value);
  }
}

// One thread: out[i] = 1 with the probability threshold / 2^32, else 0.
extern "C" __global__ void bernoulli_kernel(i64 n, i64 threshold, i64 seed, i64 offset, T* out) {
  for (i64 i = first_element(); i < n; i += element_step()) {
    u64 w = word(static_cast<u64>(seed), static_cast<u64>(offset + i), 0);
    out[i] = static_cast<T>(w < static_cast<u64>(threshold) ? 1 : 0);
  }
}
