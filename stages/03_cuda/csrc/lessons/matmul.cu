// lessons/matmul: the step after the two kernels of matmul.cu: a block of results for each thread,
// held in registers. Matrices are contiguous: a (m, k), b (k, n), out (m, n).

constexpr int kThreads = 16;             // the block has 16 x 16 of them
constexpr int kEach = 4;                 // a thread has 4 x 4 results
constexpr int kSide = kThreads * kEach;  // a block has 64 x 64
constexpr int kDepth = 16;

// One block: a 64 x 64 tile of out; thread (x, y): the rows y, y + 16, ... and the columns x,
// x + 16, ... of it. The tiled kernel reads two numbers from shared memory for each multiplication.
// Here a thread reads 4 + 4 numbers and multiplies each with each: 8 reads for 16 multiplications.
// And every element of a is fetched from global memory n / 64 times instead of n / 16.
extern "C" __global__ void matmul_blocked_kernel(i64 m, i64 n, i64 k, const T* a, const T* b,
                                                 T* out) {
  // A warp writes two rows of 16; the unused columns put them into banks of their own.
  __shared__ T a_tile[kDepth][kSide + 2];  // turned, so that a column of a is a row here
  __shared__ T b_tile[kDepth][kSide + kThreads];
  int x = threadIdx.x, y = threadIdx.y;
  i64 top = static_cast<i64>(blockIdx.y) * kSide, left = static_cast<i64>(blockIdx.x) * kSide;
  T sums[kEach][kEach] = {};
  for (i64 start = 0; start < k; start += kDepth) {
    for (int i = 0; i < kEach; i++) {
      i64 row = top + y + kThreads * i, column = left + x + kThreads * i;
      a_tile[x][y + kThreads * i] = row < m && start + x < k ? a[row * k + start + x] : T(0);
      b_tile[y][x + kThreads * i] =
          start + y < k && column < n ? b[(start + y) * n + column] : T(0);
    }
    __syncthreads();
    for (int q = 0; q < kDepth; q++) {
      T of_a[kEach], of_b[kEach];
      for (int i = 0; i < kEach; i++) {
        of_a[i] = a_tile[q][y + kThreads * i];
        of_b[i] = b_tile[q][x + kThreads * i];
      }
      for (int i = 0; i < kEach; i++) {
        for (int j = 0; j < kEach; j++) sums[i][j] += of_a[i] * of_b[j];
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < kEach; i++) {
    for (int j = 0; j < kEach; j++) {
      i64 row = top + y + kThreads * i, column = left + x + kThreads * j;
      if (row < m && column < n) out[row * n + column] = sums[i][j];
    }
  }
}
