// Grids that wait, kernels by pointer, and launches of kernels: prints what each leaves.
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__device__ int total;
__constant__ int weights[4];

// Each round adds up what all blocks have left in the round before.
__global__ void rounds(int* values, int* next, int times) {
  cg::grid_group grid = cg::this_grid();
  int i = static_cast<int>(grid.thread_rank()), n = static_cast<int>(grid.size());
  for (int round = 0; round < times; round++) {
    int sum = 0;
    for (int k = 0; k < n; k++) sum += values[k];
    next[i] = sum % 1000;
    grid.sync();
    int* other = values;
    values = next, next = other;
  }
}

template <int kFactor>
__global__ void scale(int* values, int n, int shift) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = kFactor * values[i] + shift;
}

__global__ void add_weights(int* values) {
  atomicAdd(&total, values[threadIdx.x] * weights[threadIdx.x]);
}

__global__ void parent(int* values) {
  if (threadIdx.x == 0) scale<10><<<1, 4>>>(values, 4, 1);
}

int main() {
  int host[64], *values, *next, times = 3, n = 4, shift = 5;
  cudaMalloc(&values, sizeof host);
  cudaMalloc(&next, sizeof host);
  for (int i = 0; i < 64; i++) host[i] = i;
  cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice);
  void* given[] = {&values, &next, &times};
  cudaLaunchCooperativeKernel((void*)rounds, 16, 4, given);
  cudaMemcpy(host, next, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("rounds %d\n", host[5]);

  for (int i = 0; i < 4; i++) host[i] = i;
  cudaMemcpy(values, host, 16, cudaMemcpyHostToDevice);
  void* more[] = {&values, &n, &shift};
  cudaLaunchKernel((const void*)scale<2>, dim3(1), dim3(4), more, 0, nullptr);
  void (*by_pointer)(int*, int, int) = scale<3>;
  by_pointer<<<1, 4>>>(values, n, 0);
  parent<<<1, 32>>>(values);
  cudaMemcpy(host, values, 16, cudaMemcpyDeviceToHost);
  std::printf("scaled %d %d %d %d\n", host[0], host[1], host[2], host[3]);

  int table[4] = {1, 10, 100, 1000}, sum = 0;
  cudaMemcpyToSymbol(weights, table, sizeof table);
  cudaMemcpyToSymbol(total, &sum, sizeof sum);
  add_weights<<<1, 4>>>(values);
  cudaMemcpyFromSymbol(&sum, total, sizeof sum);
  std::printf("symbols %d\n", sum);
  cudaFree(values);
  cudaFree(next);
  return cudaGetLastError();
}
