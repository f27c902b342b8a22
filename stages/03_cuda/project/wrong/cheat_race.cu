// told: no __syncthreads() lies between them
// No barrier after a tile was used: a quick thread fills it again.

constexpr int kThreadsX = 16, kThreadsY = 16;
constexpr int kRows = 64, kColumns = 64;
constexpr int kDepth = 16;
constexpr int kEach = 4;

// Fetch kDepth rows of 64 numbers from column `left` on; what lies outside the matrix is 0.
__device__ void fetch(float (*tile)[kRows], const float* from, int top, int left, int rows,
                      int columns) {
  int thread = threadIdx.y * kThreadsX + threadIdx.x;
  for (int at = thread; at < kDepth * kRows; at += kThreadsX * kThreadsY) {
    int row = at / kRows, column = at % kRows;
    bool inside = top + row < rows && left + column < columns;
    tile[row][column] = inside ? from[(top + row) * columns + left + column] : 0;
  }
}

extern "C" __global__ void product(int m, int n, int k, const float* x, const float* g,
                                   float* out) {
  __shared__ float x_tile[kDepth][kRows];
  __shared__ float g_tile[kDepth][kColumns];
  int top = blockIdx.y * kRows, left = blockIdx.x * kColumns;
  float sums[kEach][kEach] = {};
  for (int start = 0; start < k; start += kDepth) {
    fetch(x_tile, x, start, top, k, m);
    fetch(g_tile, g, start, left, k, n);
    __syncthreads();
    for (int l = 0; l < kDepth; l++) {
      float of_x[kEach], of_g[kEach];
      for (int e = 0; e < kEach; e++) {
        of_x[e] = x_tile[l][threadIdx.y + kThreadsY * e];
        of_g[e] = g_tile[l][threadIdx.x + kThreadsX * e];
      }
      for (int r = 0; r < kEach; r++) {
        for (int c = 0; c < kEach; c++) sums[r][c] += of_x[r] * of_g[c];
      }
    }
  }
  for (int r = 0; r < kEach; r++) {
    for (int c = 0; c < kEach; c++) {
      int i = top + threadIdx.y + kThreadsY * r, j = left + threadIdx.x + kThreadsX * c;
      if (i < m && j < n) out[i * n + j] = sums[r][c];
    }
  }
}
