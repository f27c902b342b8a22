// A whole program, from an empty file: adds two rows on the device, and looks at every error.
// ex 3.15 begin
#include <stdio.h>
#include <stdlib.h>

#include <vector>

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  exit(1);
}

__global__ void add(int n, const float* x, const float* y, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}

int main(int, char** arguments) {
  const int n = atoi(arguments[1]), threads = atoi(arguments[2]);
  const size_t bytes = n * sizeof(float);
  std::vector<float> first(n), second(n), sums(n);
  for (int i = 0; i < n; i++) first[i] = i, second[i] = 2 * i;
  float *x, *y, *out;
  check(cudaMalloc(&x, bytes));
  check(cudaMalloc(&y, bytes));
  check(cudaMalloc(&out, bytes));
  check(cudaMemcpy(x, first.data(), bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(y, second.data(), bytes, cudaMemcpyHostToDevice));
  if (n > 0) add<<<(n + threads - 1) / threads, threads>>>(n, x, y, out);
  check(cudaGetLastError());
  check(cudaMemcpy(sums.data(), out, bytes, cudaMemcpyDeviceToHost));
  check(cudaFree(x));
  check(cudaFree(y));
  check(cudaFree(out));
  for (float sum : sums) printf("%g ", sum);
  printf("\n");
}
// ex 3.15 end
