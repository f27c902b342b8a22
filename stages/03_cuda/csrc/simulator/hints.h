// What mends an error of a kernel, where one remedy is known: the end of its message.
//
// Used by all that word such errors; it knows nothing of the launch.
#pragma once

namespace norch_sim {
enum class Hint { kOneBarrier, kWholeWarps, kReturn, kStay, kMask };

inline const char* hint(Hint which) {
  constexpr const char* hints[] = {
      "; move it out of the branches, so that all threads come to the same one",
      "; move it out of the branches: CUDA leaves this undefined even for whole warps, though a "
      "GPU "
      "may let it pass",
      "; put the work into `if (i < n)` and let every thread reach the barrier",
      "; let lanes past the end go on with a value that changes nothing, instead of returning",
      "; a mask names just the lanes that come: __ballot_sync(0xffffffff, i < n) before the branch",
  };
  return hints[static_cast<int>(which)];
}
}  // namespace norch_sim
