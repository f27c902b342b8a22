// Turns each piece of a row around: the threads of a block exchange their numbers.
// The size of the shared memory is the third number of the launch.
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

__global__ void mirror(int* x) {
  extern __shared__ int tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = x[i];
  __syncthreads();  // all of the block have put their number in
  x[i] = tile[blockDim.x - 1 - threadIdx.x];
}

int main() {
  const int threads = 8, n = 3 * threads;
  int row[n], *x;
  for (int i = 0; i < n; i++) row[i] = i;
  CHECK(cudaMalloc(&x, sizeof row));
  CHECK(cudaMemcpy(x, row, sizeof row, cudaMemcpyHostToDevice));
  mirror<<<n / threads, threads, threads * sizeof(int)>>>(x);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(row, x, sizeof row, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) printf("%d%c", row[i], i % threads == threads - 1 ? '\n' : ' ');
  CHECK(cudaFree(x));
}
