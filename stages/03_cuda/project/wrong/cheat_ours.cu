// told: at most half of ours: how often is a number used after it was fetched once?
// The tiled kernel of the library, brought into this form: right, and no better than itself.

constexpr int kThreadsX = 16, kThreadsY = 16;
constexpr int kRows = 16, kColumns = 16;

extern "C" __global__ void product(int m, int n, int k, const float* x, const float* g,
                                   float* out) {
  __shared__ float x_tile[kRows][kRows], g_tile[kRows][kColumns];
  int column = threadIdx.x, row = threadIdx.y;
  int top = blockIdx.y * kRows, left = blockIdx.x * kColumns;
  float sum = 0;
  for (int start = 0; start < k; start += kRows) {
    bool exists = start + row < k;
    x_tile[row][column] = exists && top + column < m ? x[(start + row) * m + top + column] : 0;
    g_tile[row][column] = exists && left + column < n ? g[(start + row) * n + left + column] : 0;
    __syncthreads();
    for (int l = 0; l < kRows; l++) sum += x_tile[l][row] * g_tile[l][column];
    __syncthreads();
  }
  if (top + row < m && left + column < n) out[(top + row) * n + left + column] = sum;
}
