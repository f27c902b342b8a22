// Size classes: multiples of 64 bytes up to 4 KiB, then four per octave (at most 25 % waste).
#include "core/allocator.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "core/error.h"
#include "core/poison.h"

namespace norch {
namespace {
constexpr size_t kSmallLimit = 4096;
constexpr uint32_t kSmallClasses = kSmallLimit / kAlignment + 1;
constexpr uint32_t kNumClasses = kSmallClasses + 4 * 52;

struct SizeClass {
  uint32_t index;
  size_t bytes;
};

// The size class that a block of so many bytes is taken from.
SizeClass class_of(size_t bytes) {
  if (bytes <= kSmallLimit) {
    const size_t lines = std::max<size_t>(1, (bytes + kAlignment - 1) / kAlignment);
    return {static_cast<uint32_t>(lines), lines * kAlignment};
  }
  const int log = 63 - __builtin_clzll(bytes - 1);  // 2^log < bytes <= 2^(log+1)
  const size_t step = size_t(1) << (log - 2);
  const size_t steps = (bytes + step - 1) / step;  // 5..8
  return {static_cast<uint32_t>(kSmallClasses + (log - 12) * 4 + (steps - 5)), steps * step};
}

// The bytes of a block of a size class.
size_t class_bytes(uint32_t index) {
  if (index < kSmallClasses) return index * kAlignment;
  const uint32_t k = index - kSmallClasses;
  return (size_t(1) << (k / 4 + 10)) * (k % 4 + 5);
}

// Asks the system for aligned memory; null when it has none.
void* system_allocate(size_t bytes) {
  void* memory = nullptr;
  return posix_memalign(&memory, kAlignment, bytes) == 0 ? memory : nullptr;
}

// Gives a block back to the system.
void system_free(Block block) noexcept {
  allow(block.memory, class_bytes(block.size_class));
  std::free(block.memory);
}

// A quarter of the machine's memory.
int64_t default_cache_limit() {
  const int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? pages * page / 4 : int64_t(1) << 30;
}

struct Cache {
  std::mutex lock;
  std::vector<void*> free_blocks[kNumClasses];
  MemoryStats stats{0, 0, 0, default_cache_limit(), 0, 0};

  void count(int64_t bytes) {
    stats.allocated_bytes += bytes;
    stats.peak_allocated_bytes = std::max(stats.peak_allocated_bytes, stats.allocated_bytes);
  }
  void drop_all() {
    for (uint32_t index = 0; index < kNumClasses; ++index) {
      for (void* memory : free_blocks[index]) system_free({memory, index});
      free_blocks[index].clear();
    }
    stats.cached_bytes = 0;
  }
};

// Never destroyed: arrays may outlive static destructors. The lock is held across fork, so that a
// child never inherits it in the hands of a thread it does not have.
Cache& cache() {
  static Cache* const instance = [] {
    static Cache* c = new Cache;
    pthread_atfork([] { c->lock.lock(); }, [] { c->lock.unlock(); }, [] { c->lock.unlock(); });
    return c;
  }();
  return *instance;
}

// A block of the class, from the cache or the system; null when neither has one.
void* find_block(Cache& c, const SizeClass& wanted) {
  {
    std::lock_guard<std::mutex> guard(c.lock);
    auto& blocks = c.free_blocks[wanted.index];
    if (!blocks.empty()) {
      void* memory = blocks.back();
      blocks.pop_back();
      c.stats.cached_bytes -= static_cast<int64_t>(wanted.bytes);
      ++c.stats.cache_hits;
      c.count(static_cast<int64_t>(wanted.bytes));
      return memory;
    }
  }
  void* memory = system_allocate(wanted.bytes);
  if (memory == nullptr) {  // return the cached blocks to the system, then ask again
    empty_cache();
    memory = system_allocate(wanted.bytes);
  }
  if (memory == nullptr) return nullptr;
  std::lock_guard<std::mutex> guard(c.lock);
  ++c.stats.system_allocations;
  c.count(static_cast<int64_t>(wanted.bytes));
  return memory;
}
}  // namespace

// A block from the free lists, or from the system.
Block allocate(size_t header, size_t bytes) {
  if (bytes > size_t(1) << 60)
    raise<MemoryError>("[allocate] out of memory: asked for ", bytes, " bytes");
  const SizeClass wanted = class_of(header + bytes);
  void* memory = find_block(cache(), wanted);
  if (memory == nullptr) {
    raise<MemoryError>("[allocate] out of memory: asked for ", bytes, " bytes (", bytes >> 20,
                       " MiB)");
  }
  forbid(memory, wanted.bytes);
  allow(memory, header + bytes);
  return {memory, wanted.index};
}

// Puts a block into its free list, or gives it back to the system.
void release(Block block) noexcept {
  Cache& c = cache();
  const auto bytes = static_cast<int64_t>(class_bytes(block.size_class));
  forbid(block.memory, class_bytes(block.size_class));
  {
    std::lock_guard<std::mutex> guard(c.lock);
    c.stats.allocated_bytes -= bytes;
    if (c.stats.cached_bytes + bytes <= c.stats.cache_limit_bytes) {
      try {
        c.free_blocks[block.size_class].push_back(block.memory);
        c.stats.cached_bytes += bytes;
        return;
      } catch (...) {  // no memory for the list itself: let the block go
      }
    }
  }
  system_free(block);
}

// Gives all blocks of the free lists back to the system.
void empty_cache() noexcept {
  Cache& c = cache();
  std::lock_guard<std::mutex> guard(c.lock);
  c.drop_all();
}

// The allocator's counts as they are now.
MemoryStats memory_stats() noexcept {
  Cache& c = cache();
  std::lock_guard<std::mutex> guard(c.lock);
  return c.stats;
}

// Sets how many bytes the free lists may hold.
void set_cache_limit(int64_t bytes) {
  if (bytes < 0) raise<ValueError>("[set_cache_limit] expected a size >= 0, got ", bytes);
  Cache& c = cache();
  std::lock_guard<std::mutex> guard(c.lock);
  c.stats.cache_limit_bytes = bytes;
  if (c.stats.cached_bytes > bytes) c.drop_all();
}
}  // namespace norch
