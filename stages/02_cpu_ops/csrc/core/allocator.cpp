// Blocks are handed out in whole cache lines. A cached one is used again for the same size, a large
// one also for up to an eighth less. Who finds none gives a smaller one back: so the cache does not
// fill with what an array that grows has left behind.
#include "core/allocator.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "core/error.h"
#include "core/poison.h"

namespace norch {
namespace {
constexpr size_t kSmallLimit = 1 << 16;        // up to it a size has a list of its own
constexpr size_t kHugePage = size_t(1) << 21;  // a block as large begins where a huge page may

// Asks the system for aligned memory; null when it has none.
void* system_allocate(size_t bytes) {
  void* memory = nullptr;
  const size_t alignment = bytes < kHugePage ? kAlignment : kHugePage;
  return posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
}

// Large blocks whose small pages are still to be put together into huge ones: a sweep then looks up
// one address where it looked up 512. Not at the first touch, where a host that takes freed huge
// pages back may ask thirty times the time of small ones, but once a program uses large blocks
// again, so is in a loop. Older kernels and other systems leave the pages as they are. Guarded by
// the cache's lock, as a block must not go back to the system meanwhile.
class SmallPages {
 public:
  // Enters a block as the system gave it; without memory for the entry its pages stay small.
  void note(Block block) noexcept {
    if (block.bytes < kHugePage) return;
    try {
      blocks_.push_back({block.memory, block.bytes / kHugePage * kHugePage});
    } catch (...) {
    }
  }
  // Leaves out a block that goes back to the system: something else may come to lie there.
  void forget(Block block) noexcept {
    const auto lies_within = [&](const Block& rest) {
      const auto start = reinterpret_cast<uintptr_t>(block.memory);
      return reinterpret_cast<uintptr_t>(rest.memory) - start < block.bytes;
    };
    if (block.memory == nullptr || block.bytes < kHugePage) return;
    blocks_.erase(std::remove_if(blocks_.begin(), blocks_.end(), lies_within), blocks_.end());
  }
  void forget_all() noexcept { blocks_.clear(); }
  // Puts pages together now that so many bytes are used again: an eighth as many, of the oldest
  // block first, and no more than a call hardly notices. A slow system is asked once a call. Below
  // kLeast none: a processor finds so many small pages at once, and one put together takes longer
  // than the call.
  void put_together(size_t reused) noexcept {
    constexpr size_t kMost = 4, kLeast = 4 * kHugePage;
    constexpr auto kSlow = std::chrono::milliseconds(1);
    if (reused < kLeast) return;
    reused_ += reused;
    const size_t due = std::min(kMost, reused_ / (8 * kHugePage));
    reused_ %= 8 * kHugePage;
    for (size_t i = 0; i < due && !blocks_.empty(); ++i) {
      const auto start = std::chrono::steady_clock::now();
      put_one_together();
      if (std::chrono::steady_clock::now() - start > kSlow) return;
    }
  }

 private:
  // Tries one huge page. A page that is in use now is passed over. Any other refusal ends the work
  // on a block: nobody has touched it, or there are no huge pages, and asking may be dear.
  void put_one_together() noexcept {
#ifdef __linux__
    constexpr int kCollapse = 25;  // MADV_COLLAPSE, which older headers lack
    Block& oldest = blocks_.front();
    const bool goes_on = madvise(oldest.memory, kHugePage, kCollapse) == 0 || errno == EAGAIN;
    const size_t done = goes_on ? kHugePage : oldest.bytes;
    oldest = {static_cast<char*>(oldest.memory) + done, oldest.bytes - done};
    if (oldest.bytes > 0) return;
#endif
    blocks_.pop_front();
  }

  std::deque<Block> blocks_;  // what is left of each
  size_t reused_ = 0;         // bytes of large blocks, for which none were put together yet
};

// Gives a block back to the system.
void system_free(Block block) noexcept {
  allow(block.memory, block.bytes);
  std::free(block.memory);
}

// A quarter of the machine's memory.
int64_t default_cache_limit() {
  const int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? pages * page / 4 : int64_t(1) << 30;
}

struct Cache {
  std::mutex lock;
  std::vector<void*> small[kSmallLimit / kAlignment + 1];  // by size in lines
  std::multimap<size_t, void*> large;                      // by size in bytes
  SmallPages small_pages;
  MemoryStats stats{0, 0, 0, default_cache_limit(), 0, 0};

