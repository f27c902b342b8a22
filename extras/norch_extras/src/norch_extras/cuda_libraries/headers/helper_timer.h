// <helper_timer.h> of CUDA's samples: a stop watch of the host, in milliseconds.
#pragma once
#include <chrono>

class StopWatchInterface {
 public:
  void start() { began_ = Clock::now(), running_ = true; }
  void stop() { total_ += since_start(), rounds_++, running_ = false; }
  void reset() { total_ = 0, rounds_ = 0, began_ = Clock::now(); }
  float getTime() const { return total_ + (running_ ? since_start() : 0); }
  float getAverageTime() const { return rounds_ > 0 ? total_ / float(rounds_) : 0; }

 private:
  using Clock = std::chrono::steady_clock;
  float since_start() const {
    return std::chrono::duration<float, std::milli>(Clock::now() - began_).count();
  }
  Clock::time_point began_;
  float total_ = 0;
  int rounds_ = 0;
  bool running_ = false;
};

inline bool sdkCreateTimer(StopWatchInterface** timer) {
  *timer = new StopWatchInterface;
  return true;
}
inline bool sdkDeleteTimer(StopWatchInterface** timer) {
  delete *timer;
  *timer = nullptr;
  return true;
}
inline bool sdkStartTimer(StopWatchInterface** timer) { return (*timer)->start(), true; }
inline bool sdkStopTimer(StopWatchInterface** timer) { return (*timer)->stop(), true; }
inline bool sdkResetTimer(StopWatchInterface** timer) { return (*timer)->reset(), true; }
inline float sdkGetTimerValue(StopWatchInterface** timer) { return (*timer)->getTime(); }
inline float sdkGetAverageTimerValue(StopWatchInterface** timer) {
  return (*timer)->getAverageTime();
}
