// matmul_vectorized: the product of matmul.cu for large matrices, by tiles in registers
// (product.h). The parameters are the same, and each sum has the same order.

#include "product.h"

// What one thread fetches of a matrix for its tiles, four elements of each. `side` is counted along
// out, `depth` along the sums.
template <int kEach>
struct Matrix {
  Part<kEach> part;
  const T* first;  // of the first tile
  i64 depth_step, step;
  int side, depth;  // how many there are from `first` on
  bool at_once;     // in all tiles: the next one lies a multiple of 16 bytes further

  __device__ Matrix(const T* tile, i64 side_left, i64 side_step, i64 depth_left, i64 depth_step_)
      : part(depth_step_ == 1), depth_step(depth_step_) {
    first = tile + part.s * side_step + part.l * depth_step;
    step = part.along_depth ? 1 : side_step;
    side = static_cast<int>(side_left) - part.s;
    depth = static_cast<int>(depth_left) - part.l;
    at_once = step == 1 && is_aligned(first) && (part.along_depth || depth_step % kQuad == 0);
  }

  __device__ Quad quad(int start) const {
    int left = part.along_depth ? depth - start : side;
    if (part.along_depth ? side <= 0 : start >= depth) left = 0;
    const T* p = first + start * depth_step;
    Quad quad;
    if (at_once && left >= kQuad) {
      quad = *reinterpret_cast<const Quad*>(p);
    } else {
      for (int i = 0; i < kQuad; i++) quad.of[i] = i < left ? p[i * step] : T(0);
    }
    return quad;
  }
};

template <int kEach>
__device__ void add_to_columns(T (&sums)[kEach][kEach], const T* bias, i64 step, int width) {
#pragma unroll
  for (int x = 0; x < kEach; x++) {
    int j = place_of(threadIdx.x, x);
    T shift = j < width ? bias[j * step] : T(0);
    for (int y = 0; y < kEach; y++) sums[y][x] += shift;
  }
}

// One block: one tile of out, of all batches; the columns of a row of tiles follow each other.
template <int kEach>
__device__ void multiply(i64 m, i64 n, i64 k, const Layout& la, i64 a_row, i64 a_col, const T* a,
                         const Layout& lb, i64 b_row, i64 b_col, const T* b, i64 bias_step,
                         const T* bias, T* out) {
  constexpr i64 kSide = Tile<kEach>::kSide;
  i64 across = (n + kSide - 1) / kSide, down = (m + kSide - 1) / kSide;
  i64 batch = blockIdx.x / across / down;
  i64 top = blockIdx.x / across % down * kSide, left = blockIdx.x % across * kSide;
  Matrix<kEach> rows(a + at(la, batch) + top * a_row, m - top, a_row, k, a_col);
  Matrix<kEach> columns(b + at(lb, batch) + left * b_col, n - left, b_col, k, b_row);
  T sums[kEach][kEach] = {};
  multiply_tile<kEach>(0, static_cast<int>(k), rows, columns, sums);
  int height = static_cast<int>(min(m - top, kSide)),
      width = static_cast<int>(min(n - left, kSide));
  if (bias != nullptr) add_to_columns(sums, bias + left * bias_step, bias_step, width);
  T* corner = out + (batch * m + top) * n + left;
  if (n % kQuad == 0 && is_aligned(out)) {
    for_each_quad(sums, height, width, [=](int i, int j, const Quad& quad) {
      reinterpret_cast<Quad*>(corner)[(i * n + j) / kQuad] = quad;
    });
  } else {
    for_each_quad(sums, height, width, [=](int i, int j, const Quad& quad) {
      for (int q = 0; q < kQuad; q++) {
        if (j + q < width) corner[i * n + j + q] = quad.of[q];
      }
    });
  }
}

#define PRODUCT(name, each)                                                                     \
  extern "C" __global__ void __launch_bounds__(256, 2) name##_kernel(                           \
      i64 batches, i64 m, i64 n, i64 k, Layout la, i64 a_row, i64 a_col, const T* a, Layout lb, \
      i64 b_row, i64 b_col, const T* b, i64 bias_step, const T* bias, T* out) {                 \
    multiply<each>(m, n, k, la, a_row, a_col, a, lb, b_row, b_col, b, bias_step, bias, out);    \
  }
// 64 x 64 results a block, and 128 x 128, for which a type of 8 bytes would not find registers.
PRODUCT(matmul_small_tiles, 4)
PRODUCT(matmul_large_tiles, sizeof(T) == 4 ? 8 : 4)
