// What ends a CUDA thread that would not end well by itself: a fault of the processor, or a loop
// that is still running when the time is over. Used by launch.cpp and scheduler.cpp.
//
// Both come as signals, and the handler leaves the thread as a barrier does: by a switch to the
// scheduler, which reports the error and never comes back to that stack.
#pragma once
#include "scheduler.h"

namespace norch_sim {

// Makes faults of kernels errors of their launch; those of everybody else stay with whoever had
// them before. Called by every OS thread before it runs blocks: others may take the signals over.
void catch_faults();

// Turns what the handler caught while `thread` ran into its block's error.
void report_interrupt(const Thread& thread, const Interrupt& caught);

// The error of a block whose time is over; `place` names where its thread is.
std::string late(const Thread& thread, const std::string& place);

// While it lives, the kernel on this OS thread is interrupted again and again after `deadline`.
class TimeLimit {
 public:
  explicit TimeLimit(Clock::time_point deadline);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;
};

}  // namespace norch_sim
