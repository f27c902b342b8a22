// Memory that nobody has written, read all the same.
//
// Global and local memory is known by the word it is filled with, shared memory by its history.
// Called by checker.cpp for every read; malloc() and the text's declarations fill what is new.
#include <string.h>

#include <algorithm>

#include "checks.h"
#include "hints.h"

namespace norch_sim {
namespace {
constexpr size_t kMostFreed = size_t(1) << 28;  // bytes kept of what a launch has freed

// Whether the bytes are what new memory is filled with. Of smaller pieces than a word, those around
// them must be too: a byte may be any, and a half word is half of many a number.
bool is_unwritten(uintptr_t address, size_t size, uint32_t pattern, uintptr_t begin,
                  uintptr_t end) {
  uintptr_t around = size == 1 ? 8 : 4;
  uintptr_t first = address & ~(around - 1), last = (address + size + around - 1) & ~(around - 1);
  if (first < begin || last > end) return false;
  for (uintptr_t word = first; word < last; word += 4) {
    if (*reinterpret_cast<const uint32_t*>(word) != pattern) return false;
  }
  return true;
}

// What a byte of a local variable without a value holds.
unsigned char unwritten_byte(uintptr_t address) {
  return static_cast<unsigned char>(kUnwrittenLocal >> address % 4 * 8);
}

// Whether a local variable still has no value.
bool is_unwritten_local(const Thread& thread, uintptr_t address, size_t size) {
  const Stack& stack = thread.fiber->stack;
  if (size < 4) {
    return state->small_ones.count(address) != 0 &&
           *reinterpret_cast<unsigned char*>(address) == unwritten_byte(address);
  }
  return is_unwritten(address, size, kUnwrittenLocal, reinterpret_cast<uintptr_t>(stack.begin()),
                      reinterpret_cast<uintptr_t>(stack.end()));
}
// Whether the last the thread waited in was a __syncwarp() whose mask lacks lanes that still run.
bool waits_for_some(const Thread& thread) {
  const Warp& warp = thread.block->warps[thread.index / kWarpSize];
  const Lane& lane = warp.lanes[thread.index % kWarpSize];
  int others =
      std::min(kWarpSize, thread.block->num_threads - thread.index / kWarpSize * kWarpSize);
  unsigned running = (others == kWarpSize ? ~0u : (1u << others) - 1) & ~warp.returned;
  return lane.kind == Exchange::kSync && lane.mask != 0 && (running & ~lane.mask) != 0;
}
}  // namespace

void check_written(const Event& event, void* code) {
  if (event.region.space != Space::kShared) {
    const Region& array = event.region;
    if (array.space == Space::kGlobal &&
        is_unwritten(event.address, event.size, kUnwrittenGlobal, array.begin, array.end)) {
      stop(describe_thread(event.thread) + " reads " + std::to_string(event.size) + " bytes of " +
               (array.argument == 0 ? "malloc()" : "argument " + std::to_string(array.argument)) +
               " at {0} that nobody has written" + hint::kFill,
           code);
    }
    return;
  }
  bool written = event.size > 8, any = false;  // of a struct some bytes may never be
  event.region.visit(event.address, event.size, [&](Cell& cell) {
    bool one = cell.writer() == event.now.block();
    any = any || one;
    written = event.size > 8 ? any : one;
    return event.size > 8 ? !any : one;
  });
  if (written) return;
  bool alone = waits_for_some(event.thread);
  stop(describe_thread(event.thread) +
           " reads shared memory at {0} that nobody has written in this block" +
           (alone ? hint::kPartOfWarp : hint::kWriteFirst),
       code);
}

void check_local(const Thread& thread, uintptr_t address, size_t size, bool write, void* code) {
  if (write) {
    if (size < 4 && !state->small_ones.empty()) state->small_ones.erase(address);
    return;
  }
  if (!is_unwritten_local(thread, address, size)) return;
  stop(describe_thread(thread) + " reads a local variable at {0} that it has not written" +
           hint::kInitialize,
       code);
}

bool has_no_value(const volatile void* variable, size_t size) {
  uintptr_t address = reinterpret_cast<uintptr_t>(variable);
  return state != nullptr && self->fiber->stack.contains(address) &&
         is_unwritten_local(*self, address, size);
}

void* malloc_watched(size_t size) {
  char* memory = static_cast<char*>(malloc(size));
  if (state == nullptr || memory == nullptr) return memory;
  for (size_t i = 0; i + 4 <= size; i += 4) memcpy(memory + i, &kUnwrittenGlobal, 4);
  uintptr_t begin = reinterpret_cast<uintptr_t>(memory);
  state->heap[begin] = make_region(begin, begin + size, Space::kGlobal);
  return memory;
}

// What is freed stays reserved for a while: whoever uses it then is found.
void free_watched(void* memory) {
  if (state == nullptr) return free(memory);
  auto found = state->heap.find(reinterpret_cast<uintptr_t>(memory));
  if (found == state->heap.end()) return free(memory);
  Region& region = found->second;
  if (region.space == Space::kFreed) {
    stop(describe_thread(*self) + " frees at {0} memory that is free already",
         __builtin_return_address(0));
  }
  region.space = Space::kFreed;
  state->freed += region.end - region.begin;
  if (state->freed < kMostFreed) return;
  state->heap.erase(found);
  free(memory);
}

void forget_local(void* variable, size_t size) {
  if (state == nullptr) return;
  uintptr_t begin = reinterpret_cast<uintptr_t>(variable);
  for (uintptr_t byte = begin; byte < begin + size; byte++) {
    *reinterpret_cast<unsigned char*>(byte) = unwritten_byte(byte);
  }
  if (size < 4) state->small_ones.insert(begin);
}
}  // namespace norch_sim
