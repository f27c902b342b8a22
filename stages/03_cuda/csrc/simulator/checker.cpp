// Every access of a checked kernel comes through here, as the compiler announces it: is it inside
// an array, has somebody written what it reads, what orders it?
//
// The answers are in outside.cpp, unwritten.cpp and races.cpp; the common case, in which there is
// nothing to say, is decided here by a few compares.
#include "checker.h"

#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <utility>

#include "checks.h"
#include "interrupt.h"

namespace norch_sim {

NORCH_FAST_TLS __thread State* state = nullptr;

void set_error(Block& block, const std::string& message, void* code, void* other) {
  if (block.failed) return;
  record_error(block, message, "", 0);
  block.sites[0] = code;
  block.sites[1] = other;
}

void stop(const std::string& message, void* code, void* other) {
  const Interrupt& late = self->fiber->at_return;  // its return address is no longer the kernel's
  set_error(*self->block, message, late.signal != 0 ? late.place : code, other);
  abandon(*self->block);
}

namespace {

uint32_t block_number(const Block& block) {
  const dim3& grid = block.grid_dim;
  const uint3& i = block.index;
  return static_cast<uint32_t>(i.x + uint64_t(grid.x) * (i.y + uint64_t(grid.y) * i.z)) + 1;
}

Access access_now(const Thread& thread, Kind kind, void* code) {
  const BlockChecks& block = *thread.block->checks;
  return {block.number,  static_cast<uint32_t>(thread.block->epoch), block.clocks.now(thread.index),
          site_of(code), static_cast<uint16_t>(thread.index),        kind};
}

Region* find(const Thread& thread, uintptr_t address, size_t size, void* code) {
  Region*& found = thread.block->checks->found_at(code);  // never one of the heap: free() ends it
  if (found != nullptr && found->contains(address, size)) return found;
  for (Region& region : thread.block->checks->shared) {
    if (region.contains(address, size)) return found = &region;
  }
  for (Region& region : state->global) {
    if (region.contains(address, size)) return found = &region;
  }
  auto behind = state->heap.upper_bound(address);
  if (behind != state->heap.begin() && std::prev(behind)->second.contains(address, size)) {
    Region& memory = std::prev(behind)->second;
    return memory.space == Space::kFreed ? nullptr : &memory;
  }
  if (!state->library.contains(address, size)) return nullptr;
  for (Region& region : state->variables) {
    if (region.contains(address, size)) return found = &region;
  }
  for (const Range& gap : state->gaps) {
    if (address < gap.end && address + size > gap.begin) return nullptr;
  }
  return &state->library;
}

void count(Space space, bool write, Kind kind) {
  Counters& counters = state->launch->counters;
  if (kind == Kind::kAtomic) counters.atomics++;
  if (space == Space::kShared) {
    (write ? counters.shared_writes : counters.shared_reads)++;
  } else if (space == Space::kGlobal) {
    (write ? counters.global_writes : counters.global_reads)++;
  }
}

void check(void* pointer, size_t size, bool write, Kind kind, void* code) {
  if (state == nullptr || self == nullptr || size == 0) return;
  uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  const Thread& thread = *self;
  if (state->doubtful.size != 0 && !confirm(*thread.block)) abandon(*thread.block);
  if (thread.block->expired) stop(late(thread, "{0}"), code);
  if (thread.fiber->stack.contains(address)) return check_local(thread, address, size, write, code);
  if (pointer == &self) return;
  Region* region = find(thread, address, size, code);
  if (region == nullptr) report_outside(thread, address, size, write, code);
  count(region->space, write, kind);
  Event event{thread, thread.block->checks->clocks,  *region, address, size,
              write,  access_now(thread, kind, code)};
  if (!write || kind == Kind::kAtomic) check_written(event, code);
  check_order(event);
}

// ---- the common case: whole words, and nothing to say ----
//
// The next three functions decide by a few compares. They return true only if check() would find
// nothing, and then remember what it would; else they have done nothing, and check() decides.

// Whether being the same thread, or a barrier, orders the two. (order.h may know that more does.)
bool is_plainly_ordered(const Access& before, const Access& now) {
  return before.block == now.block && (before.epoch != now.epoch || before.thread == now.thread);
}

template <size_t kCells>
bool read_in_order(const Region& region, uintptr_t address, Cell* cells, const Access& now) {
  bool shared = region.space == Space::kShared;  // where what is read has to be this block's
  if (region.space == Space::kGlobal &&
      *reinterpret_cast<const uint32_t*>(address) == kUnwrittenGlobal) {
    return false;
  }
  for (size_t i = 0; i < kCells; i++) {
    const Access& write = cells[i].write;
    if (!(is_plainly_ordered(write, now) || (write.block == 0 && !shared))) return false;
  }
  for (size_t i = 0; i < kCells; i++) cells[i].remember_read(now);
  return true;
}

template <size_t kCells>
bool write_in_order(Cell* cells, const Access& now, Clocks& clocks) {
  for (size_t i = 0; i < kCells; i++) {
    for (const Access* before : {&cells[i].write, &cells[i].read, &cells[i].other_read}) {
      if (before->block != 0 && !is_plainly_ordered(*before, now)) return false;
    }
  }
  for (size_t i = 0; i < kCells; i++) cells[i].remember_write(now);
  clocks.wrote(now.thread);
  return true;
}

template <size_t kSize, bool kWrite>
void check_words(void* pointer, void* code) {
  if (state == nullptr || self == nullptr) return;
  const Thread& thread = *self;
  BlockChecks& checks = *thread.block->checks;
  uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  Region* region = checks.found_at(code);
  bool known = region != nullptr && region->contains(address, kSize);
  Cell* cells = known ? region->words(address) : nullptr;
  if (cells != nullptr && state->doubtful.size == 0 && !thread.block->expired) {
    Access now = access_now(thread, Kind::kPlain, code);
    if (kWrite ? write_in_order<kSize / 4>(cells, now, checks.clocks)
               : read_in_order<kSize / 4>(*region, address, cells, now)) {
      return count(region->space, kWrite, Kind::kPlain);
    }
  }
  check(pointer, kSize, kWrite, Kind::kPlain, code);
}

// A struct is read as one, but written word by word: its members may be read alone later.
void check_copy(void* to, const void* from, size_t size, void* code) {
  if (from != nullptr) check(const_cast<void*>(from), size, false, Kind::kPlain, code);
  for (size_t i = 0; i < size; i += 4) {
    size_t part = std::min<size_t>(4, size - i);
    check(static_cast<char*>(to) + i, part, true, Kind::kPlain, code);
  }
}

// Others take their turns before: what is known of an access is known of the value it then meets.
void check_volatile(void* pointer, size_t size, bool write, void* code) {
  if (self != nullptr && !write) wait_a_turn(pointer);
  check(pointer, size, write, Kind::kVolatile, code);
}

}  // namespace

void check_atomic(void* pointer, size_t size, Atomic operation, void* code) {
  if (self->block->recorder) record(Recorded::kAtomic, pointer, size, code);
  wait_a_turn(pointer);
  uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  if (state != nullptr && address % size != 0) {
    stop(describe_thread(*self) + " changes " + std::to_string(size) +
             " bytes atomically at {0}, at an address that is no multiple of " +
             std::to_string(size),
         code);
  }
  Region* region = nullptr;
  if (state != nullptr && operation == Atomic::kCompare) region = find(*self, address, size, code);
  if (region != nullptr) {
    forget_guesses({*self, self->block->checks->clocks, *region, address, size, true,
                    access_now(*self, Kind::kAtomic, code)});
  }
  check(pointer, size, operation != Atomic::kLoad, Kind::kAtomic, code);
}

// ---- a launch, its blocks ----

Region make_region(uintptr_t begin, uintptr_t end, Space space) {
  Region region;
  region.begin = begin;
  region.end = end;
  region.space = space;
  return region;
}

namespace {

std::unique_ptr<BlockChecks> make_block_checks(const Block& block) {
  auto checks = std::make_unique<BlockChecks>();
  const CheckedLaunch& launch = *state->launch;
  const Range& statics = launch.shared_static;
  for (const Variable& array : launch.shared) {
    if (array.role == Role::kGap) continue;
    uintptr_t begin = statics.begin + array.offset;
    bool watched = array.role == Role::kArray;
    Space space = watched ? Space::kShared : Space::kLibrary;
    checks->shared.push_back(make_region(begin, begin + array.size, space));
    if (watched) checks->shared.back().name = array.name;
  }
  if (launch.shared.empty() && statics.end > statics.begin) {
    checks->shared.push_back(make_region(statics.begin, statics.end, Space::kShared));
  }
  // The array whose size the launch decides comes last, and moves from block to block.
  if (!block.dynamic_shared.empty()) {
    checks->shared.push_back(make_region(0, 0, Space::kShared));
    checks->shared.back().name = kDynamicShared;
  }
  return checks;
}

}  // namespace

State::~State() {
  for (const auto& [begin, region] : heap) {
    if (region.space == Space::kFreed) free(reinterpret_cast<void*>(begin));
  }
}

void watch(CheckedLaunch* launch) {
  delete state;
  state = nullptr;
  if (launch == nullptr) return;
  state = new State;
  state->launch = launch;
  for (const Range& range : launch->global) {
    state->global.push_back(make_region(range.begin, range.end, Space::kGlobal));
    state->global.back().argument = range.argument + 1;
  }
  state->library = make_region(launch->library.begin, launch->library.end, Space::kLibrary);
  for (const Variable& variable : launch->variables) {
    uintptr_t begin = launch->library.begin + variable.offset, end = begin + variable.size;
    if (variable.role == Role::kGap) state->gaps.push_back({begin, end, -1});
    if (variable.role != Role::kArray) continue;
    state->variables.push_back(make_region(begin, end, Space::kLibrary));
    state->variables.back().name = variable.name;
  }
}

bool is_checked() { return state != nullptr; }

void begin_checks(Block& block) {
  if (state == nullptr) return;
  auto& idle = state->idle;
  if (idle.empty()) idle.push_back(make_block_checks(block));
  BlockChecks& checks = *(block.checks = idle.back().release());
  idle.pop_back();
  checks.number = block_number(block);
  checks.clocks.begin(checks.number, block.num_threads);
  if (block.dynamic_shared.empty()) return;
  Region& dynamic = checks.shared.back();
  dynamic.begin = reinterpret_cast<uintptr_t>(block.dynamic_shared.data());
  dynamic.end = dynamic.begin + block.dynamic_shared.size();
}

void end_checks(Block& block) {
  if (state == nullptr || block.checks == nullptr) return;
  if (state->doubtful.size != 0) confirm(block);
  state->idle.emplace_back(std::exchange(block.checks, nullptr));
}

void order_block(Block& block) {
  if (state != nullptr) block.checks->clocks.sync_block();
}

void order_warp(Block& block, int warp, unsigned mask) {
  if (state != nullptr) block.checks->clocks.sync_warp(warp, mask);
}

void fence() {
  if (state != nullptr) self->block->checks->clocks.fence(self->index);
}

}  // namespace norch_sim

