// Folding one number of each thread of a block into one, and the types in which folds accumulate.
// Used by the kernels in which a block shares a line: reduce.cu, softmax.cu, normalization.cu ...
#pragma once

#include "kernel.h"

// A sum of floats that keeps what rounding takes from it (compensated summation), as exact as one
// in double, of which many GPUs add one in the time of 32 or 64 floats.
struct CompensatedSum {
  float value, rest;
  float far;  // 2^-32 of what was too large for a float: it may yet be taken away again
  CompensatedSum() = default;
  __device__ CompensatedSum(float value_, float rest_ = 0, float far_ = 0)
      : value(value_), rest(rest_), far(far_) {}
  __device__ explicit operator float() const {
    float near = value + rest;
    return far == 0 ? near : (far + near * 0x1p-32f) * 0x1p32f;
  }
  __device__ explicit operator double() const { return far * 0x1p32 + value + rest; }
};
__device__ inline CompensatedSum operator+(CompensatedSum a, CompensatedSum b) {
  float sum = a.value + b.value, of_b = sum - a.value;
  float rest = a.rest + b.rest, far = a.far + b.far;
  if (!isfinite(sum)) return {0, rest, far + (a.value * 0x1p-32f + b.value * 0x1p-32f)};
  return {sum, rest + ((a.value - (sum - of_b)) + (b.value - of_b)), far};
}
#ifndef NORCH_SIMULATOR  // there lanes exchange any type
__device__ inline CompensatedSum __shfl_xor_sync(u32 mask, CompensatedSum x, int lanes) {
  return {__shfl_xor_sync(mask, x.value, lanes), __shfl_xor_sync(mask, x.rest, lanes),
          __shfl_xor_sync(mask, x.far, lanes)};
}
#endif

// The accumulate type, in which running sums and products are kept, the one in which a block adds
// up a line, and the type of the result: double for float, 64 bits for whole numbers.
template <class N>
struct Accumulate {
  using type = i64;
  using sum = i64;
  using result = i64;
};
template <>
struct Accumulate<float> {
  using type = double;
  using sum = CompensatedSum;
  using result = float;
};
template <>
struct Accumulate<double> {
  using type = double;
  using sum = double;
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
