// Watches the memory a checked launch touches. Used by scheduler.cpp and launch.cpp, fed by the
// compiler.
//
// A library built for checking is compiled with -fsanitize=thread but not linked with that tool:
// g++ then puts a call such as __tsan_read4(address) before every access, and checker.cpp answers
// those calls.
#pragma once
#include <stdint.h>

#include <string>
#include <vector>

#include "scheduler.h"

namespace norch_sim {

// Memory one launch may touch: the allocation behind an argument.
struct Range {
  uintptr_t begin, end;
  int argument;    // position among the kernel's parameters, from 0
  uint32_t guard;  // what the zones around it are filled with
};

struct Counters {
  int64_t global_reads, global_writes, shared_reads, shared_writes, atomics;
};

// What a checked launch knows; one at a time, on the OS thread that launched it.
struct CheckedLaunch {
  std::vector<Range> global;
  Range shared_static{}, library{};
  Counters counters{};
};

// Between these two calls every access of this OS thread is checked; nullptr ends it.
void watch(CheckedLaunch* launch);
// Shared memory holds nothing at the start of a block.
void forget_shared();

}  // namespace norch_sim
