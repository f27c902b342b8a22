// Writes down what the threads of a recorded launch do, and puts it together warp by warp, as a GPU
// runs them: how many sectors a request takes, how many passes a bank conflict costs, how many
// lanes are active. Used by norch_cuda.profile; a launch that is not recorded never comes here.
//
// A recorded kernel announces its accesses and the beginning of each basic block (recorded.h). Each
// CUDA thread has a log; at a barrier, and at the end of a block, the logs of a warp are replayed
// in step: the lanes that are at the lowest address of the program go on together.
#pragma once
#include <stdint.h>

#include <vector>

#include "checker.h"
#include "scheduler.h"

namespace norch_sim {

constexpr int kShared = -2, kNoMemory = -1;  // else the number of the argument, from 0

// One place in the kernel's machine code, and what happened there. Mirrored in recording.py.
struct Site {
  uint64_t code;              // offset into the kernel library of where the call returns to
  int64_t kind;               // a Recorded
  int64_t executions, lanes;  // by warps; by their threads
  int64_t requests, sectors, bytes, moved;  // global: of 32 bytes; different bytes; all of them
  int64_t shared_requests, passes, least_passes;  // shared: with conflicts, and without
  int64_t shared_low, shared_high;                // the part of shared memory that was touched
};

// The lanes of `mask` went through a site together, in the block that is replayed.
struct Step {
  int64_t epoch;  // barriers passed before
  int32_t warp, site;
  uint32_t mask;
  int32_t passes;  // of shared memory
  int64_t first;   // number of the first lane's Touch; the others follow
};

struct Touch {
  int32_t memory, size;
  int64_t offset;
  uint64_t value;  // what was read, or what stood there after the write; the first 8 bytes
};

class Recorder {
 public:
  // Keeps the steps of block `replayed` (counted x first), up to `most_steps`; < 0 keeps none.
  Recorder(int64_t replayed, int64_t most_steps) : replayed_(replayed), most_steps_(most_steps) {}
  void begin(const CheckedLaunch& memory, uintptr_t code_begin, uintptr_t code_end);
  void begin_block(int64_t number, const Block& block);
  void add(const Thread& thread, Recorded kind, void* pointer, size_t size, void* code);
  void end_block();
  const std::vector<Site>& sites() const { return sites_; }
  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<Touch>& touches() const { return touches_; }
  bool is_cut() const { return cut_; }  // there were more steps than are kept

 private:
  struct Event {
    int32_t site;
    Touch touch;
  };
  int site_of(Recorded kind, void* code);
  Touch touch_of(const Block& block, uintptr_t address, size_t size) const;
  void finish_write();
  void replay_all();
  void replay(int warp);
  void count(int warp, int site, uint32_t mask, const Touch* touches);
  int64_t replayed_, most_steps_;
  CheckedLaunch memory_;
  uintptr_t code_begin_ = 0;
  std::vector<int> site_at_;  // by offset of the code, -1: none yet
  std::vector<Site> sites_;
  std::vector<std::vector<Event>> logs_;  // of each thread, since the last barrier
  size_t logged_ = 0;
  uint64_t epoch_ = 0;
  bool keeping_ = false, cut_ = false;
  const void* written_ = nullptr;  // what was written last: its value stands there soon
  Touch* written_touch_ = nullptr;
  std::vector<Step> steps_;
  std::vector<Touch> touches_;
};

}  // namespace norch_sim
