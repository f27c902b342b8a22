// The one loop over strides. A plan takes N operands of one shape, drops and merges dimensions
// whose strides continue each other, and walk() runs it as "outer walk + inner row": the kernel
// only ever sees a row, as pointers, byte steps and a length. Every strided kernel of the engine
// goes through here.
#pragma once

#include <cstdint>

#include "core/array.h"

namespace norch {
inline constexpr int kMaxOperands = 5;  // an Adam step with a running maximum has the most
// Bytes of a row for which a kernel may choose its form. Who cuts a row cuts it at a multiple of
// these, so that no cut changes a bit. As much of each operand stays in the nearest cache.
inline constexpr int64_t kPieceBytes = 2048;

// One row: `n` elements of each operand, the k-th starting at data[k], `step[k]` bytes apart.
// `context` is whatever the kernel's caller passed along (a scalar, a bound).
using RowFn = void (*)(char* const* data, const int64_t* step, int64_t n, const void* context);

struct Plan {
  int num_operands = 0;
  int ndim = 0;  // after merging; 1 at least
  int64_t numel = 0;
  int64_t shape[kMaxDims];
  int64_t steps[kMaxOperands][kMaxDims];  // in bytes
  char* data[kMaxOperands];
  int itemsize[kMaxOperands];
  bool streams = false;  // the row stores past the caches, and walk() waits for them
};

// Operand 0 decides the order of the loops (it is the one written). All shapes must be equal.
Plan make_plan(const Array* const* operands, int num_operands);
// Makes one element the k-th operand: it stands still while the others move.
void insert_single(Plan& plan, int k, char* element);

// The whole plan, in parallel when it is long enough. `grain`: elements worth a chunk of their own.
void walk(const Plan& plan, RowFn row, const void* context, int64_t grain = 1 << 15);
// Elements begin..end of the plan, on this thread.
void walk_range(const Plan& plan, RowFn row, const void* context, int64_t begin, int64_t end);
}  // namespace norch
