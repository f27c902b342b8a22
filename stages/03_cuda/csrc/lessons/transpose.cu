// lessons/transpose: out[j][i] = x[i][j], three times. x is (rows, columns), both are contiguous.
// A warp that reads or writes 32 neighbours needs one piece of memory, 32 elements of a column need
// 32 pieces.

// One thread: one element. The warp reads a row of x, but writes a column of out.
extern "C" __global__ void transpose_naive_kernel(i64 rows, i64 columns, const T* x, T* out) {
  i64 j = static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x;
  i64 i = static_cast<i64>(blockIdx.y) * blockDim.y + threadIdx.y;
  if (i < rows && j < columns) out[j * rows + i] = x[i * columns + j];
}

// Shared memory has 32 banks of four bytes, side by side, each of which serves one word at a time.
// If the rows of a tile of 32 x 32 floats follow each other, the elements of a column lie 32 apart,
// all in one bank: a warp that reads a column waits 32 times. Here the elements of a row have banks
// of their own, and so have those of a column. The tile has room for 32 x 33 elements.
__device__ inline int place_in_own_bank(int row, int column) {
  // ex 3.9 begin
  return row * (kWarp + 1) + column;
  // ex 3.9 end
}

// One block of 32 x 8 threads: a 32 x 32 tile. Rows are read into shared memory, and columns of it
// written as rows of out: global memory sees rows only. `place` says where in the tile an element
// of x lies.
template <class Place>
__device__ void transpose_tile(i64 rows, i64 columns, const T* x, T* out, Place place) {
  __shared__ T tile[kWarp * (kWarp + 1)];
  i64 left = static_cast<i64>(blockIdx.x) * kWarp, top = static_cast<i64>(blockIdx.y) * kWarp;
  for (int r = threadIdx.y; r < kWarp; r += blockDim.y) {
    i64 i = top + r, j = left + threadIdx.x;
    if (i < rows && j < columns) tile[place(r, threadIdx.x)] = x[i * columns + j];
  }
  __syncthreads();
  for (int r = threadIdx.y; r < kWarp; r += blockDim.y) {
    i64 i = top + threadIdx.x, j = left + r;
    if (i < rows && j < columns) out[j * rows + i] = tile[place(threadIdx.x, r)];
  }
}

// Row after row: the columns are read with conflicts.
extern "C" __global__ void transpose_tiled_kernel(i64 rows, i64 columns, const T* x, T* out) {
  transpose_tile(rows, columns, x, out, [](int r, int c) { return r * kWarp + c; });
}

// Without conflicts.
extern "C" __global__ void transpose_padded_kernel(i64 rows, i64 columns, const T* x, T* out) {
  transpose_tile(rows, columns, x, out, place_in_own_bank);
}
