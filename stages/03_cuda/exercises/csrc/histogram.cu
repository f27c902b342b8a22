// histogram: counting values, finding their place in a sorted row, listing what is not zero. T is
// the type read. All arrays are contiguous.

#include "block.h"

constexpr i64 kBins = 1024;

// Adds 1 to counts[bin_of(i)] for every i < n; -1 is no bin. If the bins are few, many threads
// would wait for one number in global memory: so each block counts in shared memory, where an
// atomic is cheap, and adds its counts up at the end. The order of additions of 1 changes nothing.
template <class F>
__device__ void count_all(i64 n, i64 bins, F bin_of, i64* counts) {
  __shared__ u32 own[kBins];
  u64* total = reinterpret_cast<u64*>(counts);
  bool few = bins <= kBins;
  // ex 3.12 begin
  if (few && threadIdx.x < bins) own[threadIdx.x] = 0;
  for (i64 i = first_element(); i <= n; i += element_step()) {
    i64 bin = bin_of(i);
    if (bin < 0) continue;
    if (few) own[bin] += 1;
    if (!few) atomicAdd(total + bin, static_cast<u64>(1));
  }
  __syncthreads();
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) {
    if (own[b] > 0) atomicAdd(total + b, static_cast<u64>(own[b]));
  }
  // ex 3.12 end
}

// One thread: its share of the values 0 <= x < size.
extern "C" __global__ void bincount_kernel(i64 n, i64 size, const i64* x, i64* counts) {
  count_all(n, size, [=](i64 i) { return x[i]; }, counts);
}

// One block: bins of out = the sum of the weights of the elements in them. Each bin reads all
// elements, and adds in the same order on every run.
extern "C" __global__ void bincount_weights_kernel(i64 bins, i64 n, const i64* x, const T* weights,
                                                   T* out) {
  for (i64 bin = blockIdx.x; bin < bins; bin += gridDim.x) {
    T sum = sum_for_all(n, [=](i64 i) { return x[i] == bin ? weights[i] : T(0); });
    if (threadIdx.x == 0) out[bin] = sum;
  }
}

// One thread: its share of the values; `bins` of the same width from low to high, the last with its
// upper end. Values beyond, and NaNs, do not count.
extern "C" __global__ void histc_kernel(i64 n, i64 bins, double low, double high, const T* x,
                                        i64* counts) {
  T first = static_cast<T>(low), last = static_cast<T>(high);
  auto bin_of = [=](i64 i) -> i64 {
    if (!(x[i] >= first && x[i] <= last)) return -1;
    T place = (x[i] - first) * static_cast<T>(bins) / (last - first);  // may overflow: no bin then
    return place < static_cast<T>(bins) ? static_cast<i64>(place) : bins - 1;
  };
  count_all(n, bins, bin_of, counts);
}

// One thread: where each of its values would be put into a sorted row of `length`: before the
// elements equal to it, or (right) behind them. Values i row_values ... belong to row i, or all to
// one row if row_values is n.
extern "C" __global__ void searchsorted_kernel(i64 n, i64 length, i64 row_values, const T* sorted,
                                               const T* values, i64 right, i64* out) {
  for (i64 i = first_element(); i < n; i += element_step()) {
    const T* row = sorted + i / row_values * length;
    T value = values[i];
    i64 begin = 0, end = length;
    while (begin < end) {  // a NaN is behind everything
      i64 middle = begin + (end - begin) / 2;
      bool reached = right ? row[middle] > value : row[middle] >= value;
      if (reached) end = middle;
      if (!reached) begin = middle + 1;
    }
    out[i] = begin;
  }
}

// One thread: writes the indices of its elements that are not zero. rank[i] counts those up to and
// including i, so everybody knows where to write: so many rows, `ndim` numbers each.
extern "C" __global__ void nonzero_kernel(i64 n, Layout shape, const T* x, const i64* rank,
                                          i64* out) {
  for (i64 i = first_element(); i < n; i += element_step()) {
    if (x[i] == T(0)) continue;
    i64* row = out + (rank[i] - 1) * shape.ndim;
    i64 rest = i;
    for (int d = static_cast<int>(shape.ndim) - 1; d >= 0; d--) {
      row[d] = rest % shape.shape[d];
      rest /= shape.shape[d];
    }
  }
}
