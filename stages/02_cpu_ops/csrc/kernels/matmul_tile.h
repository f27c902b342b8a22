// The blocked matrix product: copy panels into the order of use, then let a register tile eat them.
// Included by matmul.cpp, which has the loops over blocks and the threads, and by packed.h, for
// matrices that are used many times; never sees an Array.
//
//   c (m, n) (+)= a (m, k) b (k, n)      a, b with any strides, c with unit column stride
//
// Three ideas, each worth a factor over the loops of matmul_naive.h:
//   registers  a tile of kTileRows x kTileCols sums stays in vector registers for a whole inner
//              loop: one loaded vector of b feeds kTileRows multiply-adds;
//   caches     a packed block of a lives in L2, the panel of b under the tile in L1;
//   packing    the tile reads memory strictly forwards, so that transposed, sliced and broadcast
//              operands cost the same as contiguous ones.
#pragma once

#include "core/matrix.h"
#include "kernels/vec.h"

namespace norch {
namespace {
// 32 registers of 64 bytes (AVX-512) hold 12 x 2 sums, 2 vectors of b and the broadcast of a;
// 16 registers (AVX2, SSE2) hold 6 x 2 sums.
constexpr int kTileRows = kVectorBytes == 64 ? 12 : 6;
template <class T>
constexpr int kTileCols = 2 * kLanes<T>;

// Copies `count` lines of `depth` elements into panels of Width lines: out[line / Width][p][line %
// Width]; the last panel is filled up with zeros.  Lines are rows of a or columns of b.  Halves (S)
// become float32 (T) on the way.
template <int Width, class T, class S>
void pack_panels(const S* lines, int64_t count, int64_t depth, int64_t line_stride,
                 int64_t depth_stride, T* out) {
  for (int64_t first = 0; first < count; first += Width, out += depth * Width) {
    const S* from = lines + first * line_stride;
    const int width = count - first < Width ? int(count - first) : Width;
    if (width < Width) {
      for (int64_t p = 0; p < depth; ++p) {
        for (int i = 0; i < Width; ++i) {
          out[p * Width + i] = i < width ? T(from[i * line_stride + p * depth_stride]) : T(0);
        }
      }
    } else if (line_stride == 1) {
      for (int64_t p = 0; p < depth; ++p) {
        for (int i = 0; i < Width; ++i) out[p * Width + i] = T(from[i + p * depth_stride]);
      }
    } else if (depth_stride == 1) {
      for (int64_t p = 0; p < depth; ++p) {
        for (int i = 0; i < Width; ++i) out[p * Width + i] = T(from[i * line_stride + p]);
      }
    } else {
      for (int i = 0; i < Width; ++i) {
        for (int64_t p = 0; p < depth; ++p) {
          out[p * Width + i] = T(from[i * line_stride + p * depth_stride]);
        }
      }
    }
  }
}

// One tile: c (kTileRows, kTileCols) (+)= panel of a times panel of b.
template <class T>
void multiply_tile(int64_t depth, const T* __restrict a, const T* __restrict b, T* __restrict c,
                   int64_t ldc, bool accumulate) {
  constexpr int kL = kLanes<T>;
  Vec<T> sum[kTileRows][2] = {};
  for (int64_t p = 0; p < depth; ++p, a += kTileRows, b += 2 * kL) {
    const Vec<T> b0 = load(b), b1 = load(b + kL);
#pragma GCC unroll 12
    for (int i = 0; i < kTileRows; ++i) {
      sum[i][0] += a[i] * b0;
      sum[i][1] += a[i] * b1;
    }
  }
#pragma GCC unroll 12
  for (int i = 0; i < kTileRows; ++i, c += ldc) {
    store(c, accumulate ? load(c) + sum[i][0] : sum[i][0]);
    store(c + kL, accumulate ? load(c + kL) + sum[i][1] : sum[i][1]);
  }
}

// A tile that hangs over the edge of c is computed aside, then its inside is copied.
template <class T>
void multiply_edge_tile(int64_t depth, const T* a, const T* b, T* c, int64_t ldc, bool accumulate,
                        int64_t rows, int64_t cols) {
  alignas(64) T whole[kTileRows * kTileCols<T>];
  multiply_tile(depth, a, b, whole, kTileCols<T>, false);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < cols; ++j) {
      const T value = whole[i * kTileCols<T> + j];
      c[i * ldc + j] = accumulate ? c[i * ldc + j] + value : value;
    }
  }
}

template <class T, class S>
void pack_b(MatrixView<S> b, T* packed) {  // b (k, n) -> (n / kTileCols, k, kTileCols)
  pack_panels<kTileCols<T>>(b.data, b.cols, b.rows, b.col_stride, b.row_stride, packed);
}

