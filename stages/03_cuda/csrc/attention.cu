// attention: softmax(scale q k^T + mask) v for each batch, and its gradients, without ever storing
// the (L, S) scores: FlashAttention. T is float or double.
//
// Shapes: q (L, E), k (S, E), v (S, V); a query looks at all keys. A block of 16 x 16 threads takes
// 16 rows and walks over the other side in tiles of 16: thread (x, y) holds the score of row y and
// column x of the tile. What the tile adds to the results goes into shared memory at once, so the
// scores are forgotten with the tile. One batch after the other: `l...` walks over the batches,
// `..._row` and `..._col` are the steps inside.

#include "block.h"

using Sum = Accumulate<T>::sum;

constexpr int kTile = 16;

struct Rows {  // a matrix; outside of it stand zeros
  const T* data;
  i64 count, width, row_step, col_step;
  __device__ T get(i64 row, i64 col) const {
    return row < count && col < width ? data[row * row_step + col * col_step] : T(0);
  }
  // At most `most` columns from `first` on: as many as a block's shared memory holds.
  __device__ Rows columns(i64 first, i64 most) const {
    return {data + first * col_step, count, max(0LL, min(most, width - first)), row_step, col_step};
  }
};

struct Mask {  // which keys a query sees, and what is added to its scores
  const Bool* visible;
  const T* added;
  i64 row_step, col_step, causal;
  __device__ T score(T score, i64 query, i64 key) const {
    if (causal && key > query) return -infinity();
    i64 place = query * row_step + key * col_step;
    if (visible != nullptr && !visible[place]) return -infinity();
    return added == nullptr ? score : score + added[place];
  }
};

// Thread (x, y) gets the product of row first_a + y of a and row first_b + x of b, as in matmul.cu.
__device__ inline T product_of_rows(const Rows& a, i64 first_a, const Rows& b, i64 first_b) {
  __shared__ T a_tile[kTile][kTile];
  __shared__ T b_tile[kTile][kTile + 1];  // a column more: 16 rows are read at once
  int x = threadIdx.x, y = threadIdx.y;
  T sum = 0;
  for (i64 start = 0; start < a.width; start += kTile) {
    __syncthreads();  // nobody needs the previous tiles any more
    a_tile[y][x] = a.get(first_a + y, start + x);
    b_tile[y][x] = b.get(first_b + y, start + x);
    __syncthreads();
    for (int q = 0; q < kTile; q++) sum += a_tile[y][q] * b_tile[x][q];
  }
  return sum;
}

// sums[y] = keep sums[y] + sum over x of weight(x, y) times row first + x of b. Thread (x, y) alone
// touches the columns x, x + 16, ... of row y.
__device__ inline void add_weighted_rows(T* sums, T keep, T weight, const Rows& b, i64 first) {
  __shared__ T weights[kTile][kTile];
  __shared__ T b_tile[kTile][kTile];
  int x = threadIdx.x, y = threadIdx.y;
  __syncthreads();
  weights[y][x] = weight;
  for (i64 start = 0; start < b.width; start += kTile) {
    __syncthreads();
    b_tile[y][x] = b.get(first + y, start + x);
    __syncthreads();
    if (start + x >= b.width) continue;  // the barriers above are reached by all in the next round
    T sum = keep * sums[y * b.width + start + x];
    for (int q = 0; q < kTile; q++) sum += weights[y][q] * b_tile[q][x];
    sums[y * b.width + start + x] = sum;
  }
}

// The 16 threads of a row are half a warp: they fold by shuffles, and all of them learn the result.
template <class Fold>
__device__ T fold_row(T value, Fold fold) {
  for (int distance = kTile / 2; distance > 0; distance /= 2) {
    value = fold(value, __shfl_xor_sync(kAllLanes, value, distance));
  }
  return value;
}

// Zeros the 16 rows of sums.
__device__ inline void clear(T* sums, i64 width) {
  for (i64 c = threadIdx.x; c < width; c += kTile) sums[threadIdx.y * width + c] = 0;
}
// Row `row` of out (rows, columns) from `first_column` on = sums / divisor; 0 / 0 is 0.
__device__ inline void write(const T* sums, const Rows& slice, T divisor, i64 row, i64 rows,
                             i64 columns, i64 first_column, T* out) {
  if (row >= rows) return;
  for (i64 c = threadIdx.x; c < slice.width; c += kTile) {
    T sum = sums[threadIdx.y * slice.width + c];
    out[row * columns + first_column + c] = divisor == 0 ? T(0) : sum / divisor;
  }
}

