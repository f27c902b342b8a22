// walk() for a row whose operands are stored in other dtypes: each block of a row is converted on
// its way in and out, in a buffer that stays in the cache. No array is copied.
#pragma once

#include "core/dtype.h"
#include "core/plan.h"

namespace norch {

// Operand k of the plan is stored as stored[k]; the row reads and writes it as computed[k].
void walk_converting(const Plan& plan, const DType* stored, const DType* computed, RowFn row,
                     const void* context, int64_t grain);

}  // namespace norch