// c (m, n) (+)= a (m, k) times a packed b; the block of a is packed into `room` first.
template <class T, class S>
void multiply_block(MatrixView<S> a, const T* packed_b, int64_t n, T* c, int64_t ldc,
                    bool accumulate, T* room) {
  const int64_t m = a.rows, depth = a.cols;
  pack_panels<kTileRows>(a.data, m, depth, a.row_stride, a.col_stride, room);
  for (int64_t j = 0; j < n; j += kTileCols<T>) {
    for (int64_t i = 0; i < m; i += kTileRows) {
      const T *pa = room + i * depth, *pb = packed_b + j * depth;
      const int64_t rows = m - i < kTileRows ? m - i : kTileRows;
      const int64_t cols = n - j < kTileCols<T> ? n - j : kTileCols<T>;
      T* out = c + i * ldc + j;
      if (rows == kTileRows && cols == kTileCols<T>) {
        multiply_tile(depth, pa, pb, out, ldc, accumulate);
      } else {
        multiply_edge_tile(depth, pa, pb, out, ldc, accumulate, rows, cols);
      }
    }
  }
}

// y += a x for a few columns with unit stride, one after the other: y is read and written once.
template <int kColumns, class T>
void add_columns(MatrixView<T> a, const T* x, T* y) {
  constexpr int kL = kLanes<T>;
  int64_t i = 0;
  for (; i + kL <= a.rows; i += kL) {
    Vec<T> sum = load(y + i);
    for (int p = 0; p < kColumns; ++p) sum += x[p] * load(a.at(i, p));
    store(y + i, sum);
  }
  for (; i < a.rows; ++i) {
    for (int p = 0; p < kColumns; ++p) y[i] += x[p] * *a.at(i, p);
  }
}

// y (m) (+)= a (m, k) x (k).  Packing would read the matrix twice, and reading it once is all the
// work there is: rows with unit stride become dot products, columns with unit stride are added up.
template <class T>
void multiply_vector(MatrixView<T> a, const T* x, T* y, bool accumulate) {
  constexpr int kL = kLanes<T>;
  const int64_t m = a.rows, k = a.cols;
  if (!accumulate) {
    for (int64_t i = 0; i < m; ++i) y[i] = 0;
  }
  if (a.row_stride == 1 && a.col_stride != 1) {
    int64_t p = 0;
    for (; p + 4 <= k; p += 4) add_columns<4>(a.col_range(p, 4), x + p, y);
    for (; p < k; ++p) add_columns<1>(a.col_range(p, 1), x + p, y);
    return;
  }
  for (int64_t i = 0; i < m; ++i) {
    const T* row = a.at(i, 0);
    int64_t p = 0;
    T sum = 0;
    if (a.col_stride == 1) {
      Vec<T> sums[4] = {};
      for (; p + 4 * kL <= k; p += 4 * kL) {
        for (int v = 0; v < 4; ++v) sums[v] += load(row + p + v * kL) * load(x + p + v * kL);
      }
      for (; p + kL <= k; p += kL) sums[0] += load(row + p) * load(x + p);
      sum = fold<T>((sums[0] + sums[1]) + (sums[2] + sums[3]), [](T u, T v) { return u + v; });
    }
    for (; p < k; ++p) sum += row[p * a.col_stride] * x[p];
    y[i] += sum;
  }
}

// The naive sum with its loops exchanged, so that the inner one runs along a row: no packing, no
// panels.  Used for products too small to be worth either, and for all whole numbers.
template <class T>
void multiply_rows(MatrixView<T> a, MatrixView<T> b, T* c, int64_t ldc, bool accumulate) {
  constexpr int64_t kBlock = 256;  // columns of c that stay in L1 while p runs
  for (int64_t first = 0; first < b.cols; first += kBlock) {
    const int64_t width = b.cols - first < kBlock ? b.cols - first : kBlock;
    for (int64_t i = 0; i < a.rows; ++i) {
      T* out = c + i * ldc + first;
      for (int64_t j = 0; j < width && !accumulate; ++j) out[j] = 0;
      for (int64_t p = 0; p < a.cols; ++p) {
        const T factor = *a.at(i, p);
        const T* row = b.at(p, first);
        if (b.col_stride == 1) {
          for (int64_t j = 0; j < width; ++j) out[j] = T(out[j] + factor * row[j]);
        } else {
          for (int64_t j = 0; j < width; ++j) out[j] = T(out[j] + factor * row[j * b.col_stride]);
        }
      }
    }
  }
}
}  // namespace
}  // namespace norch
