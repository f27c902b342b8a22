// matmul: out[b, i, j] = sum over k of a[b, i, k] b[b, k, j] (+ bias[j]). T is the type of all.
//
// Shapes: a (batch, m, k), b (batch, k, n), out (batch, m, n) contiguous. a and b have any strides;
// `la` and `lb` walk over their batches. Two kernels with the same result: the plain one and the
// tiled one.

// One thread: one element of out. It reads a whole row of a and a whole column of b from global
// memory, so every element of a is read n times, every element of b m times.
extern "C" __global__ void matmul_naive_kernel(i64 batches, i64 m, i64 n, i64 k, Layout la,
                                               i64 a_row, i64 a_col, const T* a, Layout lb,
                                               i64 b_row, i64 b_col, const T* b, i64 bias_step,
                                               const T* bias, T* out) {
  for (i64 o = first_element(); o < batches * m * n; o += element_step()) {
    i64 batch = o / (m * n), i = o / n % m, j = o % n;
    // ex 3.1 begin
    NORCH_TODO("3.1");
    // ex 3.1 end
  }
}

constexpr int kTile = 16;

// One block: one 16 x 16 tile of out, one thread: one element of it. The block walks along k in
// steps of 16; in each step its threads fetch one tile of a and one of b into shared memory, one
// element each, and then read them from there: every element of a is fetched n / 16 times, every
// element of b m / 16 times.
extern "C" __global__ void matmul_tiled_kernel(i64 batches, i64 m, i64 n, i64 k, Layout la,
                                               i64 a_row, i64 a_col, const T* a, Layout lb,
                                               i64 b_row, i64 b_col, const T* b, i64 bias_step,
                                               const T* bias, T* out) {
  __shared__ T a_tile[kTile][kTile];
  __shared__ T b_tile[kTile][kTile];
  int x = threadIdx.x, y = threadIdx.y;
  i64 j = static_cast<i64>(blockIdx.x) * kTile + x;
  i64 tile_rows = (m + kTile - 1) / kTile;
  // A grid has at most 65535 blocks in y and z: what is beyond them is done by the same blocks.
  for (i64 tile = blockIdx.y + static_cast<i64>(gridDim.y) * blockIdx.z; tile < batches * tile_rows;
       tile += static_cast<i64>(gridDim.y) * gridDim.z) {
    i64 batch = tile / tile_rows, i = tile % tile_rows * kTile + y;
    const T* a_batch = a + at(la, batch);
    const T* b_batch = b + at(lb, batch);
    T sum = 0;
    for (i64 start = 0; start < k; start += kTile) {
      i64 l = start + x, r = start + y;
      // ex 3.7 begin
      NORCH_TODO("3.7");
      // ex 3.7 end
    }
    if (i < m && j < n) {
      out[(batch * m + i) * n + j] = bias == nullptr ? sum : sum + bias[j * bias_step];
    }
  }
}
