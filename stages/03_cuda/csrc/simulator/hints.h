// What mends an error of a kernel, where one remedy is known: the end of its message.
//
// Used by all that word such errors; it knows nothing of the launch.
#pragma once

namespace norch_sim {
enum class Hint {
  kOneBarrier,
  kWholeWarps,
  kReturn,
  kStay,
  kMask,
  kBarrier,
  kSyncwarp,
  kAtomic,
  kWholeDevice,
  kOneWriter,
  kLaunch,
  kPlainRead,
  kWriteFirst,
  kPartOfWarp,
  kFill,
  kInitialize,
  kBounds
};

inline const char* hint(Hint which) {
  constexpr const char* hints[] = {
      "; move it out of the branches, so that all threads come to the same one",
      "; move it out of the branches: CUDA leaves this undefined even for whole warps, though a "
      "GPU "
      "may let it pass",
      "; put the work into `if (i < n)` and let every thread reach the barrier",
      "; let lanes past the end go on with a value that changes nothing, instead of returning",
      "; a mask names just the lanes that come: __ballot_sync(0xffffffff, i < n) before the branch",
      "; add one between the lines",
      "; add `__syncwarp()` between the lines",
      "; use atomicAdd() or its like",
      "; use the operation without _block, which all blocks obey",
      "; let one thread write, or use an atomic operation",
      "; let a second launch do what comes later",
      "; a plain read beside atomic operations is a race: use what the operation returns, an "
      "atomic "
      "load, or a volatile pointer, or add a barrier",
      "; let a thread write it first, and add `__syncthreads()` between the two lines",
      "; its last __syncwarp() waited for the lanes of its mask only: name all that come",
      "; give the array values first: zeros, not empty",
      "; give it a value where it is declared",
      "; guard the line with `if (i < n)`, or mend the index",
  };
  return hints[static_cast<int>(which)];
}
}  // namespace norch_sim
