// Walking over the lines of arrays along one dim: line number k, in row-major order of the other
// dims, starts at at[j] elements into array j.  Kernel files only (internal linkage).
#pragma once

#include "core/array.h"
#include "core/thread_pool.h"

namespace norch {
namespace {
template <int N>
class Lines {
 public:
  int64_t at[N];      // where the current line starts, in elements from the array's own start
  int64_t stride[N];  // from one element of the line to the next
  int64_t count = 1;  // of lines

  // The lines are those of `shape` (which may be smaller than the arrays, as gather's index is).
  Lines(const Array& shape, int dim, const Array* const (&arrays)[N]) {
    for (int j = 0; j < N; ++j) {
      stride[j] = shape.ndim == 0 ? 0 : arrays[j]->strides[dim];
      at[j] = 0;
    }
    for (int i = 0; i < shape.ndim; ++i) {
      if (i == dim) continue;
      for (int j = 0; j < N; ++j) strides_[j][ndim_] = arrays[j]->strides[i];
      shape_[ndim_++] = shape.shape[i];
      count *= shape.shape[i];
    }
  }

  void seek(int64_t line) {
    for (int j = 0; j < N; ++j) at[j] = 0;
    for (int i = ndim_ - 1; i >= 0; --i) {
      index_[i] = line % shape_[i];
      line /= shape_[i];
      for (int j = 0; j < N; ++j) at[j] += index_[i] * strides_[j][i];
    }
  }

  void next() {
    for (int i = ndim_ - 1; i >= 0; --i) {
      for (int j = 0; j < N; ++j) at[j] += strides_[j][i];
      if (++index_[i] < shape_[i]) return;
      for (int j = 0; j < N; ++j) at[j] -= index_[i] * strides_[j][i];
      index_[i] = 0;
    }
  }

 private:
  int ndim_ = 0;
  int64_t shape_[kMaxDims], index_[kMaxDims], strides_[N][kMaxDims];
};

// body(line) for every line, in parallel: a walker of its own for each chunk.
template <int N, class F>
void for_each_line(const Lines<N>& lines, int64_t grain, F body) {
  parallel_for(lines.count, grain, [&](int64_t begin, int64_t end) {
    Lines<N> walker = lines;
    walker.seek(begin);
    for (int64_t line = begin; line < end; ++line, walker.next()) body(walker);
  });
}
}  // namespace
}  // namespace norch
