// Watches the memory a checked launch touches. Used by scheduler.cpp and launch.cpp, fed by the
// compiler.
//
// A library built for checking is compiled with -fsanitize=thread and some of -fsanitize=undefined,
// but not linked with those tools: g++ then puts a call such as __tsan_read4(address) before every
// access, and checker.cpp answers those calls.
#pragma once
#include <stdint.h>

#include <string>
#include <vector>

#include "scheduler.h"

namespace norch_sim {

// Memory one launch may touch: the bytes behind an argument.
struct Range {
  uintptr_t begin, end;
  int argument;  // position among the kernel's parameters, from 0
};

// A __shared__ array, at its place in shared memory.
struct SharedArray {
  uint64_t offset, size;
  const char* name;
};

struct Counters {
  int64_t global_reads, global_writes, shared_reads, shared_writes, atomics;
};

// What a checked launch knows; one at a time, on the OS thread that launched it.
struct CheckedLaunch {
  std::vector<Range> global;
  std::vector<SharedArray> shared;  // empty: where the arrays lie is not known
  Range shared_static{}, library{};
  Counters counters{};
};

// Between these two calls every access of this OS thread is checked; nullptr ends it.
void watch(CheckedLaunch* launch);
// Shared memory holds nothing at the start of a block.
void begin_checks(Block& block);
void end_checks(Block& block);
// The message about what was suspicious, and no later access has made good; empty if nothing is.
std::string report_suspicions(void** sites);
// All threads have passed a barrier; these lanes have passed a __syncwarp().
void order_block(Block& block);
void order_warp(Block& block, int warp, unsigned mask);
// Whether accesses of this OS thread are checked.
bool is_checked();

}  // namespace norch_sim
