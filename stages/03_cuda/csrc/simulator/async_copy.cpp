// Copies that go on while their thread does: memcpy_async, cuda::pipeline, __pipeline_memcpy_async.
//
// What is copied waits beside the thread and comes to its place when the thread waits for it, so
// that whoever reads too early finds what was there before. device_library/async_copy.h calls this.
#include <string.h>

#include <algorithm>

#include "checks.h"

namespace norch_sim {
void begin_copy(void* to, const void* from, size_t size, const void* owner, unsigned stage) {
  Copy copy{owner,
            stage,
            static_cast<unsigned>(size),
            static_cast<char*>(to),
            __builtin_return_address(0),
            {}};
  if (from != nullptr) memcpy(copy.bytes, from, size);
  self->fiber->copies.push_back(copy);
}

void finish_copies(const void* owner, unsigned stage) {
  auto& copies = self->fiber->copies;
  auto is_due = [&](const Copy& copy) { return copy.owner == owner && copy.stage < stage; };
  for (const Copy& copy : copies) {
    if (is_due(copy)) memcpy(copy.to, copy.bytes, copy.size);
  }
  copies.erase(std::remove_if(copies.begin(), copies.end(), is_due), copies.end());
}

void check_copies(const Thread& thread, uintptr_t address, size_t size, void* code) {
  for (const Copy& copy : thread.fiber->copies) {
    uintptr_t to = reinterpret_cast<uintptr_t>(copy.to);
    if (address >= to + copy.size || address + size <= to) continue;
    stop(describe_thread(thread) +
             " touches at {0} what its asynchronous copy at {1} still writes: wait for it first",
         code, copy.code);
  }
}
}  // namespace norch_sim
