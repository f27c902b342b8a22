// Memory between inaccessible pages: see dynamic_memory.h.
#include "dynamic_memory.h"

#include <string.h>
#include <sys/mman.h>

#include <mutex>
#include <new>
#include <vector>

#include "context.h"
#include "simulator.h"

namespace norch_sim {
namespace {

constexpr size_t kReach = size_t(1) << 24;  // inaccessible bytes before and behind
constexpr size_t kMost = size_t(1) << 18;   // more than any GPU's block can have, and its margins
constexpr size_t kAligned = 128;

char* reserve(size_t size) {
  void* memory = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<char*>(memory);
}

// Where a launch without dynamic shared memory believes to have it; reserved once.
char* nowhere() {
  static char* const memory = reserve(2 * kReach);
  return memory;
}

bool is_inside(uintptr_t address, const char* begin, size_t size) {
  return address - reinterpret_cast<uintptr_t>(begin) < size;
}

}  // namespace

// A reservation; the pages in its middle that are in use can be read and written.
class DynamicMemory::Zone {
 public:
  Zone() : memory_(reserve(kSize)) {}
  ~Zone() { munmap(memory_, kSize); }
  Zone(const Zone&) = delete;
  Zone& operator=(const Zone&) = delete;
  char* open(size_t bytes);  // as far behind as whole pages allow
  bool contains(uintptr_t address) const { return is_inside(address, memory_, kSize); }

  // Those that no block uses: reserving costs more than a small block.
  struct Pool {
    std::mutex mutex;
    std::vector<std::unique_ptr<Zone>> idle;
  };
  static Pool& pool() {
    static Pool* one = new Pool;  // never destroyed: a launch may still run at exit
    return *one;
  }

 private:
  static constexpr size_t kSize = 2 * kReach + kMost;
  char* memory_;
  size_t pages_ = 0;  // bytes that are open
};

char* DynamicMemory::Zone::open(size_t bytes) {
  size_t pages = (bytes + kPage - 1) / kPage * kPage;
  if (pages != pages_) {
    mprotect(memory_ + kReach, kMost, PROT_NONE);
    pages_ = 0;
    if (mprotect(memory_ + kReach, pages, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    pages_ = pages;
  }
  return memory_ + kReach;
}

DynamicMemory::DynamicMemory() = default;

DynamicMemory::~DynamicMemory() {
  if (zone_ == nullptr) return;
  std::lock_guard<std::mutex> lock(Zone::pool().mutex);
  Zone::pool().idle.push_back(std::move(zone_));
}

void DynamicMemory::assign(size_t size, char byte) {
  size_ = size;
  if (size == 0) return;
  {
    std::lock_guard<std::mutex> lock(Zone::pool().mutex);
    auto& idle = Zone::pool().idle;
    if (!idle.empty()) {
      zone_ = std::move(idle.back());
      idle.pop_back();
    }
  }
  if (zone_ == nullptr) zone_ = std::make_unique<Zone>();
  size_t aligned = (size + kAligned - 1) / kAligned * kAligned, bytes = aligned + 2 * kSharedMargin;
  size_t pages = (bytes + kPage - 1) / kPage * kPage;
  char* memory = zone_->open(pages);
  memset(memory, byte, pages);
  data_ = memory + pages - kSharedMargin - aligned;
}

char* DynamicMemory::begin() const { return empty() ? nowhere() + kReach : data_; }

bool DynamicMemory::is_near(uintptr_t address) const {
  return zone_ != nullptr && zone_->contains(address);
}

bool misses_dynamic_shared(uintptr_t address) { return is_inside(address, nowhere(), 2 * kReach); }

}  // namespace norch_sim
