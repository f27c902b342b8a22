// Finds the accesses a kernel should not make: out of bounds, unsynchronised, or of memory never
// written.
//
// Each location remembers who wrote it last and who read it. Two accesses by different threads, at
// least one of them a write and not both atomic, need a barrier between them; otherwise the outcome
// depends on luck.
#include "checker.h"

#include "interrupt.h"

#include <string.h>

#include <algorithm>
#include <unordered_map>

namespace norch_sim {
namespace {

// One access, and when it happened in the order that barriers impose.
struct Access {
  int64_t block = -1;  // -1: none yet
  int thread = 0;
  uint64_t epoch = 0;       // barriers the block had passed
  uint32_t warp_epoch = 0;  // exchanges the warp had completed
  bool atomic = false;
  void* code = nullptr;
};

struct History {
  Access write, first_read, last_read;
};

struct State {
  CheckedLaunch* launch = nullptr;
  std::unordered_map<uintptr_t, History> shared, global;
};

thread_local State* state = nullptr;

bool contains(const Range& range, uintptr_t address) {
  return address >= range.begin && address < range.end;
}

int64_t linear_block(const Thread& thread) {
  const dim3& grid = thread.grid_dim;
  const uint3& index = thread.block_index;
  return index.x + int64_t(grid.x) * (index.y + int64_t(grid.y) * index.z);
}

Access access_now(const Thread& thread, bool atomic, void* code) {
  const Warp& warp = thread.block->warps[thread.index / kWarpSize];
  return {linear_block(thread), thread.index, thread.block->epoch, warp.epoch, atomic, code};
}

// True if nothing orders `before` and `now`: the two threads could have come in either order.
bool is_race(const Access& before, const Access& now) {
  if (before.block < 0 || (before.atomic && now.atomic)) return false;
  if (before.block != now.block) return true;
  if (before.thread == now.thread || before.epoch != now.epoch) return false;
  bool same_warp = before.thread / kWarpSize == now.thread / kWarpSize;
  return !(same_warp && before.warp_epoch != now.warp_epoch);
}

[[noreturn]] void stop(Block& block, const std::string& message, void* code, void* other) {
  bool first = !block.failed;
  const Interrupt& late = self->fiber->at_return;  // its return address is no longer the kernel's
  record_error(block, message, "", 0);
  if (first) {
    block.sites[0] = late.signal != 0 ? late.place : code;
    block.sites[1] = other;
  }
  abandon(block);
}

std::string thread_name(int index, dim3 size) {
  unsigned i = static_cast<unsigned>(index);
  return "thread (" + std::to_string(i % size.x) + ", " + std::to_string(i / size.x % size.y) +
         ", " + std::to_string(i / (size.x * size.y)) + ")";
}

void report_race(const Thread& thread, const char* memory, const Access& before,
                 const char* verb_before, const char* verb_now, void* code) {
  bool same_block = before.block == linear_block(thread);
  std::string other = thread_name(before.thread, thread.block_dim) +
                      (same_block ? "" : " of block " + std::to_string(before.block));
  stop(*thread.block,
       "race in " + std::string(memory) + " memory: " + describe_thread(thread) + " " + verb_now +
           " at {0} what " + other + " " + verb_before + " at {1}; " +
           (same_block ? "no __syncthreads() lies between them"
                       : "nothing orders the blocks of a launch"),
       code, before.code);
}

// Compares this access with those before it, then remembers it.
void check_order(History& history, const Thread& thread, bool write, bool atomic, void* code,
                 const char* memory) {
  Access now = access_now(thread, atomic, code);
  const char* verb = write ? "writes" : "reads";
  if (is_race(history.write, now)) report_race(thread, memory, history.write, "wrote", verb, code);
  if (write) {
    for (const Access& read : {history.first_read, history.last_read}) {
      if (is_race(read, now)) report_race(thread, memory, read, "read", verb, code);
    }
    history.write = now;
    history.first_read = history.last_read = Access{};
    return;
  }
  bool fresh = history.first_read.block != now.block || history.first_read.epoch != now.epoch;
  if (fresh) history.first_read = now;
  history.last_read = now;
}

[[noreturn]] void report_outside(const Thread& thread, uintptr_t address, size_t size, bool write,
                                 void* code) {
  const Range* nearest = nullptr;
  uintptr_t distance = ~uintptr_t(0);
  for (const Range& range : state->launch->global) {
    uintptr_t d = address < range.begin ? range.begin - address : address - range.end;
    if (d < distance) distance = d, nearest = &range;
  }
  std::string message = describe_thread(thread) + (write ? " writes " : " reads ") +
                        std::to_string(size) + " bytes outside every array it was given, at {0}";
  if (nearest != nullptr && distance < 4096) {
    bool before = address < nearest->begin;
    message += ": " + std::to_string(distance) + " bytes " +
               (before ? "before the start" : "past the end") + " of argument " +
               std::to_string(nearest->argument + 1) + ", which holds " +
               std::to_string(nearest->end - nearest->begin) + " bytes";
  }
  stop(*thread.block, message, code, nullptr);
}

void check_shared(const Thread& thread, uintptr_t address, bool write, bool atomic, void* code) {
  Counters& counters = state->launch->counters;
  (write ? counters.shared_writes : counters.shared_reads)++;
  History& history = state->shared[address];
  if (!write && history.write.block < 0) {
    stop(*thread.block,
         describe_thread(thread) +
             " reads shared memory at {0} that nobody has written in this block",
         code, nullptr);
  }
  check_order(history, thread, write, atomic, code, "shared");
}

void check_global(const Thread& thread, uintptr_t address, bool write, bool atomic, void* code) {
  Counters& counters = state->launch->counters;
  (write ? counters.global_writes : counters.global_reads)++;
  check_order(state->global[address], thread, write, atomic, code, "global");
}

// Every access of a checked kernel comes through here.
void check(void* pointer, size_t size, bool write, bool atomic, void* code) {
  if (state == nullptr || self == nullptr) return;
  uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  const Thread& thread = *self;
  if (thread.block->expired) stop(*thread.block, late(thread, "{0}"), code, nullptr);
  if (thread.fiber->stack.contains(address)) return;
  if (pointer == &self) return;
  const auto& dynamic = thread.block->dynamic_shared;
  uintptr_t dynamic_begin = reinterpret_cast<uintptr_t>(dynamic.data());
  bool in_dynamic = address >= dynamic_begin && address + size <= dynamic_begin + dynamic.size();
  if (in_dynamic || contains(state->launch->shared_static, address)) {
    check_shared(thread, address, write, atomic, code);
    return;
  }
  for (const Range& range : state->launch->global) {
    if (address >= range.begin && address + size <= range.end) {
      check_global(thread, address, write, atomic, code);
      return;
    }
  }
  if (contains(state->launch->library, address)) {  // constants and variables of the kernel's text
    check_global(thread, address, write, atomic, code);
    return;
  }
  report_outside(thread, address, size, write, code);
}

// A struct is read as one, but written word by word: its members may be read alone later.
void check_copy(void* to, const void* from, size_t size, void* code) {
  if (from != nullptr) check(const_cast<void*>(from), size, false, false, code);
  for (size_t i = 0; i < size; i += 4) {
    check(static_cast<char*>(to) + i, std::min<size_t>(4, size - i), true, false, code);
  }
}

// The machine's own atomic operations on whole numbers of `Bits`.
template <class Bits>
uint64_t update(void* address, uint64_t (*next)(uint64_t, uint64_t), uint64_t operand) {
  Bits* bits = static_cast<Bits*>(address);
  Bits old = __atomic_load_n(bits, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(bits, &old, static_cast<Bits>(next(old, operand)), true,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return old;
}

template <class Bits>
uint64_t compare_exchange(void* address, uint64_t expected, uint64_t desired) {
  Bits old = static_cast<Bits>(expected);
  __atomic_compare_exchange_n(static_cast<Bits*>(address), &old, static_cast<Bits>(desired), false,
                              __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return old;
}

void check_atomic(void* address, size_t size, void* code) {
  if (self->block->recorder) record(Recorded::kAtomic, address, size, code);
  if (state == nullptr) return;
  state->launch->counters.atomics++;
  check(address, size, true, true, code);
}

}  // namespace

void watch(CheckedLaunch* launch) {
  delete state;
  state = nullptr;
  if (launch == nullptr) return;
  state = new State;
  state->launch = launch;
}

void forget_shared() {
  if (state != nullptr) state->shared.clear();
}

// ---- atomic operations ----

uint64_t atomic_update(void* address, size_t size, uint64_t (*next)(uint64_t, uint64_t),
                       uint64_t operand) {
  check_atomic(address, size, __builtin_return_address(0));
  if (size == 1) return update<uint8_t>(address, next, operand);
  if (size == 2) return update<uint16_t>(address, next, operand);
  if (size == 4) return update<uint32_t>(address, next, operand);
  return update<uint64_t>(address, next, operand);
}

uint64_t atomic_compare_exchange(void* address, size_t size, uint64_t expected, uint64_t desired) {
  check_atomic(address, size, __builtin_return_address(0));
  if (size == 1) return compare_exchange<uint8_t>(address, expected, desired);
  if (size == 2) return compare_exchange<uint16_t>(address, expected, desired);
  if (size == 4) return compare_exchange<uint32_t>(address, expected, desired);
  return compare_exchange<uint64_t>(address, expected, desired);
}

}  // namespace norch_sim

// ---- what the compiler calls before each access ----

#define NORCH_ON_ACCESS(name, size, write)                                      \
  void name(void* address) {                                                    \
    norch_sim::check(address, size, write, false, __builtin_return_address(0)); \
  }

extern "C" {
NORCH_ON_ACCESS(__tsan_read1, 1, false)
NORCH_ON_ACCESS(__tsan_read2, 2, false)
NORCH_ON_ACCESS(__tsan_read4, 4, false)
NORCH_ON_ACCESS(__tsan_read8, 8, false)
NORCH_ON_ACCESS(__tsan_read16, 16, false)
NORCH_ON_ACCESS(__tsan_write1, 1, true)
NORCH_ON_ACCESS(__tsan_write2, 2, true)
NORCH_ON_ACCESS(__tsan_write4, 4, true)
NORCH_ON_ACCESS(__tsan_write8, 8, true)
NORCH_ON_ACCESS(__tsan_write16, 16, true)
NORCH_ON_ACCESS(__tsan_unaligned_read2, 2, false)
NORCH_ON_ACCESS(__tsan_unaligned_read4, 4, false)
NORCH_ON_ACCESS(__tsan_unaligned_read8, 8, false)
NORCH_ON_ACCESS(__tsan_unaligned_write2, 2, true)
NORCH_ON_ACCESS(__tsan_unaligned_write4, 4, true)
NORCH_ON_ACCESS(__tsan_unaligned_write8, 8, true)
NORCH_ON_ACCESS(__tsan_vptr_update, 8, true)
NORCH_ON_ACCESS(__tsan_vptr_read, 8, false)
NORCH_ON_ACCESS(__tsan_volatile_read1, 1, false)
NORCH_ON_ACCESS(__tsan_volatile_read4, 4, false)
NORCH_ON_ACCESS(__tsan_volatile_read8, 8, false)
NORCH_ON_ACCESS(__tsan_volatile_write4, 4, true)
NORCH_ON_ACCESS(__tsan_volatile_write8, 8, true)
void __tsan_read_range(void* address, size_t size) {
  norch_sim::check(address, size, false, false, __builtin_return_address(0));
}
void __tsan_write_range(void* address, size_t size) {
  norch_sim::check(address, size, true, false, __builtin_return_address(0));
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
