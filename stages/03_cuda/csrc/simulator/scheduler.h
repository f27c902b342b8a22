// How one block of CUDA threads runs on one OS thread. Used by scheduler.cpp, checker.cpp and
// launch.cpp.
#pragma once
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "context.h"
#include "dynamic_memory.h"
#include "simulator.h"

namespace norch_sim {
using Clock = std::chrono::steady_clock;

constexpr int kWarpSize = 32;
constexpr int kMaxSites = 2;
constexpr int kMaxCalls = 6;
constexpr size_t kMaxCopied = 16;

// What the handler of interrupt.cpp saw: all zero if it was not called.
struct Interrupt {
  int signal = 0;
  void* calls[kMaxCalls] = {};  // where it was in the library's code, and what called that
  uintptr_t code = 0, stack = 0, address = 0;
};

class Recorder;

// A copy that its thread has not waited for.
struct Copy {
  const void* owner;
  unsigned stage, size;
  char* to;
  void* code;  // where it began
  char bytes[kMaxCopied];
};

// A stack on which CUDA threads run, one after another, until one has to wait.
struct Fiber {
  Stack stack;
  Context context;
  Thread* thread = nullptr;          // in the stack's safe page
  const uint64_t* ticket = nullptr;  // the counter a waiting thread watches
  uint64_t seen = 0;                 // its value when the thread began to wait
  bool parked = false;
  bool yielded = false;   // it waits for what another thread will write
  size_t place = 0;       // among the fibers of its block
  const char* file = "";  // where it waits
  int line = 0;
  const void* watched = nullptr;  // the address read or changed again and again, and how often
  int looks = 0;
  std::vector<Copy> copies;
  bool exchanged = false;  // return addresses lead to its end, and the stack's notes say what was

  Fiber();
  void reset();
  bool is_waiting() const { return parked && ticket != nullptr && *ticket == seen; }
};

struct Lane {
  uint64_t value = 0, result = 0, released = 0;
  unsigned mask = 0;
  Exchange kind = Exchange::kSync;
  const char* file = "";  // where it waits for the others of its mask
  int line = 0;
  int source = 0;
  bool active = false;  // it waits to learn which lanes are with it
};

struct Warp {
  Lane lanes[kWarpSize];
  unsigned arrived = 0;   // lanes that wait for the others of their mask
  unsigned returned = 0;  // lanes whose kernel has ended
  uint32_t epoch = 0;     // exchanges completed
};

// Which of n takes turn number `turn`: 1, -1 and a large prime step make three orders.
inline int64_t in_turn(int64_t turn, int64_t n, int64_t step) {
  return step == 1 ? turn : n - 1 - turn * (-step % n) % n;
}

struct BlockChecks;  // of checker.cpp
class Worker;

struct Block {
  // what to run
  const Kernel* kernel = nullptr;
  void** arguments = nullptr;
  dim3 grid_dim, block_dim;
  uint3 index{};
  DynamicMemory dynamic_shared;
  int step = 1;                            // between the threads that take their turns: in_turn
  uintptr_t code_begin = 0, code_end = 0;  // the kernel library's machine code
  // where it stands
  int num_threads = 0, started = 0, finished = 0, arrived = 0;
  const char* barrier_file = "";
  int barrier_line = 0, barrier_place = 0;  // two on one line are two places
  int votes = 0, counted = 0;    // of the threads that have arrived, and of the last barrier passed
  uint64_t epoch = 0;            // barriers passed
  Recorder* recorder = nullptr;  // of a launch that is recorded
  std::vector<Warp> warps;
  volatile int expired = 0;  // its time is over
  int started_late = -1;     // `started` as the last signal after that found it, and since when
  int64_t settled_since = 0;
  Worker* worker = nullptr;    // of the OS thread that runs it
  std::vector<Fiber*> fibers;  // of threads that wait, in order; nullptr: has ended
  size_t turn = 0;             // the fiber to look at next
  std::vector<char> kept;      // its shared memory while another block runs
  BlockChecks* checks = nullptr;
  // how it failed
  bool failed = false;
  std::string error;
  void* sites[kMaxSites] = {};  // return addresses the message speaks of as {0} and {1}
  void* calls[kMaxCalls] = {};  // instead of sites[0], if not empty: it, and what called it
};

// The fibers of one OS thread; stacks come from, and go back to, a pool shared by all launches.
class Worker {
 public:
  Worker() = default;
  ~Worker();
  // Starts every thread of the block.
  void start(Block& block);
  // Runs them to their end, or sets block.failed; false: all that are left wait for other blocks.
  bool resume(Block& block);
  // Takes back the stacks of a block that has ended or is given up.
  void release(Block& block);
  void switch_to_scheduler(Fiber& fiber) { switch_context(fiber.context, main_); }
  Interrupt interrupt;
  int64_t late_since = 0;  // when the first signal came after the launch's time was over

 private:
  Fiber& enter(Fiber& fiber);
  Fiber& take_fiber();
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
  Context main_;
};

// The worker of the OS thread this code runs on.
Worker& this_worker();

// Records the error (with the block it happened in) and leaves the fiber for good.
[[noreturn]] void abandon(Block& block);
// Keeps a block's first error.
void record_error(Block& block, const std::string& message, const char* file, int line);
// A thread, and a line of a file, in the words of messages.
std::string describe_thread(const Thread& thread);
std::string site(const char* file, int line);
}  // namespace norch_sim
