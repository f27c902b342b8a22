// A whole program, from an empty file: a histogram of pieces that streams copy and count.
// ex 3.16 begin
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>

constexpr int kDigits = 10, kStreams = 2, kPieces = 4, kThreads = 128;

__global__ void count(int n, const int* x, int* counts) {
  __shared__ int of_block[kDigits];
  if (threadIdx.x < kDigits) of_block[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&of_block[x[i] % kDigits], 1);
  __syncthreads();
  if (threadIdx.x < kDigits) atomicAdd(&counts[threadIdx.x], of_block[threadIdx.x]);
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), most = (n + kPieces - 1) / kPieces;
  int *squares, *found, *counts, *x[kStreams];
  cudaStream_t streams[kStreams];
  cudaMallocHost(&squares, n * sizeof(int));
  cudaMallocHost(&found, kDigits * sizeof(int));
  cudaMalloc(&counts, kDigits * sizeof(int));
  cudaMemset(counts, 0, kDigits * sizeof(int));
  for (int i = 0; i < n; i++) squares[i] = i * i;
  for (int s = 0; s < kStreams; s++) {
    cudaStreamCreate(&streams[s]);
    cudaMalloc(&x[s], most * sizeof(int));
  }
  for (int first = 0, s = 0; first < n; first += most, s = (s + 1) % kStreams) {
    int size = std::min(most, n - first);
    cudaMemcpyAsync(x[s], squares + first, size * sizeof(int), cudaMemcpyHostToDevice, streams[s]);
    count<<<(size + kThreads - 1) / kThreads, kThreads, 0, streams[s]>>>(size, x[s], counts);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(found, counts, kDigits * sizeof(int), cudaMemcpyDeviceToHost);
  for (int digit = 0; digit < kDigits; digit++) printf("%d ", found[digit]);
  printf("\n");
  for (int s = 0; s < kStreams; s++) {
    cudaStreamDestroy(streams[s]);
    cudaFree(x[s]);
  }
  cudaFree(counts);
  cudaFreeHost(found);
  cudaFreeHost(squares);
}
// ex 3.16 end
