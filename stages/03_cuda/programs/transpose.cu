// A transpose through shared memory, whose rows are one longer than the tile: no bank twice.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

// Ends the program where a call of CUDA's failed: each of them says how it went.
#define CHECK(call)                                                          \
  do {                                                                       \
    cudaError_t error = (call);                                              \
    if (error != cudaSuccess) {                                              \
      fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error)); \
      exit(1);                                                               \
    }                                                                        \
  } while (0)

constexpr int kTile = 32;

__global__ void transpose(int rows, int columns, const float* x, float* out) {
  __shared__ float tile[kTile][kTile + 1];
  int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  if (row < rows && column < columns) tile[threadIdx.y][threadIdx.x] = x[row * columns + column];
  __syncthreads();
  row = blockIdx.x * kTile + threadIdx.y, column = blockIdx.y * kTile + threadIdx.x;
  if (row < columns && column < rows) out[row * rows + column] = tile[threadIdx.x][threadIdx.y];
}

int main() {
  const int rows = 40, columns = 70, n = rows * columns;
  std::vector<float> matrix(n), turned(n);
  for (int i = 0; i < n; i++) matrix[i] = i;
  float *x, *out;
  CHECK(cudaMalloc(&x, n * sizeof(float)));
  CHECK(cudaMalloc(&out, n * sizeof(float)));
  CHECK(cudaMemcpy(x, matrix.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  dim3 blocks((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  transpose<<<blocks, dim3(kTile, kTile)>>>(rows, columns, x, out);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(turned.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < n; i++) wrong += turned[i % columns * rows + i / columns] != matrix[i];
  printf("%d x %d, %d wrong\n", rows, columns, wrong);
  CHECK(cudaFree(x));
  CHECK(cudaFree(out));
  return wrong != 0;
}
