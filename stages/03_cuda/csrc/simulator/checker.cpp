// Finds the accesses a kernel should not make: out of bounds, misaligned, unsynchronised, or of
// memory never written.
//
// Two accesses by different threads, at least one of them a write and not both atomic or volatile,
// need an order between them: a barrier, or what order.h knows. Otherwise the outcome depends on
// luck.
#include "checker.h"

#include <string.h>

#include <algorithm>
#include <set>
#include <utility>

#include "interrupt.h"
#include "order.h"
#include "shadow.h"

namespace norch_sim {

// Memory that nobody has written holds one of these words: NaNs as float, as double and as two
// halves of either kind, and as a whole number nothing that a program arrives at.
constexpr uint32_t kUnwrittenGlobal = 0xFFF7FFF3, kUnwrittenLocal = 0xFFF7FFF5;

// What the checker keeps for one block.
struct BlockChecks {
  uint32_t number = 0;  // its linear index plus 1
  std::vector<Region> shared;
  Clocks clocks;
  Region* found[256] = {};  // for the return addresses of accesses: the array each found last

  Region*& found_at(void* code) { return found[reinterpret_cast<uintptr_t>(code) / 4 % 256]; }
};

namespace {

constexpr size_t kMaxKept = 64;

// A write that meets another thread's: harmless if it changes nothing, which shows afterwards.
struct Doubtful {
  size_t size = 0;  // 0: there is none
  uintptr_t address = 0;
  char old[kMaxKept];
  std::string message;
  uint32_t sites[kMaxSites] = {};
};

// A plain read that meets another thread's atomic operation: harmless if it was a guess, which an
// atomic operation at the same place makes good, as in a loop around atomicCAS.
struct Suspicion {
  uintptr_t address = 0;
  Access read;
  std::string message;
  uint32_t sites[kMaxSites] = {};
};

struct State {
  CheckedLaunch* launch = nullptr;
  std::vector<Region> global;
  Region library;
  std::map<uintptr_t, Region> heap;  // of malloc(), by their addresses
  std::vector<std::unique_ptr<BlockChecks>> idle;
  std::map<uintptr_t, Knowledge> left;  // by atomics and volatile writes, at their address
  Doubtful doubtful;
  std::vector<Suspicion> suspicions;
  std::set<uint32_t> guesses;  // the sites of reads that were
  std::set<uintptr_t>
      small_ones;  // bytes of local variables too small for a word of kUnwrittenLocal
};

NORCH_FAST_TLS thread_local State* state = nullptr;

uint32_t block_number(const Block& block) {
  const dim3& grid = block.grid_dim;
  const uint3& i = block.index;
  return static_cast<uint32_t>(i.x + uint64_t(grid.x) * (i.y + uint64_t(grid.y) * i.z)) + 1;
}

uint32_t site_of(void* code) {
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(code) - state->launch->library.begin);
}

void* code_of(uint32_t site) {
  return site == 0 ? nullptr : reinterpret_cast<void*>(state->launch->library.begin + site);
}

Access access_now(const Thread& thread, Kind kind, void* code) {
  const BlockChecks& block = *thread.block->checks;
  return {block.number,  static_cast<uint32_t>(thread.block->epoch), block.clocks.now(thread.index),
          site_of(code), static_cast<uint16_t>(thread.index),        kind};
}

struct Event {
  const Thread& thread;
  Clocks& clocks;
  Region& region;
  uintptr_t address;
  size_t size;
  bool write;
  Access now;
};

// True if nothing orders `before` and `now`: the two threads could have come in either order.
bool is_race(const Access& before, const Event& event) {
  const Access& now = event.now;
  if (before.block == 0 || (before.kind != Kind::kPlain && now.kind != Kind::kPlain)) return false;
  if (before.block == now.block && (before.thread == now.thread || before.epoch != now.epoch)) {
    return false;
  }
  // Shared memory of another block is not this one.
  if (before.block != now.block && event.region.space == Space::kShared) return false;
  return !event.clocks.knows(now.thread, before);
}

// ---- messages ----

void set_error(Block& block, const std::string& message, void* code, void* other) {
  if (block.failed) return;
  record_error(block, message, "", 0);
  block.sites[0] = code;
  block.sites[1] = other;
}

[[noreturn]] void stop(const std::string& message, void* code, void* other = nullptr) {
  const Interrupt& late = self->fiber->at_return;  // its return address is no longer the kernel's
  set_error(*self->block, message, late.signal != 0 ? late.place : code, other);
  abandon(*self->block);
}

std::string thread_name(int index, dim3 size) {
  unsigned i = static_cast<unsigned>(index);
  return "thread (" + std::to_string(i % size.x) + ", " + std::to_string(i / size.x % size.y) +
         ", " + std::to_string(i / (size.x * size.y)) + ")";
}

const char* name_of(Space space) { return space == Space::kShared ? "shared" : "global"; }

std::string describe_race(const Event& event, const Access& before, const char* verb_before,
                          const char* verb_now) {
  bool same_block = before.block == event.now.block;
  std::string other = thread_name(before.thread, event.thread.block_dim) +
                      (same_block ? "" : " of block " + std::to_string(before.block - 1));
  return "race in " + std::string(name_of(event.region.space)) +
         " memory: " + describe_thread(event.thread) + " " + verb_now + " at {0} what " + other +
         " " + verb_before + " at {1}; " +
         (same_block ? "no __syncthreads() lies between them"
                     : "nothing orders the blocks of a launch");
}

[[noreturn]] void report_race(const Event& event, const Access& before, const char* verb_before) {
  const char* verb_now = event.now.kind == Kind::kAtomic ? "changes"
                         : event.write                   ? "writes"
                                                         : "reads";
  stop(describe_race(event, before, verb_before, verb_now), code_of(event.now.site),
       code_of(before.site));
}

// ---- races ----

// The write announced last is done: returns whether it changed nothing, else that is the error.
bool confirm(Block& block) {
  Doubtful& last = state->doubtful;
  size_t size = std::exchange(last.size, 0);
  if (memcmp(last.old, reinterpret_cast<void*>(last.address), size) == 0) return true;
  set_error(block, last.message, code_of(last.sites[0]), code_of(last.sites[1]));
  return false;
}

void doubt(const Event& event, const Access& before) {
  if (event.size > kMaxKept) report_race(event, before, "wrote");
  Doubtful& last = state->doubtful;
  if (last.size != 0) return;
  last.message = describe_race(event, before, "wrote", "writes");
  last.sites[0] = event.now.site;
  last.sites[1] = before.site;
  last.size = event.size;
  last.address = event.address;
  memcpy(last.old, reinterpret_cast<void*>(event.address), event.size);
}

void suspect(const Event& event, const Access& read, std::string message, const Access& before) {
  auto same = [&](const Suspicion& one) {
    return one.address == event.address && one.read.by_same_thread(read);
  };
  auto& all = state->suspicions;
  if (state->guesses.count(read.site) != 0 || std::any_of(all.begin(), all.end(), same)) return;
  all.push_back({event.address, read, std::move(message), {event.now.site, before.site}});
}

void check_write(const Event& event, Cell& cell) {
  const Access& now = event.now;
  if (is_race(cell.write, event)) {
    if (cell.write.kind == Kind::kPlain && now.kind == Kind::kPlain) {
      doubt(event, cell.write);
    } else {
      report_race(event, cell.write, "wrote");
    }
  }
  for (const Access* read : {&cell.read, &cell.other_read}) {
    if (!is_race(*read, event)) continue;
    if (now.kind != Kind::kAtomic) report_race(event, *read, "read");
    suspect(event, *read, describe_race(event, *read, "read", "changes"), *read);
  }
  cell.remember_write(now);
}

void check_read(const Event& event, Cell& cell) {
  if (is_race(cell.write, event)) {
    if (cell.write.kind != Kind::kAtomic) report_race(event, cell.write, "wrote");
    suspect(event, event.now, describe_race(event, cell.write, "changed", "reads"), cell.write);
  }
  cell.remember_read(event.now);
}

// An atomic operation of the same thread at the same place: its plain reads were guesses.
void forget_guesses(const Event& event) {
  event.region.visit(event.address, event.size, [&](Cell& cell) {
    for (Access* read : {&cell.read, &cell.other_read}) {
      if (!read->by_same_thread(event.now)) continue;
      state->guesses.insert(read->site);
      *read = Access{};
    }
    return true;
  });
  auto& all = state->suspicions;
  auto is_guess = [](const Suspicion& one) { return state->guesses.count(one.read.site) != 0; };
  all.erase(std::remove_if(all.begin(), all.end(), is_guess), all.end());
}

// Whether a volatile write reads like `s[i] += ...` between threads of a warp: a location that this
// very thread has read. Without a fence it orders nothing, and is no better than a plain one.
bool is_unordered_update(const Event& event) {
  const Access& now = event.now;
  bool read = false;
  event.region.visit(event.address, event.size, [&](Cell& cell) {
    for (const Access* one : {&cell.read, &cell.other_read}) {
      read = read || (one->by_same_thread(now) && one->epoch == now.epoch);
    }
    return !read;
  });
  return read && !event.clocks.is_fenced(now.thread);
}

// Atomic operations and volatile accesses can hand on what a thread knows.
void check_synchronizing(Event& event) {
  Access& now = event.now;
  if (now.kind == Kind::kAtomic) forget_guesses(event);
  if (now.kind == Kind::kVolatile && event.write && is_unordered_update(event)) {
    now.kind = Kind::kPlain;
    return;
  }
  auto place = state->left.find(event.address);
  if (place != state->left.end()) event.clocks.acquire(now.thread, place->second);
}

void check_order(Event& event) {
  const Access& now = event.now;
  if (now.kind != Kind::kPlain) check_synchronizing(event);
  event.region.visit(event.address, event.size, [&](Cell& cell) {
    event.write ? check_write(event, cell) : check_read(event, cell);
    return true;
  });
  if (!event.write) return;
  if (now.kind == Kind::kPlain) {
    event.clocks.wrote(now.thread);
  } else if (event.clocks.is_fenced(now.thread)) {
    event.clocks.release(now.thread, now.epoch, state->left[event.address]);
  }
}

// ---- bounds ----

std::string relation(uintptr_t address, const Region& region) {
  bool before = address < region.begin;
  return std::to_string(before ? region.begin - address : address - region.end) + " bytes " +
         (before ? "before the start" : "past the end");
}

uintptr_t distance(uintptr_t address, const Region& region) {
  return address < region.begin ? region.begin - address : address - std::min(address, region.end);
}

const Region* nearest(const std::vector<Region>& regions, uintptr_t address) {
  const Region* best = nullptr;
  for (const Region& region : regions) {
    if (best == nullptr || distance(address, region) < distance(address, *best)) best = &region;
  }
  return best;
}

[[noreturn]] void report_outside(const Thread& thread, uintptr_t address, size_t size, bool write,
                                 void* code) {
  std::string message = describe_thread(thread) + (write ? " writes " : " reads ") +
                        std::to_string(size) + " bytes outside every array ";
  const Range& statics = state->launch->shared_static;
  if (address >= statics.begin && address < statics.end) {
    message += "of shared memory, at {0}";
    const Region* array = nearest(thread.block->checks->shared, address);
    if (array != nullptr) message += ": " + relation(address, *array) + " of `" + array->name + "`";
    stop(message, code);
  }
  message += "it was given, at {0}";
  const Region* array = nearest(state->global, address);
  if (array != nullptr && distance(address, *array) < (uintptr_t(1) << 28)) {
    uintptr_t at = address < array->begin || address >= array->end ? address : array->end;
    message += ": " + relation(at, *array) + " of argument " + std::to_string(array->argument) +
               ", which holds " + std::to_string(array->end - array->begin) + " bytes";
  }
  stop(message, code);
}

// ---- memory that nobody has written ----

// Whether the bytes are what new memory is filled with. Smaller pieces than a word are, if those
// around them are too: a byte may be any.
bool is_unwritten(uintptr_t address, size_t size, uint32_t pattern, uintptr_t begin,
                  uintptr_t end) {
  uintptr_t first = size == 1 ? address & ~uintptr_t(7) : address & ~uintptr_t(3);
  uintptr_t last = size == 1 ? first + 8 : (address + size + 3) & ~uintptr_t(3);
  if (first < begin || last > end) {
    if (size != 2) return false;
    first = last = 0;
  }
  for (uintptr_t word = first; word < last && size != 2; word += 4) {
    if (*reinterpret_cast<const uint32_t*>(word) != pattern) return false;
  }
  if (size != 2) return true;
  return *reinterpret_cast<const uint16_t*>(address) ==
         static_cast<uint16_t>(pattern >> (address & 2) * 8);
}

void check_written(const Event& event, void* code) {
  if (event.region.space != Space::kShared) {
    const Region& array = event.region;
    if (array.space == Space::kGlobal &&
        is_unwritten(event.address, event.size, kUnwrittenGlobal, array.begin, array.end)) {
      stop(describe_thread(event.thread) + " reads " + std::to_string(event.size) + " bytes of " +
               (array.argument == 0 ? "malloc()" : "argument " + std::to_string(array.argument)) +
               " at {0} that nobody has written",
           code);
    }
    return;
  }
  bool written = event.size > 8, any = false;  // of a struct some bytes may never be
  event.region.visit(event.address, event.size, [&](Cell& cell) {
    bool one = cell.write.block == event.now.block;
    any = any || one;
    written = event.size > 8 ? any : one;
    return event.size > 8 ? !any : one;
  });
  if (written) return;
  stop(describe_thread(event.thread) +
           " reads shared memory at {0} that nobody has written in this block",
       code);
}

unsigned char unwritten_byte(uintptr_t address) {
  return static_cast<unsigned char>(kUnwrittenLocal >> address % 4 * 8);
}

bool is_unwritten_local(const Thread& thread, uintptr_t address, size_t size) {
  const Stack& stack = thread.fiber->stack;
  if (size < 4) {
    return state->small_ones.count(address) != 0 &&
           *reinterpret_cast<unsigned char*>(address) == unwritten_byte(address);
  }
  return is_unwritten(address, size, kUnwrittenLocal, reinterpret_cast<uintptr_t>(stack.begin()),
                      reinterpret_cast<uintptr_t>(stack.end()));
}

void check_local(const Thread& thread, uintptr_t address, size_t size, bool write, void* code) {
  if (write) {
    if (size < 4 && !state->small_ones.empty()) state->small_ones.erase(address);
    return;
  }
  if (!is_unwritten_local(thread, address, size)) return;
  stop(describe_thread(thread) + " reads a local variable at {0} that it has not written", code);
}

// ---- every access of a checked kernel comes through here ----

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
    return &std::prev(behind)->second;
  }
  return state->library.contains(address, size) ? &state->library : nullptr;
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

