// Folding one number of each thread of a block into one, and the type in which a fold accumulates.
// Used by the kernels in which a block shares a line: reduce.cu, softmax.cu, normalization.cu ...
#pragma once

#include "kernel.h"

// The accumulate type, in which running sums and products are kept, and the type of the result:
// float adds in double, whole numbers in 64 bits.
template <class N>
struct Accumulate {
  using type = i64;
  using result = i64;
};
template <>
struct Accumulate<float> {
  using type = double;
  using result = float;
};
template <>
struct Accumulate<double> {
  using type = double;
  using result = double;
};

// Adds (or takes the largest of) one value a thread; blockDim.x is a multiple of 32.
template <class V, class Fold>
__device__ V fold_for_all(V value, Fold fold) {
  __shared__ V of_warp[kWarp];
  int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp, num_warps = blockDim.x / kWarp;
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value = fold(value, __shfl_xor_sync(kAllLanes, value, distance));
  }
  __syncthreads();  // the previous fold has been read
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  V result = of_warp[0];
  for (int w = 1; w < num_warps; w++) result = fold(result, of_warp[w]);
  return result;
}

// The sum of f(0) ... f(length - 1), shared out among the threads of the block.
template <class F>
__device__ auto sum_for_all(i64 length, F f) -> decltype(f(i64(0))) {
  decltype(f(i64(0))) sum = 0;
  for (i64 j = threadIdx.x; j < length; j += blockDim.x) sum = sum + f(j);
  return fold_for_all(sum, [](decltype(sum) a, decltype(sum) b) { return a + b; });
}
