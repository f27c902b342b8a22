// sort: short lines in order (radix.cu has the long ones), and what is read off a sorted line. T is
// any type of number.
//
// A bitonic network sorts 2^k entries in k (k + 1) / 2 rounds. In each round every entry meets one
// partner, at a distance that does not depend on the values, and the two are put in order: so all
// pairs of a round can be handled at once. Behind an entry's value stands its place in the line;
// equal values are ordered by place, so the result is the same on every run.

constexpr i64 kShared = 1024;  // the longest line

// Does entry (a, i) stand before (b, j)? A NaN is larger than all numbers. Places from `length` on
// are padding, behind everything.
__device__ inline bool before(T a, i64 i, T b, i64 j, i64 length, bool descending) {
  if (i >= length || j >= length) return i < j;
  bool a_nan = a != a, b_nan = b != b;
  if (a_nan != b_nan) return a_nan == descending;
  if (a == b || a_nan) return i < j;
  return descending ? a > b : a < b;
}

// The threads of the block sort `padded` entries, a power of two. Runs of `size` entries are sorted
// upwards and downwards in turn: then two of them together rise and fall once (they are bitonic),
// and log2(size) rounds of halving distance sort such a run.
__device__ inline void sort_entries(T* values, i64* places, i64 length, i64 padded,
                                    bool descending) {
  // ex 3.13 begin
  for (i64 size = 2; size <= padded; size *= 2) {
    for (i64 distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (i64 pair = threadIdx.x; pair < padded / 2; pair += blockDim.x) {
        i64 i = 2 * pair - (pair & (distance - 1)), j = i + distance;
        bool upwards = (i & size) == 0;
        T a = values[i], b = values[j];
        i64 p = places[i], q = places[j];
        if (before(b, q, a, p, length, descending) != upwards) continue;
        values[i] = b, values[j] = a;
        places[i] = q, places[j] = p;
      }
    }
  }
  __syncthreads();
  // ex 3.13 end
}

// One block: one line after another, in shared memory.
extern "C" __global__ void sort_kernel(i64 lines, i64 length, i64 padded, Layout outer, i64 step,
                                       const T* x, i64 descending, Layout outer_out, i64 step_out,
                                       T* out, i64* indices) {
  __shared__ T values[kShared];
  __shared__ i64 places[kShared];
  for (i64 line = blockIdx.x; line < lines; line += gridDim.x) {
    const T* from = x + at(outer, line);
    i64 to = at(outer_out, line);
    for (i64 i = threadIdx.x; i < padded; i += blockDim.x) {
      values[i] = i < length ? from[i * step] : T(0);
      places[i] = i;
    }
    sort_entries(values, places, length, padded, descending != 0);
    for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
      out[to + i * step_out] = values[i];
      indices[to + i * step_out] = places[i];
    }
  }
}

// One thread: the lower median of sorted lines (n, length), or the first NaN if there is one. The
// NaNs stand last, in the order of their places.
extern "C" __global__ void median_kernel(i64 n, i64 length, const T* sorted, const i64* places,
                                         T* out, i64* indices) {
  for (i64 line = first_element(); line < n; line += element_step()) {
    const T* values = sorted + line * length;
    i64 k = (length - 1) / 2, last = length - 1;
    if (values[last] != values[last]) {
      for (k = last; k > 0 && values[k - 1] != values[k - 1]; k--) continue;
    }
    out[line] = values[k];
    indices[line] = places[line * length + k];
  }
}

// One thread: starts[i] = 1 where a new value begins in a sorted line. Their running sum numbers
// the values, from 1. (A NaN equals nothing: each is new.)
extern "C" __global__ void starts_kernel(i64 n, const T* sorted, i64* starts) {
  for (i64 i = first_element(); i < n; i += element_step()) {
    starts[i] = i == 0 || sorted[i] != sorted[i - 1] ? 1 : 0;
  }
}

// One thread: entries of a sorted line tell their value's number to the place they came from.
extern "C" __global__ void unique_kernel(i64 n, const T* sorted, const i64* places,
                                         const i64* numbers, T* values, i64* inverse, i64* counts) {
  for (i64 i = first_element(); i < n; i += element_step()) {
    i64 number = numbers[i] - 1;
    inverse[places[i]] = number;
    if (i == 0 || numbers[i - 1] != numbers[i]) values[number] = sorted[i];
    atomicAdd(reinterpret_cast<u64*>(counts + number), static_cast<u64>(1));
  }
}
