// When a result is stored past the caches: it is large, in long runs, and its pages are there.
#include "ops/stream.h"

#include <sys/mman.h>
#include <unistd.h>

#include "kernels/copy.h"

namespace norch {
namespace {
// From this size on a result pushes its own beginning out of the caches before anybody reads it,
// and each of its lines would be read before it is written. A core can have some sixteen times its
// own cache of the last one; what a virtual machine says of that one is the whole processor's.
int64_t stream_bytes() {
#ifdef _SC_LEVEL2_CACHE_SIZE
  static const int64_t own = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (own > 0) return 16 * own;
#endif
  return int64_t(1) << 25;
}

// Whether the pages of a result have been touched. The system clears one at the first touch, in the
// cache: to store past that is slower.
bool is_touched([[maybe_unused]] const Plan& p) {
#ifdef __linux__
  int64_t middle = 0;
  for (int i = 0; i < p.ndim; ++i) middle += p.shape[i] / 2 * p.steps[0][i];
  const uintptr_t place = reinterpret_cast<uintptr_t>(p.data[0]) + static_cast<uintptr_t>(middle);
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  unsigned char is_there = 1;
  mincore(reinterpret_cast<void*>(place / page * page), 1, &is_there);
  return (is_there & 1) != 0;
#else
  return true;
#endif
}
}  // namespace

// Whether a door writes a result past the caches: a large one in long runs, which is not read.
bool is_worth_streaming(const Plan& p) {
  constexpr int64_t kLong = 1024;  // bytes of a run
  const int64_t size = p.itemsize[0];
  if (p.numel * size < stream_bytes() || p.steps[0][p.ndim - 1] != size) return false;
  for (int k = 1; k < p.num_operands; ++k) {
    if (p.data[k] == p.data[0]) return false;
  }
  const bool is_long = p.shape[p.ndim - 1] * size >= kLong;
  return is_long && kernels<CopyTable>().stream != nullptr && is_touched(p);
}
}  // namespace norch
