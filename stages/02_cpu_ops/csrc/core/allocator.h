// The caching allocator: freed blocks wait, sorted by size, and are handed out again, so that a
// training step asks the system for nothing. One lock; callable from any thread; safe after
// fork. Storage is its only caller.
#pragma once

#include <cstddef>
#include <cstdint>

namespace norch {
inline constexpr size_t kAlignment = 64;  // one cache line, one AVX-512 register

struct MemoryStats {
  int64_t allocated_bytes;       // in live blocks
  int64_t peak_allocated_bytes;  // the most ever
  int64_t cached_bytes;          // waiting to be used again
  int64_t cache_limit_bytes;     // beyond it a freed block goes back to the system
  int64_t system_allocations;    // times the system was asked
  int64_t cache_hits;            // times it was not
};

struct Block {
  void* memory;
  size_t bytes;
};

// A block of `header + bytes`, rounded up to kAlignment and aligned to it; a cached one may have an
// eighth more. MemoryError, naming `bytes`, when there is none.
Block allocate(size_t header, size_t bytes);
void release(Block block) noexcept;

void empty_cache() noexcept;
MemoryStats memory_stats() noexcept;
void set_cache_limit(int64_t bytes);
}  // namespace norch
