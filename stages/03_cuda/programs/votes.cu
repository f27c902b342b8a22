// Counts votes: every thread adds to one of a few numbers, so the additions must be atomic.
// The numbers are a variable of the device, which the host reads by its name.
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

__device__ int votes[4];

__global__ void count(int n, const int* choice) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&votes[choice[i]], 1);
}

int main() {
  const int n = 1000;
  int choices[n], *choice, found[4];
  for (int i = 0; i < n; i++) choices[i] = i * i % 4;
  CHECK(cudaMalloc(&choice, sizeof choices));
  CHECK(cudaMemcpy(choice, choices, sizeof choices, cudaMemcpyHostToDevice));
  count<<<8, 128>>>(n, choice);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpyFromSymbol(found, votes, sizeof votes));
  printf("%d %d %d %d\n", found[0], found[1], found[2], found[3]);
  CHECK(cudaFree(choice));
  return found[0] != n / 2 || found[1] != n / 2;
}
