// y = a x + y, with far fewer threads than numbers: each thread takes a share.
// Managed memory is one address for host and device; the host must wait before it reads.
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

__global__ void saxpy(int n, float a, const float* x, float* y) {
  int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) y[i] += a * x[i];
}

int main() {
  const int n = 10000;
  float *x, *y;
  CHECK(cudaMallocManaged(&x, n * sizeof(float)));
  CHECK(cudaMallocManaged(&y, n * sizeof(float)));
  for (int i = 0; i < n; i++) x[i] = i, y[i] = 1;
  saxpy<<<4, 64>>>(n, 0.5f, x, y);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());  // a launch returns at once
  int wrong = 0;
  for (int i = 0; i < n; i++) wrong += y[i] != 0.5f * i + 1;
  printf("%d numbers, 256 threads, %d wrong\n", n, wrong);
  CHECK(cudaFree(x));
  CHECK(cudaFree(y));
  return wrong != 0;
}