// ---- what the compiler calls before each access ----

#define NORCH_ON_ACCESS(name, size, write)                                                        \
  void name(void* address) {                                                                      \
    norch_sim::check(address, size, write, norch_sim::Kind::kPlain, __builtin_return_address(0)); \
  }
#define NORCH_ON_WORDS(name, size, write)                                      \
  void name(void* address) {                                                   \
    norch_sim::check_words<size, write>(address, __builtin_return_address(0)); \
  }
#define NORCH_ON_VOLATILE(size)                                                   \
  void __tsan_volatile_read##size(void* address) {                                \
    norch_sim::check_volatile(address, size, false, __builtin_return_address(0)); \
  }                                                                               \
  void __tsan_volatile_write##size(void* address) {                               \
    norch_sim::check_volatile(address, size, true, __builtin_return_address(0));  \
  }

extern "C" {
NORCH_ON_ACCESS(__tsan_read1, 1, false)
NORCH_ON_ACCESS(__tsan_read2, 2, false)
NORCH_ON_WORDS(__tsan_read4, 4, false)
NORCH_ON_WORDS(__tsan_read8, 8, false)
NORCH_ON_WORDS(__tsan_read16, 16, false)
NORCH_ON_ACCESS(__tsan_write1, 1, true)
NORCH_ON_ACCESS(__tsan_write2, 2, true)
NORCH_ON_WORDS(__tsan_write4, 4, true)
NORCH_ON_WORDS(__tsan_write8, 8, true)
NORCH_ON_WORDS(__tsan_write16, 16, true)
NORCH_ON_ACCESS(__tsan_unaligned_read2, 2, false)
NORCH_ON_ACCESS(__tsan_unaligned_read4, 4, false)
NORCH_ON_ACCESS(__tsan_unaligned_read8, 8, false)
NORCH_ON_ACCESS(__tsan_unaligned_write2, 2, true)
NORCH_ON_ACCESS(__tsan_unaligned_write4, 4, true)
NORCH_ON_ACCESS(__tsan_unaligned_write8, 8, true)
NORCH_ON_ACCESS(__tsan_vptr_update, 8, true)
NORCH_ON_ACCESS(__tsan_vptr_read, 8, false)
NORCH_ON_ACCESS(__tsan_unaligned_read16, 16, false)
NORCH_ON_ACCESS(__tsan_unaligned_write16, 16, true)
NORCH_ON_VOLATILE(1)
NORCH_ON_VOLATILE(2)
NORCH_ON_VOLATILE(4)
NORCH_ON_VOLATILE(8)
NORCH_ON_VOLATILE(16)
void __tsan_read_range(void* address, size_t size) {
  norch_sim::check(address, size, false, norch_sim::Kind::kPlain, __builtin_return_address(0));
}
void __tsan_write_range(void* address, size_t size) {
  norch_sim::check(address, size, true, norch_sim::Kind::kPlain, __builtin_return_address(0));
}
// clang from 15 on copies and fills structs by these.
void* __tsan_memcpy(void* to, const void* from, size_t size) {
  norch_sim::check_copy(to, from, size, __builtin_return_address(0));
  return memcpy(to, from, size);
}
void* __tsan_memmove(void* to, const void* from, size_t size) {
  norch_sim::check_copy(to, from, size, __builtin_return_address(0));
  return memmove(to, from, size);
}
void* __tsan_memset(void* to, int value, size_t size) {
  norch_sim::check_copy(to, nullptr, size, __builtin_return_address(0));
  return memset(to, value, size);
}
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
}
