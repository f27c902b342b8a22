// Reductions as tables of folds, indexed by operation and dtype; halves give float32 results. A
// fold keeps accumulators of its own size and type; the driver (ops/reduce.cpp) owns their memory
// and decides the order, and the order depends on the shape alone, never on the number of threads.
#pragma once

#include "core/isa.h"
#include "core/plan.h"

namespace norch {
enum class ReduceOp { kSum, kMean, kProd, kAmax, kAmin, kAny, kAll, kVar, kStd, kArgmax, kArgmin };
inline constexpr int kNumReduceOps = 11;

// Context of `across`: accumulator j takes the element j * step bytes after the row's.
struct Across {
  char* accumulators;
  int64_t step;
  int64_t n;
};

struct Fold {
  int64_t accumulator_bytes;
  // n accumulators; the elements folded in next are number `begin` and on of the reduction.
  void (*init)(char* accumulators, int64_t n, int64_t begin);
  RowFn along;   // a row into one accumulator (context)
  RowFn across;  // a row of lines into n accumulators (context: Across)
  void (*merge)(char* accumulators, const char* others, int64_t n);
  // Writes n results: out[0] the result, out[1] the extreme's value for kArgmax and kArgmin (or
  // null). `param`: the count for kMean, the correction for kVar and kStd.
  void (*finish)(const char* accumulators, int64_t n, char* const* out, double param);
};

struct ReduceTable {
  Fold fold[kNumReduceOps][kNumDTypes];
  RowFn cumsum[kNumDTypes];         // out, a: one line
  RowFn cumsum_across[kNumDTypes];  // out, a: rows of lines side by side (context: Across)
};
}  // namespace norch
