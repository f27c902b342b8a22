//: managed_memory
//: The rows lie in managed memory, which host and device both reach, so nothing is copied by hand. A
//: GPU then moves pages when somebody asks for them: less to write, and mostly slower than a copy.
#include <cstdlib>
#include <iostream>

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::cerr << cudaGetErrorString(error) << "\n";
  std::exit(1);
}

__global__ void add(int n, const float* x, const float* y, float* sums) {
  const int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) sums[i] = x[i] + y[i];
}

int main(int count, char** words) {
  if (count < 3) return 2;
  const int n = std::atoi(words[1]), block = std::atoi(words[2]);
  if (n == 0) return 0;
  float* rows[3];
  for (float*& row : rows) check(cudaMallocManaged(&row, n * sizeof(float)));
  for (int i = 0; i < n; i++) {
    rows[0][i] = i;
    rows[1][i] = 2 * i;
  }
  add<<<(n - 1) / block + 1, block>>>(n, rows[0], rows[1], rows[2]);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) std::cout << rows[2][i] << "\n";
  for (float* row : rows) check(cudaFree(row));
}
