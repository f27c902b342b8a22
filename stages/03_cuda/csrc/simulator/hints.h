// What mends an error of a kernel, where one remedy is known: the ends of messages.
//
// Used by all that word such errors; it knows nothing of the launch.
#pragma once

namespace norch_sim::hint {
constexpr const char* kOneBarrier =
    "; move it out of the branches, so that all threads come to the same one";
constexpr const char* kWholeWarps =
    "; move it out of the branches: CUDA leaves this undefined even for whole warps, though a GPU "
    "may let it pass";
constexpr const char* kReturn =
    "; put the work into `if (i < n)` and let every thread reach the barrier";
constexpr const char* kStay =
    "; let lanes past the end go on with a value that changes nothing, instead of returning";
constexpr const char* kMask =
    "; a mask names just the lanes that come: __ballot_sync(0xffffffff, i < n) before the branch";
constexpr const char* kArrive = "; as many must arrive, or release, as init() or the stages say";
constexpr const char* kBarrier = "; add one between the lines";
constexpr const char* kSyncwarp = "; add `__syncwarp()` between the lines";
constexpr const char* kAtomic = "; use atomicAdd() or its like";
constexpr const char* kWholeDevice = "; use the operation without _block, which all blocks obey";
constexpr const char* kOneWriter = "; let one thread write, or use an atomic operation";
constexpr const char* kLaunch = "; let a second launch do what comes later";
constexpr const char* kPlainRead =
    "; a plain read beside atomic operations is a race: use what the operation returns, an atomic "
    "load, or a volatile pointer, or add a barrier";
constexpr const char* kWriteFirst =
    "; let a thread write it first, and add `__syncthreads()` between the two lines";
constexpr const char* kPartOfWarp =
    "; its last __syncwarp() waited for the lanes of its mask only: name all that come";
constexpr const char* kFill = "; give the array values first: zeros, not empty";
constexpr const char* kInitialize = "; give it a value where it is declared";
constexpr const char* kBounds = "; guard the line with `if (i < n)`, or mend the index";
}  // namespace norch_sim::hint
