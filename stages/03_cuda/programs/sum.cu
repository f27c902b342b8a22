// Sums a row: each warp by shuffles, each block through shared memory, all blocks by one atomic.
#include <stdio.h>
#include <stdlib.h>

// Ends the program where a call of CUDA's failed: each of them says how it went.
#define CHECK(call)                                                          \
  do {                                                                       \
    cudaError_t error = (call);                                              \
    if (error != cudaSuccess) {                                              \
      fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error)); \
      exit(1);                                                               \
    }                                                                        \
  } while (0)

__device__ float sum_of_warp(float value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(0xffffffff, value, distance);
  return value;  // right in lane 0
}

__global__ void sum(int n, const float* x, float* total) {
  __shared__ float of_warp[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float value = sum_of_warp(i < n ? x[i] : 0);  // nobody returns early: all lanes shuffle
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp > 0) return;
  value = sum_of_warp(lane < blockDim.x / 32 ? of_warp[lane] : 0);
  if (lane == 0) atomicAdd(total, value);
}

int main() {
  const int n = 5000, threads = 256;
  float* numbers = new float[n];
  for (int i = 0; i < n; i++) numbers[i] = i % 10;
  float *x, *total, found;
  CHECK(cudaMalloc(&x, n * sizeof(float)));
  CHECK(cudaMalloc(&total, sizeof(float)));
  CHECK(cudaMemcpy(x, numbers, n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(total, 0, sizeof(float)));
  sum<<<(n + threads - 1) / threads, threads>>>(n, x, total);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&found, total, sizeof(float), cudaMemcpyDeviceToHost));
  printf("%g\n", found);
  CHECK(cudaFree(x));
  CHECK(cudaFree(total));
  delete[] numbers;
  return found != 4.5f * n;
}
