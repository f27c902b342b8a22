// Doors of the copying operations: check, allocate, then run a kernel. Used by every other family
// to bring its inputs into the type and layout its kernel wants.
#pragma once

#include "core/plan.h"

namespace norch {
Array contiguous(const Array& a);         // shares the storage when there is nothing to do
Array clone(const Array& a);              // always new memory, row-major
Array cast(const Array& a, DType dtype);  // shares the storage when the dtype is right already
// cast, then contiguous, in one pass.
Array contiguous_as(const Array& a, DType dtype);

// destination[i] = source[i], casting; equal shapes. Right when the two overlap in memory. Does not
// check for read-only memory or bump the version: begin_write is the caller's.
void copy_elements(Array& destination, const Array& source);
void fill_elements(Array& destination, const Scalar& value, const char* op);

Array full(const Dims& shape, const Scalar& value, DType dtype);
Array arange(const Scalar& start, const Scalar& end, const Scalar& step, DType dtype);
Array cat(const Array* const* arrays, int64_t count, int64_t dim);
// As cat, of arrays of one shape along a new dimension.
Array stack(const Array* const* arrays, int64_t count, int64_t dim);

// walk() for a row whose operands are stored in other dtypes: each block of a row is converted on
// its way in and out, in a buffer that stays in the cache. No array is copied. Operand k of the
// plan is stored as stored[k]; the row reads and writes it as computed[k]. A large result is stored
// past the caches in the same blocks, so with the same bits (ops/stream.h).
void walk_converting(const Plan& plan, const DType* stored, const DType* computed, RowFn row,
                     const void* context, int64_t grain);

// An operand that may be left out: `a` contiguous, and float32 instead of a half; null where it was
// not given.
struct Optional {
  Array array;
  const Array* get = nullptr;
  explicit Optional(const Array* a) {
    if (a == nullptr) return;
    array = contiguous_as(*a, compute_type(a->dtype));
    get = &array;
  }
  Optional(const Optional&) = delete;
};
}  // namespace norch