// One block: 16 queries. Each tile of keys may bring a larger score than all before; then the sums
// so far are scaled down by exp(old largest - new largest), as if it had been known from the start.
extern "C" __global__ void attention_kernel(
    i64 batches, i64 num_q, i64 num_k, i64 width, i64 width_v, Layout lq, i64 q_row, i64 q_col,
    const T* q, Layout lk, i64 k_row, i64 k_col, const T* k, Layout lv, i64 v_row, i64 v_col,
    const T* v, Layout lmask, i64 mask_row, i64 mask_col, const Bool* visible, const T* added,
    i64 causal, double scale, i64 first_column, i64 most_columns, T* out, T* logsumexp) {
  extern __shared__ T sums[];  // 16 rows of most_columns
  i64 tiles = (num_q + kTile - 1) / kTile;
  for (i64 job = blockIdx.x; job < batches * tiles; job += gridDim.x) {
    i64 batch = job / tiles, first = job % tiles * kTile, query = first + threadIdx.y;
    i64 mask_start = at(lmask, batch);
    Rows queries = {q + at(lq, batch), num_q, width, q_row, q_col};
    Rows keys = {k + at(lk, batch), num_k, width, k_row, k_col};
    Rows values =
        Rows{v + at(lv, batch), num_k, width_v, v_row, v_col}.columns(first_column, most_columns);
    Mask mask = {visible == nullptr ? nullptr : visible + mask_start,
                 added == nullptr ? nullptr : added + mask_start, mask_row, mask_col, causal};
    T largest = -infinity(), total = 0;
    clear(sums, values.width);
    i64 end = causal ? min(num_k, first + kTile) : num_k;  // no query of the tile sees further
    for (i64 start = 0; start < end; start += kTile) {
      i64 key = start + threadIdx.x;
      T score = static_cast<T>(scale) * product_of_rows(queries, first, keys, start);
      // ex 3.11 begin
      bool inside = query < num_q && key < num_k;
      score = inside ? mask.score(score, query, key) : T(-infinity());
      T larger = fmax(largest, fold_row(score, [](T a, T b) { return fmax(a, b); }));
      T shift = isinf(larger) ? T(0) : larger;  // infinity - infinity would be no number
      T weight = exp(score - shift), keep = exp(largest - shift);
      total = keep * total + fold_row(weight, [](T a, T b) { return a + b; });
      largest = larger;
      add_weighted_rows(sums, keep, weight, values, start);
      // ex 3.11 end
    }
    write(sums, values, total, query, num_q, width_v, first_column, out + batch * num_q * width_v);
    if (threadIdx.x == 0 && query < num_q) {
      logsumexp[batch * num_q + query] = (isinf(largest) ? T(0) : largest) + log(total);
    }
  }
}

// The gradients need the weights p = exp(score - logsumexp) again; they are computed again, tile by
// tile. With dp = grad v^T and `average` = the sum of grad out over a row:
//   ds = p (dp - average),  dq = scale ds k,  dk = scale ds^T q,  dv = p^T grad
// All of grad, average and logsumexp are contiguous. No two blocks write to one place.
__device__ inline T weight_of(T score, T logsumexp) {
  return score == -infinity() ? T(0) : exp(score - logsumexp);
}

// The average of dp, weighted by p: the sum of grad out along each row. One block: rows in turn,
// its threads share a row. All lie row by row.
extern "C" __global__ void attention_average_kernel(i64 rows, i64 width, const T* grad,
                                                    const T* out, T* average) {
  for (i64 row = blockIdx.x; row < rows; row += gridDim.x) {
    const T *g = grad + row * width, *o = out + row * width;
    Sum sum = sum_for_all(width, [=](i64 j) { return Sum(g[j] * o[j]); });
    if (threadIdx.x == 0) average[row] = static_cast<T>(sum);
  }
}