  void count(int64_t bytes) {
    stats.allocated_bytes += bytes;
    stats.peak_allocated_bytes = std::max(stats.peak_allocated_bytes, stats.allocated_bytes);
  }
  void put(const Block& block) {
    if (block.bytes <= kSmallLimit) {
      small[block.bytes / kAlignment].push_back(block.memory);
    } else {  // before those of its size: what was freed last is still in the processor's cache
      large.emplace_hint(large.lower_bound(block.bytes), block.bytes, block.memory);
    }
    stats.cached_bytes += static_cast<int64_t>(block.bytes);
  }
  // The smallest cached block of `least` to `most` bytes, a small one of exactly `least`; null if
  // there is none.
  Block take(size_t least, size_t most) {
    Block found{nullptr, least};
    if (least <= kSmallLimit) {
      std::vector<void*>& blocks = small[least / kAlignment];
      if (blocks.empty()) return found;
      found.memory = blocks.back();
      blocks.pop_back();
    } else {
      const auto place = large.lower_bound(least);
      if (place == large.end() || place->first > most) return found;
      found = {place->second, place->first};
      large.erase(place);
    }
    stats.cached_bytes -= static_cast<int64_t>(found.bytes);
    return found;
  }
  void drop_all() {
    for (size_t lines = 0; lines <= kSmallLimit / kAlignment; ++lines) {
      for (void* memory : small[lines]) system_free({memory, lines * kAlignment});
      small[lines].clear();
    }
    for (const auto& [bytes, memory] : large) {
      small_pages.forget({memory, bytes});
      system_free({memory, bytes});
    }
    large.clear();
    stats.cached_bytes = 0;
  }
};

// Never destroyed: arrays may outlive static destructors. The lock is held across fork, so that a
// child never inherits it in the hands of a thread it does not have. What both then share keeps
// its pages: to put them together would copy them.
Cache& cache() {
  static Cache* const instance = [] {
    static Cache* c = new Cache;
    const auto prepare = [] {
      c->lock.lock();
      c->small_pages.forget_all();
    };
    pthread_atfork(prepare, [] { c->lock.unlock(); }, [] { c->lock.unlock(); });
    return c;
  }();
  return *instance;
}

// A block of at least so many bytes, from the cache or the system; null when neither has one.
Block find_block(Cache& c, size_t bytes) {
  Block found{nullptr, 0}, smaller{nullptr, 0};
  {
    std::lock_guard<std::mutex> guard(c.lock);
    found = c.take(bytes, bytes + bytes / 8);
    if (found.memory != nullptr) {
      ++c.stats.cache_hits;
      c.count(static_cast<int64_t>(found.bytes));
      if (bytes >= kHugePage) c.small_pages.put_together(bytes);
      return found;
    }
    if (bytes > 2 * kSmallLimit) smaller = c.take(bytes / 2, bytes);
    c.small_pages.forget(smaller);
  }
  if (smaller.memory != nullptr) system_free(smaller);
  void* memory = system_allocate(bytes);
  if (memory == nullptr) {  // return the cached blocks to the system, then ask again
    empty_cache();
    memory = system_allocate(bytes);
  }
  if (memory == nullptr) return {nullptr, 0};
  std::lock_guard<std::mutex> guard(c.lock);
  ++c.stats.system_allocations;
  c.count(static_cast<int64_t>(bytes));
  c.small_pages.note({memory, bytes});
  return {memory, bytes};
}
}  // namespace

// A block from the cache, or from the system.
Block allocate(size_t header, size_t bytes) {
  const size_t lines = std::max<size_t>(1, (header + bytes + kAlignment - 1) / kAlignment);
  const Block block = find_block(cache(), lines * kAlignment);
  if (block.memory == nullptr) {
    raise<MemoryError>("[allocate] out of memory: asked for ", bytes, " bytes (", bytes >> 20,
                       " MiB)");
  }
  forbid(block.memory, block.bytes);
  allow(block.memory, header + bytes);
  return block;
}

// Puts a block into the cache, or gives it back to the system.
void release(Block block) noexcept {
  Cache& c = cache();
  const auto bytes = static_cast<int64_t>(block.bytes);
  forbid(block.memory, block.bytes);
  {
    std::lock_guard<std::mutex> guard(c.lock);
    c.stats.allocated_bytes -= bytes;
    if (c.stats.cached_bytes + bytes <= c.stats.cache_limit_bytes) {
      try {
        return c.put(block);
      } catch (...) {  // no memory for the entry itself: let the block go
      }
    }
    c.small_pages.forget(block);
  }
  system_free(block);
}

// Gives all cached blocks back to the system.
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

// Sets how many bytes the cache may hold.
void set_cache_limit(int64_t bytes) {
  if (bytes < 0) raise<ValueError>("[set_cache_limit] expected a size >= 0, got ", bytes);
  Cache& c = cache();
  std::lock_guard<std::mutex> guard(c.lock);
  c.stats.cache_limit_bytes = bytes;
  if (c.stats.cached_bytes > bytes) c.drop_all();
}
}  // namespace norch
