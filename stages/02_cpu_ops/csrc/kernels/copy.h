// Rows that move elements: casts between every pair of types, and fills.
#pragma once

#include "core/isa.h"
#include "core/plan.h"

namespace norch {
struct CopyTable {
  // row[to][from]: operand 0 is written, operand 1 is read.
  RowFn row[kNumDTypes][kNumDTypes];
  // fill[dtype]: operand 0 is written; context points at one element of that dtype.
  RowFn fill[kNumDTypes];
  // As row of one dtype, packed and past the caches; null where the set has no such store.
  RowFn stream;
};
}  // namespace norch
