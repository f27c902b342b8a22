// The softmax of each row, a warp for a row: a fold for the largest, a fold for the sum.
// Two events around the launch measure it, as they would on a card.
#include <math.h>
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

__global__ void softmax(int rows, int columns, float* x) {
  int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= rows) return;  // a whole warp leaves, or none of it
  float *line = x + row * columns, largest = -INFINITY, sum = 0;
  for (int i = lane; i < columns; i += 32) largest = fmaxf(largest, line[i]);
  for (int mask = 16; mask > 0; mask /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, mask));
  for (int i = lane; i < columns; i += 32) sum += line[i] = expf(line[i] - largest);
  for (int mask = 16; mask > 0; mask /= 2) sum += __shfl_xor_sync(0xffffffff, sum, mask);
  for (int i = lane; i < columns; i += 32) line[i] /= sum;
}

int main() {
  const int rows = 6, columns = 100;
  float numbers[rows * columns], *x, milliseconds;
  for (int i = 0; i < rows * columns; i++) numbers[i] = i % 13;
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaMalloc(&x, sizeof numbers));
  CHECK(cudaMemcpy(x, numbers, sizeof numbers, cudaMemcpyHostToDevice));
  CHECK(cudaEventRecord(start));
  softmax<<<2, 128>>>(rows, columns, x);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  CHECK(cudaMemcpy(numbers, x, sizeof numbers, cudaMemcpyDeviceToHost));
  float worst = 0;
  for (int row = 0; row < rows; row++) {
    float sum = 0;
    for (int i = 0; i < columns; i++) sum += numbers[row * columns + i];
    worst = fmaxf(worst, fabsf(sum - 1));
  }
  printf("each row adds up to 1: %s\n", worst < 1e-5f ? "yes" : "no");
  CHECK(cudaFree(x));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  return worst >= 1e-5f || milliseconds < 0;
}
