// The sum of all numbers up to each place. A block needs what the blocks before it have found:
// one launch for each block's own sums, one for the sums of whole blocks, one that adds them.
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

// Each block's own running sums, in place, and in `totals` the sum of the whole block.
__global__ void scan(int n, int* x, int* totals) {
  extern __shared__ int sums[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int own = i < n ? x[i] : 0;
  for (int distance = 1; distance < blockDim.x; distance *= 2) {
    sums[threadIdx.x] = own;
    __syncthreads();
    if (threadIdx.x >= distance) own += sums[threadIdx.x - distance];
    __syncthreads();  // nobody writes the next round's sums while somebody reads this round's
  }
  if (i < n) x[i] = own;
  if (totals && threadIdx.x == blockDim.x - 1) totals[blockIdx.x] = own;
}

__global__ void add_blocks_before(int n, int* x, const int* totals) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && blockIdx.x > 0) x[i] += totals[blockIdx.x - 1];
}

int main() {
  const int n = 1000, threads = 64, blocks = (n + threads - 1) / threads;
  int numbers[n], *x, *totals, wrong = 0;
  for (int i = 0; i < n; i++) numbers[i] = 1;
  CHECK(cudaMalloc(&x, sizeof numbers));
  CHECK(cudaMalloc(&totals, blocks * sizeof(int)));
  CHECK(cudaMemcpy(x, numbers, sizeof numbers, cudaMemcpyHostToDevice));
  scan<<<blocks, threads, threads * sizeof(int)>>>(n, x, totals);
  scan<<<1, threads, threads * sizeof(int)>>>(blocks, totals, nullptr);
  add_blocks_before<<<blocks, threads>>>(n, x, totals);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(numbers, x, sizeof numbers, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) wrong += numbers[i] != i + 1;
  printf("the last is %d, %d wrong\n", numbers[n - 1], wrong);
  CHECK(cudaFree(x));
  CHECK(cudaFree(totals));
  return wrong != 0;
}