// One block: dq of 16 queries, walking over the keys.
extern "C" __global__ void attention_dq_kernel(
    i64 batches, i64 num_q, i64 num_k, i64 width, i64 width_v, Layout lq, i64 q_row, i64 q_col,
    const T* q, Layout lk, i64 k_row, i64 k_col, const T* k, Layout lv, i64 v_row, i64 v_col,
    const T* v, Layout lmask, i64 mask_row, i64 mask_col, const Bool* visible, const T* added,
    i64 causal, double scale, i64 first_column, i64 most_columns, const T* grad, const T* average,
    const T* logsumexp, T* dq) {
  extern __shared__ T sums[];  // 16 rows of most_columns
  i64 tiles = (num_q + kTile - 1) / kTile;
  for (i64 job = blockIdx.x; job < batches * tiles; job += gridDim.x) {
    i64 batch = job / tiles, first = job % tiles * kTile, query = first + threadIdx.y;
    i64 mask_start = at(lmask, batch);
    Rows queries = {q + at(lq, batch), num_q, width, q_row, q_col};
    Rows keys = {k + at(lk, batch), num_k, width, k_row, k_col};
    Rows values = {v + at(lv, batch), num_k, width_v, v_row, v_col};
    Rows grads = {grad + batch * num_q * width_v, num_q, width_v, width_v, 1};
    Rows summed = keys.columns(first_column, most_columns);
    Mask mask = {visible == nullptr ? nullptr : visible + mask_start,
                 added == nullptr ? nullptr : added + mask_start, mask_row, mask_col, causal};
    clear(sums, summed.width);
    i64 end = causal ? min(num_k, first + kTile) : num_k;
    for (i64 start = 0; start < end; start += kTile) {
      i64 key = start + threadIdx.x;
      T score = static_cast<T>(scale) * product_of_rows(queries, first, keys, start);
      T dp = product_of_rows(grads, first, values, start), ds = 0;
      if (query < num_q && key < num_k) {
        i64 row = batch * num_q + query;
        T p = weight_of(mask.score(score, query, key), logsumexp[row]);
        ds = p * (dp - average[row]) * static_cast<T>(scale);
      }
      add_weighted_rows(sums, T(1), ds, summed, start);
    }
    write(sums, summed, T(1), query, num_q, width, first_column, dq + batch * num_q * width);
  }
}

// One block: dk and dv of 16 keys, walking over the queries; thread (x, y) holds key y, query x.
extern "C" __global__ void attention_dkv_kernel(
    i64 batches, i64 num_q, i64 num_k, i64 width, i64 width_v, Layout lq, i64 q_row, i64 q_col,
    const T* q, Layout lk, i64 k_row, i64 k_col, const T* k, Layout lv, i64 v_row, i64 v_col,
    const T* v, Layout lmask, i64 mask_row, i64 mask_col, const Bool* visible, const T* added,
    i64 causal, double scale, i64 first_column, i64 most_columns, const T* grad, const T* average,
    const T* logsumexp, T* dk, T* dv) {
  extern __shared__ T sums[];  // 16 rows of most_columns for dk, as many for dv
  T *sums_k = sums, *sums_v = sums + kTile * most_columns;
  i64 tiles = (num_k + kTile - 1) / kTile;
  for (i64 job = blockIdx.x; job < batches * tiles; job += gridDim.x) {
    i64 batch = job / tiles, first = job % tiles * kTile, key = first + threadIdx.y;
    i64 mask_start = at(lmask, batch);
    Rows queries = {q + at(lq, batch), num_q, width, q_row, q_col};
    Rows keys = {k + at(lk, batch), num_k, width, k_row, k_col};
    Rows values = {v + at(lv, batch), num_k, width_v, v_row, v_col};
    Rows grads = {grad + batch * num_q * width_v, num_q, width_v, width_v, 1};
    Rows summed_k = queries.columns(first_column, most_columns);
    Rows summed_v = grads.columns(first_column, most_columns);
    Mask mask = {visible == nullptr ? nullptr : visible + mask_start,
                 added == nullptr ? nullptr : added + mask_start, mask_row, mask_col, causal};
    clear(sums_k, summed_k.width);
    clear(sums_v, summed_v.width);
    for (i64 start = causal ? first : 0; start < num_q; start += kTile) {
      i64 query = start + threadIdx.x;
      T score = static_cast<T>(scale) * product_of_rows(keys, first, queries, start);
      T dp = product_of_rows(values, first, grads, start), p = 0, ds = 0;
      if (query < num_q && key < num_k) {
        i64 row = batch * num_q + query;
        p = weight_of(mask.score(score, query, key), logsumexp[row]);
        ds = p * (dp - average[row]) * static_cast<T>(scale);
      }
      add_weighted_rows(sums_k, T(1), ds, summed_k, start);
      add_weighted_rows(sums_v, T(1), p, summed_v, start);
    }
    write(sums_k, summed_k, T(1), key, num_k, width, first_column, dk + batch * num_k * width);
    write(sums_v, summed_v, T(1), key, num_k, width_v, first_column, dv + batch * num_k * width_v);
  }
}
