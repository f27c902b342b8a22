// Doubles a row of numbers: a thread for each of them.
// The whole way of a CUDA program: memory of the device, a copy there, a launch, a copy back.
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

__global__ void twice(int n, const float* x, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * x[i];
}

int main() {
  const int n = 10;
  float numbers[n], doubled[n];
  for (int i = 0; i < n; i++) numbers[i] = i;
  float *x, *out;
  CHECK(cudaMalloc(&x, sizeof numbers));
  CHECK(cudaMalloc(&out, sizeof doubled));
  CHECK(cudaMemcpy(x, numbers, sizeof numbers, cudaMemcpyHostToDevice));
  twice<<<3, 4>>>(n, x, out);
  CHECK(cudaGetLastError());  // was the launch itself allowed?
  CHECK(cudaMemcpy(doubled, out, sizeof doubled, cudaMemcpyDeviceToHost));  // waits for the kernel
  for (int i = 0; i < n; i++) printf("%g ", doubled[i]);
  printf("\n");
  CHECK(cudaFree(x));
  CHECK(cudaFree(out));
}