void check_atomic(void* pointer, size_t size, void* code) {
  if (self->block->recorder) record(Recorded::kAtomic, pointer, size, code);
  wait_a_turn(pointer);
  if (state != nullptr && reinterpret_cast<uintptr_t>(pointer) % size != 0) {
    stop(describe_thread(*self) + " changes " + std::to_string(size) +
             " bytes atomically at {0}, at an address that is no multiple of " +
             std::to_string(size),
         code);
  }
  check(pointer, size, true, Kind::kAtomic, code);
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

// ---- a launch, its blocks ----

Region make_region(uintptr_t begin, uintptr_t end, Space space) {
  Region region;
  region.begin = begin;
  region.end = end;
  region.space = space;
  return region;
}

std::unique_ptr<BlockChecks> make_block_checks(const Block& block) {
  auto checks = std::make_unique<BlockChecks>();
  const CheckedLaunch& launch = *state->launch;
  const Range& statics = launch.shared_static;
  for (const SharedArray& array : launch.shared) {
    uintptr_t begin = statics.begin + array.offset;
    checks->shared.push_back(make_region(begin, begin + array.size, Space::kShared));
    checks->shared.back().name = array.name;
  }
  if (launch.shared.empty() && statics.end > statics.begin) {
    checks->shared.push_back(make_region(statics.begin, statics.end, Space::kShared));
  }
  // The array whose size the launch decides comes last, and moves from block to block.
  if (!block.dynamic_shared.empty()) checks->shared.push_back(make_region(0, 0, Space::kShared));
  return checks;
}

}  // namespace

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

