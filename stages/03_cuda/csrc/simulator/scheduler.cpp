// Runs one block: its CUDA threads take turns on one OS thread and wait for each other at barriers.
//
// Threads run one after another on the same stack; only a thread that must wait keeps its stack,
// and the next thread gets another ("lazy fibers"), so a kernel without barriers costs hardly more
// than a loop.
#include "scheduler.h"

#include <pthread.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "checker.h"
#include "hints.h"
#include "interrupt.h"

#if defined(NORCH_SIM_ASSEMBLER)
#define NORCH_STRING2(x) #x
#define NORCH_STRING(x) NORCH_STRING2(x)
#define NORCH_SYMBOL NORCH_STRING(__USER_LABEL_PREFIX__) "norch_sim_switch"
#if defined(__x86_64__)
__asm__(
    ".text\n"
    ".globl " NORCH_SYMBOL "\n" NORCH_SYMBOL
    ":\n"
    "pushq %rbp\n pushq %rbx\n pushq %r12\n pushq %r13\n pushq %r14\n pushq %r15\n"
    "movq %rsp, (%rdi)\n"
    "movq %rsi, %rsp\n"
    "popq %r15\n popq %r14\n popq %r13\n popq %r12\n popq %rbx\n popq %rbp\n"
    "ret\n");
#else
__asm__(
    ".text\n.p2align 2\n"
    ".globl " NORCH_SYMBOL "\n" NORCH_SYMBOL
    ":\n"
    "sub sp, sp, #160\n"
    "stp x19, x20, [sp, #0]\n stp x21, x22, [sp, #16]\n stp x23, x24, [sp, #32]\n"
    "stp x25, x26, [sp, #48]\n stp x27, x28, [sp, #64]\n stp x29, x30, [sp, #80]\n"
    "stp d8, d9, [sp, #96]\n stp d10, d11, [sp, #112]\n"
    "stp d12, d13, [sp, #128]\n stp d14, d15, [sp, #144]\n"
    "mov x9, sp\n str x9, [x0]\n"
    "mov sp, x1\n"
    "ldp x19, x20, [sp, #0]\n ldp x21, x22, [sp, #16]\n ldp x23, x24, [sp, #32]\n"
    "ldp x25, x26, [sp, #48]\n ldp x27, x28, [sp, #64]\n ldp x29, x30, [sp, #80]\n"
    "ldp d8, d9, [sp, #96]\n ldp d10, d11, [sp, #112]\n"
    "ldp d12, d13, [sp, #128]\n ldp d14, d15, [sp, #144]\n"
    "add sp, sp, #160\n"
    "ret\n");
#endif
#endif

// After a switch the processor guesses returns wrongly: between switch and kernel the fewest.
#define NORCH_INLINE __attribute__((always_inline)) inline

