// lessons/transpose: out[j][i] = x[i][j], three times. x is (rows, columns), both are contiguous.
// A warp that reads or writes 32 neighbours needs one piece of memory, 32 elements of a column need
// 32 pieces.

// One thread: one element. The warp reads a row of x, but writes a column of out.
extern "C" __global__ void transpose_naive_kernel(i64 rows, i64 columns, const T* x, T* out) {
  i64 j = static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x;
  i64 i = static_cast<i64>(blockIdx.y) * blockDim.y + threadIdx.y;
  if (i < rows && j < columns) out[j * rows + i] = x[i * columns + j];
}

// One block of 32 x 8 threads: a 32 x 32 tile. Rows are read into shared memory, and columns of it
// written as rows of out: global memory sees rows only. `width` is that of a row of the tile.
template <int width>
__device__ void transpose_tile(i64 rows, i64 columns, const T* x, T* out) {
  __shared__ T tile[kWarp][width];
  i64 left = static_cast<i64>(blockIdx.x) * kWarp, top = static_cast<i64>(blockIdx.y) * kWarp;
  for (int r = threadIdx.y; r < kWarp; r += blockDim.y) {
    i64 i = top + r, j = left + threadIdx.x;
    if (i < rows && j < columns) tile[r][threadIdx.x] = x[i * columns + j];
  }
  __syncthreads();
  for (int r = threadIdx.y; r < kWarp; r += blockDim.y) {
    i64 i = top + threadIdx.x, j = left + r;
    if (i < rows && j < columns) out[j * rows + i] = tile[threadIdx.x][r];
  }
}

// Shared memory has 32 banks of four bytes, side by side, each of which serves one thread at a
// time. The elements of a column of 32 floats lie 32 apart, all in one bank: the warp waits 32
// times.
extern "C" __global__ void transpose_tiled_kernel(i64 rows, i64 columns, const T* x, T* out) {
  transpose_tile<kWarp>(rows, columns, x, out);
}

// One element more in each row of the tile, never used: now the elements of a column lie 33 apart,
// each in a bank of its own.
extern "C" __global__ void transpose_padded_kernel(i64 rows, i64 columns, const T* x, T* out) {
  transpose_tile<kWarp + 1>(rows, columns, x, out);
}
