// <cooperative_groups/memcpy_async.h> of the simulator: copies whose work a group shares.
#pragma once
#include <cooperative_groups.h>

#include "../async_copy.h"

namespace cooperative_groups {
// Copies `size` bytes: each call is a stage of its own.
template <class Group, class T, class Size>
__forceinline__ void memcpy_async(const Group& group, T* to, const T* from, const Size& size) {
  norch_sim::copy_pieces(to, from, size, static_cast<unsigned>(group.thread_rank()),
                         static_cast<unsigned>(group.size()), nullptr,
                         norch_sim::self->copy_stage++);
}
// Waits for all copies of the group but those of the last `Open` calls.
template <unsigned Open, class Group>
__forceinline__ void wait_prior(const Group& group, NORCH_HERE) {
  unsigned stages = norch_sim::self->copy_stage;
  if (stages > Open) norch_sim::finish_copies(nullptr, stages - Open);
  group.sync(file, line);
}
template <class Group>
__forceinline__ void wait(const Group& group, NORCH_HERE) {
  wait_prior<0>(group, file, line);
}
}  // namespace cooperative_groups
