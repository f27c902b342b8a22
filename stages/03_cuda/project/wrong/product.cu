// The gradient of a weight: out = x^T g, so out[i, j] = sum over l of x[l, i] g[l, j].
//
// x is (k, m), g (k, n), out (m, n), all contiguous. The whole file is yours, also the four
// numbers: a block has kThreadsX x kThreadsY threads and makes kRows x kColumns elements of out;
// block (x, y) of the grid begins at row y * kRows, column x * kColumns. README.md has the task.

constexpr int kThreadsX = 16, kThreadsY = 16;
constexpr int kRows = 16, kColumns = 16;

extern "C" __global__ void product(int m, int n, int k, const float* x, const float* g,
                                   float* out) {
  int i = blockIdx.y * kRows + threadIdx.y, j = blockIdx.x * kColumns + threadIdx.x;
  if (i >= m || j >= n) return;
  float sum = 0;
  for (int l = 0; l < k; l++) sum += x[l * m + i] * g[l * n + j];
  out[i * n + j] = sum;
}