std::string report_suspicions(void** sites) {
  if (state == nullptr || state->suspicions.empty()) return "";
  const Suspicion& first = state->suspicions.front();
  for (int i = 0; i < kMaxSites; i++) sites[i] = code_of(first.sites[i]);
  return first.message;
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

void* malloc_watched(size_t size) {
  char* memory = static_cast<char*>(malloc(size));
  if (state == nullptr || memory == nullptr) return memory;
  for (size_t i = 0; i + 4 <= size; i += 4) memcpy(memory + i, &kUnwrittenGlobal, 4);
  uintptr_t begin = reinterpret_cast<uintptr_t>(memory);
  state->heap[begin] = make_region(begin, begin + size, Space::kGlobal);
  return memory;
}

void free_watched(void* memory) {
  if (state != nullptr) state->heap.erase(reinterpret_cast<uintptr_t>(memory));
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

// ---- what -fsanitize=undefined says ----

namespace {

struct SourceLocation {
  const char* file;
  uint32_t line, column;
};
struct TypeDescriptor {
  uint16_t kind, info;
  char name[1];  // in quotes
};

[[noreturn]] void stop_at(const std::string& message, const SourceLocation& place) {
  record_error(*self->block, describe_thread(*self) + " " + message, place.file,
               static_cast<int>(place.line));
  abandon(*self->block);
}

}  // namespace
}  // namespace norch_sim

struct OutOfBounds {
  norch_sim::SourceLocation place;
  norch_sim::TypeDescriptor *array, *index;
};
struct TypeMismatch {
  norch_sim::SourceLocation place;
  norch_sim::TypeDescriptor* type;
  unsigned char log_alignment, kind;
};

extern "C" {
void __ubsan_handle_out_of_bounds(OutOfBounds* data, uintptr_t index) {
  if (norch_sim::self == nullptr) return;
  long long number =
      data->index->info & 1 ? static_cast<int>(index) : static_cast<long long>(index);
  if (data->index->info >> 1 == 6) number = static_cast<long long>(index);
  norch_sim::stop_at(
      "uses index " + std::to_string(number) + " of an array of type " + data->array->name,
      data->place);
}
void __ubsan_handle_type_mismatch_v1(TypeMismatch* data, uintptr_t address) {
  if (norch_sim::self == nullptr) return;
  bool write = data->kind == 1;
  uintptr_t alignment = uintptr_t(1) << data->log_alignment;
  std::string what =
      std::string(write ? "writes" : "reads") + " a value of type " + data->type->name;
  if (address & (alignment - 1)) {
    what += " at an address that is no multiple of " + std::to_string(alignment);
  } else {
    what += " outside the array that its pointer came from";
  }
  norch_sim::stop_at(what, data->place);
}
}

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