namespace norch_sim {
NORCH_FAST_TLS __thread Thread* self = nullptr;

// ---- fibers ----

namespace {
// Stacks outlive the OS threads that use them: making one costs more than running a small block.
struct FiberPool {
  std::mutex mutex;
  std::vector<std::unique_ptr<Fiber>> idle;
};

// Never destroyed: a launch may still run at exit. A forked process starts with none, for a thread
// that it does not have may have held the lock.
FiberPool* fiber_pool = [] {
  pthread_atfork(nullptr, nullptr, [] { fiber_pool = new FiberPool; });
  return new FiberPool;
}();

// threadIdx of a thread by its linear index.
uint3 thread_index(int index, dim3 size) {
  unsigned i = static_cast<unsigned>(index);
  if (i < size.x) return {i, 0, 0};  // most often, and it takes no division
  return {i % size.x, i / size.x % size.y, i / (size.x * size.y)};
}

// What becomes of those that wait when one thread has returned: lanes of its warp may be complete
// without it (see exchange()), a barrier never is.
void leave_waiting(Block& block, Warp& warp, const Thread& thread);

// Runs the kernel for one CUDA thread of the block.
NORCH_INLINE void run_thread(Fiber& fiber, Block& block, int order) {
  Thread& thread = *fiber.thread;
  thread.index = static_cast<int>(in_turn(order, block.num_threads, block.step));
  thread.thread_index = thread_index(thread.index, block.block_dim);
  block.kernel->call(block.arguments);
  fiber.copies.clear();
  block.finished++;
  Warp& warp = block.warps[thread.index / kWarpSize];
  warp.returned |= 1u << thread.index % kWarpSize;
  if ((warp.arrived | static_cast<unsigned>(block.arrived)) != 0) {
    leave_waiting(block, warp, thread);
  }
}

// Tells the thread of a fiber which block and grid it is in.
void prepare_thread(Fiber& fiber, Block& block) {
  Thread& thread = *fiber.thread;
  thread.block_index = block.index;
  thread.block_dim = block.block_dim;
  thread.grid_dim = block.grid_dim;
  thread.dynamic_shared = block.dynamic_shared.begin();
  thread.copy_stage = 0;
  thread.block = &block;
}

// What every fiber executes, for ever: CUDA threads of the block it is given, until none is left.
void fiber_main() {
  for (;;) {
    Fiber& fiber = *self->fiber;
    Block& block = *self->block;
    while (block.started < block.num_threads && !block.failed) {
      int order = block.started++;
      run_thread(fiber, block, order);
    }
    fiber.parked = false;
    this_worker().switch_to_scheduler(fiber);
  }
}
}  // namespace

Fiber::Fiber() {
  thread = new (stack.safe()) Thread;
  thread->fiber = this;
  reset();
}

void Fiber::reset() {
  prepare_context(context, stack.begin(), stack.end() - 64, fiber_main);
  parked = false;
  ticket = nullptr;
  if (exchanged) stack.forget_notes();
  exchanged = false;
}

Worker& this_worker() {
  static thread_local Worker worker;
  return worker;
}

Worker::~Worker() {
  std::lock_guard<std::mutex> lock(fiber_pool->mutex);
  for (auto& fiber : fibers_) fiber_pool->idle.push_back(std::move(fiber));
}

Fiber& Worker::take_fiber() {
  if (idle_.empty()) {
    std::lock_guard<std::mutex> lock(fiber_pool->mutex);
    auto& idle = fiber_pool->idle;
    if (idle.empty()) {
      fibers_.push_back(std::make_unique<Fiber>());
    } else {
      fibers_.push_back(std::move(idle.back()));
      idle.pop_back();
    }
    idle_.push_back(fibers_.back().get());
  }
  Fiber& fiber = *idle_.back();
  idle_.pop_back();
  return fiber;
}

// Returns the fiber that came back: those of a block also switch to each other.
NORCH_INLINE Fiber& Worker::enter(Fiber& fiber) {
  self = fiber.thread;
  switch_context(main_, fiber.context);
  if (interrupt.signal != 0) report_interrupt(*self, std::exchange(interrupt, {}));
  return *self->fiber;
}

// ---- one block ----

void Worker::start(Block& block) {
  block.num_threads = static_cast<int>(block.block_dim.x * block.block_dim.y * block.block_dim.z);
  block.warps.assign(static_cast<size_t>(block.num_threads + kWarpSize - 1) / kWarpSize, Warp{});
  block.worker = this;
  begin_checks(block);
  while (block.started < block.num_threads && !block.failed) {
    Fiber& fiber = take_fiber();
    prepare_thread(fiber, block);
    fiber.place = block.fibers.size();
    block.fibers.push_back(&fiber);
    enter(fiber);
    if (fiber.parked || block.failed) continue;
    block.fibers.pop_back();
    idle_.push_back(&fiber);
  }
}

void Worker::release(Block& block) {
  for (Fiber* fiber : block.fibers) {
    if (fiber == nullptr) continue;
    fiber->reset();  // its thread never comes to an end: the stack is used again from the top
    idle_.push_back(fiber);
  }
  block.fibers.clear();
  end_checks(block);
  self = nullptr;
}

namespace {
Lane& lane_of(const Fiber& fiber) {
  int index = fiber.thread->index;
  return fiber.thread->block->warps[index / kWarpSize].lanes[index % kWarpSize];
}

// Nobody can go on: every lane that can come to an __activemask() waits there. Lets go those of the
// first one's warp that are at its line; true if there were any.
bool release_active(const std::vector<Fiber*>& parked) {
  auto found = std::find_if(parked.begin(), parked.end(), [&](Fiber* fiber) {
    return fiber != nullptr && lane_of(*fiber).active;
  });
  if (found == parked.end()) return false;
  const Fiber& first = **found;
  auto is_with_first = [&](const Fiber& fiber) {
    return fiber.thread->index / kWarpSize == first.thread->index / kWarpSize &&
           fiber.line == first.line && lane_of(fiber).active;
  };
  std::vector<Fiber*> together;
  unsigned mask = 0;
  for (Fiber* fiber : parked) {
    if (fiber == nullptr || !is_with_first(*fiber)) continue;
    together.push_back(fiber);
    mask |= 1u << fiber->thread->index % kWarpSize;
  }
  for (Fiber* fiber : together) {
    Lane& lane = lane_of(*fiber);
    lane.active = false;
    lane.result = mask;
    lane.released++;
  }
  return true;
}

// The error of a block whose threads all wait.
void report_deadlock(Block& block) {
  auto is_left = [](const Fiber* fiber) { return fiber != nullptr; };
  const auto& all = block.fibers;
  const Fiber& first = **std::find_if(all.begin(), all.end(), is_left);
  auto other = std::find_if(all.begin(), all.end(), [&](const Fiber* fiber) {
    return is_left(fiber) && fiber->line != first.line;
  });
  bool two = other != all.end(), lanes = first.ticket == &lane_of(first).released;
  record_error(block,
               "deadlock: " + std::to_string(std::count_if(all.begin(), all.end(), is_left)) +
                   " thread(s) wait for each other, the first at " + site(first.file, first.line) +
                   (two ? ", another at " + site((*other)->file, (*other)->line) : "") +
                   (lanes ? hint::kMask : hint::kArrive),
               "", 0);
}
}  // namespace

bool Worker::resume(Block& block) {
  auto& fibers = block.fibers;
  size_t left = fibers.size() - std::count(fibers.begin(), fibers.end(), nullptr);
  size_t in_vain = 0;  // fibers looked at in a row that cannot go on
  bool spinning = false;
  while (left > 0 && !block.failed) {
    if (in_vain > fibers.size()) {
      if (spinning) return false;
      if (!release_active(fibers)) report_deadlock(block);
      in_vain = 0;
      continue;
    }
    if (block.turn >= fibers.size()) block.turn = 0;
    Fiber* fiber = fibers[block.turn];
    if (fiber == nullptr || fiber->is_waiting()) {
      block.turn++;
      in_vain++;
      continue;
    }
    Fiber& last = enter(*fiber);
    block.turn = last.place + 1;
    spinning = last.yielded;  // those that wait at a barrier leave it as it is
    in_vain = last.yielded ? in_vain + 1 : 0;
    if (last.parked || block.failed) continue;
    fibers[last.place] = nullptr;
    idle_.push_back(&last);
    left--;
  }
  return true;
}

// ---- what kernels call ----

namespace {
// Ends a thread that is to wait after the time is over.
[[noreturn]] void give_up(const char* file, int line) {
  record_error(*self->block, late(*self, site(file, line)), "", 0);
  abandon(*self->block);
}

// Leaves the fiber, which is parked: for the next of its block if that can go on (the processor
// then guesses all returns rightly), else for the scheduler.
NORCH_INLINE void switch_away(Fiber& fiber) {
  Block& block = *fiber.thread->block;
  size_t place = fiber.place + 1 < block.fibers.size() ? fiber.place + 1 : 0;
  Fiber* next = block.fibers[place];
  if (next != nullptr && next->parked && !next->yielded && !next->is_waiting()) {
    self = next->thread;
    switch_context(fiber.context, next->context);
  } else {
    block.worker->switch_to_scheduler(fiber);
  }
}

NORCH_INLINE void wait_for(Fiber& fiber, const uint64_t& ticket, const char* file, int line) {
  if (fiber.thread->block->expired) give_up(file, line);
  fiber.ticket = &ticket;
  fiber.seen = ticket;
  fiber.file = file;
  fiber.line = line;
  fiber.parked = true;
  switch_away(fiber);
  fiber.parked = false;
}
}  // namespace

void yield() {
  if (self->block->expired) return end_at_return();
  Fiber& fiber = *self->fiber;
  fiber.ticket = nullptr;
  fiber.parked = fiber.yielded = true;
  self->block->worker->switch_to_scheduler(fiber);
  fiber.parked = fiber.yielded = false;
}

void wait_a_turn(const void* address) {
  constexpr int kPatience = 64, kAgain = 4;
  Fiber& fiber = *self->fiber;
  if (fiber.watched != address) fiber.looks = 0;
  fiber.watched = address;
  if (++fiber.looks < kPatience) return;
  fiber.looks = kPatience - kAgain;
  yield();
}

namespace {
// The error of a thread that comes to a barrier while others wait at another one.
void report_divergence(Block& block, const char* file, int line) {
  bool one_line = block.barrier_line == line && block.barrier_file == file;
  record_error(block,
               "divergent __syncthreads(): " + std::to_string(block.arrived) +
                   " thread(s) wait at " + site(block.barrier_file, block.barrier_line) + ", " +
                   describe_thread(*self) + (one_line ? " at another one at " : " at ") +
                   site(file, line) +
                   (block.arrived % kWarpSize == 0 ? hint::kWholeWarps : hint::kOneBarrier),
               "", 0);
}
}  // namespace

void wait_while(const uint64_t* word, uint64_t seen, const char* file, int line) {
  if (*word == seen) wait_for(*self->fiber, *word, file, line);
}

int barrier(const char* file, int line, int vote) { return barrier(file, line, vote, -line); }

int barrier(const char* file, int line, int vote, int place) {
  Thread& thread = *self;
  Block& block = *thread.block;
  if (__builtin_expect(block.recorder != nullptr, 0))
    record(Recorded::kBarrier, nullptr, 0, __builtin_return_address(0));
  if (block.finished > 0) {
    record_error(block,
                 "__syncthreads() is not reached by " + std::to_string(block.finished) +
                     " thread(s) that have already returned at " + site(file, line) + hint::kReturn,
                 "", 0);
    abandon(block);
  }
  if (block.arrived == 0) {
    block.barrier_file = file;
    block.barrier_line = line;
    block.barrier_place = place;
  } else if (block.barrier_place != place || block.barrier_file != file) {
    report_divergence(block, file, line);
    abandon(block);
  }
  block.votes += vote;
  if (++block.arrived == block.num_threads) {
    block.arrived = 0;
    block.counted = std::exchange(block.votes, 0);
    order_block(block);
    block.epoch++;
  } else {
    wait_for(*thread.fiber, block.epoch, file, line);
  }
  return block.counted;
}

namespace {
// Whether lanes ask each other for values.
bool is_shuffle(Exchange kind) {
  return kind == Exchange::kShuffle || kind == Exchange::kXor || kind == Exchange::kUp ||
         kind == Exchange::kDown;
}

// Whether lane `index` asks one of those that do not take part. In a tree over all lanes of a power
// of two the upper half may: what it gets is not used.
bool is_lost(const Lane& lane, int index, unsigned present) {
  if (!is_shuffle(lane.kind)) return false;
  if (lane.source >= 0 && lane.source < kWarpSize && present >> lane.source & 1) return false;
  int count = __builtin_popcount(present), first = __builtin_ctz(present);
  bool tree = (count & (count - 1)) == 0 && first % count == 0 &&
              present >> first == (count == kWarpSize ? ~0u : (1u << count) - 1);
  bool shift = lane.kind == Exchange::kUp || lane.kind == Exchange::kDown;
  return !shift || !tree || std::abs(lane.source - index) >= count;
}

// The error of a lane that asks one which does not take part.
void report_lost(Block& block, const Warp& warp, int index) {
  const Lane& lane = warp.lanes[index];
  bool returned = lane.source >= 0 && lane.source < kWarpSize && lane.mask >> lane.source & 1;
  Thread asking = *self;
  asking.index = static_cast<int>(&warp - block.warps.data()) * kWarpSize + index;
  asking.thread_index = thread_index(asking.index, block.block_dim);
  record_error(
      block,
      describe_thread(asking) + " takes the value of lane " + std::to_string(lane.source) +
          (returned ? ", whose thread has returned, at " : ", which lies outside its mask, at ") +
          site(lane.file, lane.line) + (returned ? hint::kStay : hint::kMask),
      "", 0);
}

// All lanes of the mask have arrived that have not returned: work out what each of them learns, and
// let them go.
void complete(Block& block, Warp& warp, unsigned present, Exchange kind) {
  uint64_t votes = 0;
  for (int i = 0; i < kWarpSize; i++) {
    if (present >> i & 1 && warp.lanes[i].value) votes |= uint64_t(1) << i;
  }
  for (int i = 0; i < kWarpSize; i++) {
    if (!(present >> i & 1)) continue;
    Lane& lane = warp.lanes[i];
    if (is_checked() && is_lost(lane, i, present)) return report_lost(block, warp, i);
    bool known = lane.source >= 0 && lane.source < kWarpSize && present >> lane.source & 1;
    if (kind == Exchange::kBallot) lane.result = votes;
    if (is_shuffle(kind)) lane.result = known ? warp.lanes[lane.source].value : ~uint64_t(0);
    lane.released++;
  }
  int number = static_cast<int>(&warp - block.warps.data());
  if (kind == Exchange::kSync) order_warp(block, number, present);
  const Lane& call = warp.lanes[__builtin_ctz(present)];
  if (is_checked() && (call.mask & warp.returned) != 0) {
    note_absent(block, number, present, call.mask & warp.returned, call);
  }
  warp.arrived &= ~present;
  warp.epoch++;
}

// What CUDA calls an exchange, for messages.
const char* name_of(Exchange kind) {
  constexpr const char* names[] = {"__syncwarp",     "__shfl_sync",      "__shfl_xor_sync",
                                   "__shfl_up_sync", "__shfl_down_sync", "a vote",
                                   "__activemask"};
  return names[static_cast<int>(kind)];
}

// Whether two lanes wait for the same exchange.
bool agree(const Lane& a, const Lane& b) { return a.mask == b.mask && a.kind == b.kind; }

// Lanes that name each other must call the same function with the same mask: else each waits for
// what the other never does. (The same function at two places of the text is right from compute
// capability 7.0 on.)
void refuse_others(Block& block, const Warp& warp, int index) {
  const Lane& mine = warp.lanes[index];
  auto call = [](const Lane& lane) {
    char mask[16];
    snprintf(mask, sizeof mask, "0x%x", lane.mask);
    return std::string(name_of(lane.kind)) + " with mask " + mask + " at " +
           site(lane.file, lane.line);
  };
  for (int i = 0; i < kWarpSize; i++) {
    const Lane& other = warp.lanes[i];
    bool named = warp.arrived & mine.mask & 1u << i && other.mask >> index & 1;
    if (i == index || !named || agree(mine, other)) continue;
    record_error(block,
                 describe_thread(*self) + " calls " + call(mine) + ", but lane " +
                     std::to_string(i) + ", which this names, waits in " + call(other) +
                     ": all lanes of a mask must call the same function with the same mask",
                 "", 0);
    abandon(block);
  }
}

// Whether all lanes of this one's mask wait for just that, but for those that have returned, which
// CUDA counts no more.
bool is_complete(const Warp& warp, const Lane& mine) {
  unsigned present = mine.mask & ~warp.returned;
  if ((warp.arrived & present) != present) return false;
  for (int i = 0; i < kWarpSize; i++) {
    if (present >> i & 1 && !agree(mine, warp.lanes[i])) return false;
  }
  return true;
}

void leave_waiting(Block& block, Warp& warp, const Thread& thread) {
  if (block.arrived > 0) {
    record_error(block,
                 describe_thread(thread) + " returned while " + std::to_string(block.arrived) +
                     " thread(s) wait at the __syncthreads() of " +
                     site(block.barrier_file, block.barrier_line) + hint::kReturn,
                 "", 0);
  }
  for (int i = 0; i < kWarpSize && !block.failed; i++) {
    const Lane& lane = warp.lanes[i];
    if (!(warp.arrived >> i & 1) || !is_complete(warp, lane)) continue;
    complete(block, warp, lane.mask & ~warp.returned, lane.kind);
  }
}
}  // namespace

uint64_t exchange(Exchange kind, unsigned mask, uint64_t value, int source, const char* file,
                  int line) {
  Thread& thread = *self;
  Block& block = *thread.block;
  if (__builtin_expect(block.recorder != nullptr, 0))
    record(Recorded::kExchange, nullptr, 0, __builtin_return_address(0));
  Warp& warp = block.warps[thread.index / kWarpSize];
  int index = thread.index % kWarpSize;
  if (kind == Exchange::kActive) {
    warp.lanes[index].active = true;
    wait_for(*thread.fiber, warp.lanes[index].released, file, line);
    return warp.lanes[index].result;
  }
  int in_warp = std::min(kWarpSize, block.num_threads - thread.index / kWarpSize * kWarpSize);
  mask &= in_warp == kWarpSize ? ~0u : (1u << in_warp) - 1;
  if (!(mask >> index & 1)) {
    record_error(block,
                 "the mask does not name the calling lane at " + site(file, line) + hint::kMask, "",
                 0);
    abandon(block);
  }
  Lane& lane = warp.lanes[index];
  lane.value = value;
  lane.source = source;
  lane.mask = mask;
  lane.kind = kind;
  lane.file = file;
  lane.line = line;
  if (warp.arrived != 0 && !agree(lane, warp.lanes[__builtin_ctz(warp.arrived)])) {
    refuse_others(block, warp, index);
  }
  warp.arrived |= 1u << index;
  if (is_complete(warp, lane)) {
    complete(block, warp, mask & ~warp.returned, kind);
    if (block.failed) abandon(block);
  } else {
    wait_for(*thread.fiber, lane.released, file, line);
  }
  return lane.result;
}

// ---- errors ----

std::string site(const char* file, int line) {
  std::string name = file;
  return name.substr(name.rfind('/') + 1) + ":" + std::to_string(line);
}

std::string describe_thread(const Thread& thread) {
  auto triple = [](uint3 v) {
    return "(" + std::to_string(v.x) + ", " + std::to_string(v.y) + ", " + std::to_string(v.z) +
           ")";
  };
  return "thread " + triple(thread.thread_index) + " of block " + triple(thread.block_index);
}

void record_error(Block& block, const std::string& message, const char* file, int line) {
  if (block.failed) return;
  block.failed = true;
  block.error = message;
  if (line > 0) block.error += " at " + site(file, line);
}

void abandon(Block&) {
  Fiber& fiber = *self->fiber;
  for (;;) this_worker().switch_to_scheduler(fiber);
}

void fail_at(const char* message, void* code) {
  Block& block = *self->block;
  record_error(block, describe_thread(*self) + " " + message + " at {0}", "", 0);
  block.sites[0] = code;
  abandon(block);
}

void fail(const char* message, const char* file, int line) {
  record_error(*self->block, message, file, line);
  abandon(*self->block);
}
}  // namespace norch_sim
