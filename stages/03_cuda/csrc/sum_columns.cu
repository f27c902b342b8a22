// sum_columns: the sums of lines that lie side by side, as the columns of a matrix do. T is float
// or double.
//
// reduce.cu gives a whole block one line. Down a column its warps would fetch 32 bytes for every
// number that they use; here 32 neighbouring columns share what is fetched.

#include "block.h"

using Sum = Accumulate<T>::type;

constexpr int kShares = 8;  // rows of threads, each with a share of every column

// One block of 32 x 8 threads: 32 columns, from `first` on. Column c begins at at(outer, c), and
// its element i lies at(inner, i) further.
extern "C" __global__ void sum_columns_kernel(i64 columns, i64 length, Layout outer, Layout inner,
                                              const T* x, T* out) {
  __shared__ Sum parts[kShares][kWarp];
  int lane = threadIdx.x, share = threadIdx.y;
  for (i64 first = static_cast<i64>(blockIdx.x) * kWarp; first < columns;
       first += static_cast<i64>(gridDim.x) * kWarp) {
    // ex 3.8 begin
    i64 column = first + lane;
    Sum sum = 0;
    for (i64 i = share; column < columns && i < length; i += kShares) {
      sum += x[at(outer, column) + at(inner, i)];
    }
    __syncthreads();  // the parts of the previous columns have been read
    parts[share][lane] = sum;
    __syncthreads();
    if (share > 0 || column >= columns) continue;
    for (int other = 1; other < kShares; other++) sum += parts[other][lane];
    out[column] = static_cast<T>(sum);
    // ex 3.8 end
  }
}
