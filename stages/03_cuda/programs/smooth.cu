// Debug this: each number of a row becomes the mean of itself and of its two neighbours.
// ex 3.17 begin
#include <stdio.h>
#include <stdlib.h>

#include <vector>

__global__ void smooth(int n, const float* x, float* out) {
  extern __shared__ float tile[];  // the block's numbers, and a neighbour at each end
  int i = blockIdx.x * blockDim.x + threadIdx.x, place = threadIdx.x + 1;
  if (i < n) tile[place] = x[i];
  if (threadIdx.x == 0) tile[0] = i > 0 ? x[i - 1] : 0;
  if (i == n - 1 || threadIdx.x == blockDim.x - 1) tile[place + 1] = i + 1 < n ? x[i + 1] : 0;
  __syncthreads();
  if (i < n) out[i] = (tile[place - 1] + tile[place] + tile[place + 1]) / 3;
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = 64;
  const size_t bytes = n * sizeof(float);
  std::vector<float> row(n);
  for (int i = 0; i < n; i++) row[i] = 3 * (i % 10);
  float *x, *out;
  cudaMalloc(&x, bytes);
  cudaMalloc(&out, bytes);
  cudaMemcpy(x, row.data(), bytes, cudaMemcpyHostToDevice);
  const int blocks = (n + threads - 1) / threads;
  smooth<<<blocks, threads, (threads + 2) * sizeof(float)>>>(n, x, out);
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) {
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    return 1;
  }
  cudaMemcpy(row.data(), out, bytes, cudaMemcpyDeviceToHost);
  for (float number : row) printf("%g ", number);
  printf("\n");
  cudaFree(x);
  cudaFree(out);
}
// ex 3.17 end
