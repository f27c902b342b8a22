// A product of square matrices in tiles, beside the plain one on the host.
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

constexpr int kTile = 16;

__global__ void matmul(int n, const float* a, const float* b, float* c) {
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < n; first += kTile) {
    int k = first + threadIdx.x, l = first + threadIdx.y;
    tile_a[threadIdx.y][threadIdx.x] = row < n && k < n ? a[row * n + k] : 0;
    tile_b[threadIdx.y][threadIdx.x] = l < n && column < n ? b[l * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < kTile; i++) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

int main() {
  const int n = 50, blocks = (n + kTile - 1) / kTile;
  const size_t bytes = n * n * sizeof(float);
  std::vector<float> left(n * n), right(n * n), product(n * n);
  for (int i = 0; i < n * n; i++) left[i] = i % 7, right[i] = i % 5;
  float *a, *b, *c;
  CHECK(cudaMalloc(&a, bytes));
  CHECK(cudaMalloc(&b, bytes));
  CHECK(cudaMalloc(&c, bytes));
  CHECK(cudaMemcpy(a, left.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(b, right.data(), bytes, cudaMemcpyHostToDevice));
  matmul<<<dim3(blocks, blocks), dim3(kTile, kTile)>>>(n, a, b, c);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(product.data(), c, bytes, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int row = 0; row < n; row++)
    for (int column = 0; column < n; column++) {
      float sum = 0;  // whole numbers: exact in any order
      for (int k = 0; k < n; k++) sum += left[row * n + k] * right[k * n + column];
      wrong += sum != product[row * n + column];
    }
  printf("%d x %d, %d wrong\n", n, n, wrong);
  for (float* memory : {a, b, c}) CHECK(cudaFree(memory));
  return wrong != 0;
}
