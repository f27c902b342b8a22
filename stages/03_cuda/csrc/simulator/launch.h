// What a launch is given, and what it gives back: of Python, and of whole programs (programs/).
#pragma once
#include <stdint.h>

#include <string>

#include "checker.h"
#include "scheduler.h"

namespace norch_sim {
// An argument's allocation, and the part of it that the argument is.
struct Array {
  uintptr_t begin, end, used_begin, used_end;
  int argument;    // its position among the kernel's parameters, from 0
  int place;       // of the pointer in the parameter, in bytes
  uint32_t guard;  // what the zones around the allocation are filled with
};

// What Python passes; the ctypes mirror is LaunchOptions in simulator_structs.py.
struct LaunchOptions {
  unsigned grid[3], block[3];
  uint64_t dynamic_shared, max_dynamic_shared;
  int step, checked, workers, num_arrays;
  const Array* arrays;
  uint64_t guard_bytes;
  double seconds;
  Recorder* recorder;  // nullptr: nobody wants to know
  const Variable* shared;
  uint64_t num_shared;
  const Variable* variables;
  uint64_t num_variables;
  const Array* earlier;  // which earlier launches were given
  uint64_t num_earlier;
};

struct LaunchReport {
  char message[1024];
  uint64_t sites[kMaxSites];  // offsets into the kernel library, for addr2line
  uint64_t calls[kMaxCalls];  // instead of sites[0], if not empty: it, and what called it
  Counters counters;
};

// What a whole program has beside its launches; of a kernel library all of it is empty.
struct Program {
  bool running = false;
  bool cooperative = false;                              // all blocks are resident at once
  bool (*open)(uintptr_t address) = nullptr;             // memory that a kernel finds closed
  std::string (*place_of)(uintptr_t address) = nullptr;  // more about one outside all arrays
};
extern Program program;
// Why a launch of this grid and block is refused, or "".
std::string refuse(const LaunchOptions& options, const Kernel& kernel, size_t static_shared);
}  // namespace norch_sim

// Runs one kernel; returns 0, or 1 with the reason in report->message.
extern "C" int norch_sim_launch(const norch_sim::Library* library, int kernel, void** arguments,
                                const norch_sim::LaunchOptions* options,
                                norch_sim::LaunchReport* report);
