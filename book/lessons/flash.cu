// Causal attention without a table of scores: one thread a query, sixteen queries a block. Chapter 7
// explains it; the library's own kernel is stages/03_cuda/csrc/attention.cu.

constexpr int kTile = 16, kWidth = 16;

// q, k, v, out: (n, 16), row by row. A query sees the keys up to its own place.
extern "C" __global__ void flash(i64 n, const T* q, const T* k, const T* v, T* out) {
  __shared__ T keys[kTile][kWidth], values[kTile][kWidth];
  i64 block = i64(blockIdx.x) * kTile, row = block + threadIdx.x;
  T query[kWidth], mixed[kWidth] = {}, largest = -infinity(), total = 0;
  for (int c = 0; c < kWidth; c++) query[c] = row < n ? q[row * kWidth + c] / T(4) : T(0);
  for (i64 first = 0; first <= block; first += kTile) {
    __syncthreads();  // nobody needs the previous tile any more
    i64 mine = first + threadIdx.x;
    for (int c = 0; c < kWidth; c++) {
      keys[threadIdx.x][c] = mine < n ? k[mine * kWidth + c] : T(0);
      values[threadIdx.x][c] = mine < n ? v[mine * kWidth + c] : T(0);
    }
    __syncthreads();  // everybody's row is there
    for (int j = 0; j < kTile && first + j <= row; j++) {
      T score = 0;
      for (int c = 0; c < kWidth; c++) score += query[c] * keys[j][c];
      // the running softmax
      T now = max(largest, score), shrink = exp(largest - now), weight = exp(score - now);
      total = total * shrink + weight;
      for (int c = 0; c < kWidth; c++) mixed[c] = mixed[c] * shrink + weight * values[j][c];
      largest = now;
    }
  }
  for (int c = 0; c < kWidth && row < n; c++) out[row * kWidth + c] = mixed[c] / total;
}
