// Counting and searching: searchsorted, bincount, histc, nonzero. Compiled once: branches and
// scattered writes.
#pragma once

#include "core/array.h"

namespace norch {
// sorted (..., n) contiguous, values (..., m) contiguous, of one dtype; one row of `sorted` for all
// when `shared`. out: for each value, how many elements stand before it (with `right`: before or
// equal).
void searchsorted_rows(const Array& sorted, const Array& values, bool shared, bool right,
                       Array& out);
// out (bins) += 1, or the weight, for every element of index (n); out int64, float32 or float64.
void bincount_elements(const int64_t* index, int64_t n, const Array* weights, Array& out);
// out (bins) += 1 for every element of a within low ... high, in bins of equal width.
void histc_elements(const Array& a, double low, double high, Array& out);
int64_t count_true(const Array& mask);  // contiguous bool
// The indices of the true elements of a contiguous mask: out (count, ndim) int64.
void nonzero_elements(const Array& mask, Array& out);
}  // namespace norch
