// Sorting and selecting along a dim. NaN is larger than every number; equal elements are taken in
// the order in which they stand. Compiled once: these loops are all branches and scattered moves.
#pragma once

#include "core/array.h"

namespace norch {
// values and indices (int64) have the shape of a.
void sort_lines(const Array& a, int dim, bool descending, Array& values, Array& indices);
// The best k of each line, in order; values and indices have size k along dim, k >= 1.
void topk_lines(const Array& a, int dim, int64_t k, bool largest, Array& values, Array& indices);
// The element of rank k (1 is the smallest); size 1 along dim. With `nan_wins`, a line that has a
// NaN gives its first one instead.
void kth_lines(const Array& a, int dim, int64_t k, bool nan_wins, Array& values, Array& indices);
// The different elements of a contiguous array, sorted: how many there are, written to the front of
// values and counts; inverse says for each element which of them it is. Every NaN is another.
int64_t unique_elements(const Array& a, Array& values, Array& inverse, Array& counts);
}  // namespace norch
