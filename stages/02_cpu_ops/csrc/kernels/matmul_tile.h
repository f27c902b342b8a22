// The blocked matrix product: copy panels into the order of use, then let a register tile eat them.
// Included by matmul.cpp, which has the loops over blocks and the threads, and by packed.h, for
// matrices that are used many times; never sees an Array.
//
//   c (m, n) (+)= a (m, k) b (k, n)      a, b with any strides, c with unit column stride
//
// Three ideas, each worth a factor over the loops of matmul_naive.h:
//   registers  a tile of kTileRows x kTileCols sums stays in vector registers for a whole inner
//              loop: one loaded vector of b feeds kTileRows multiply-adds;
//   caches     a packed block of a lives in L2, and there or in L1 the panel of b under the tile;
//   packing    the tile reads memory strictly forwards, so that transposed, sliced and broadcast
//              operands cost the same as contiguous ones.
#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/matrix.h"
#include "core/transpose_block.h"
#include "kernels/vec.h"

namespace norch {
namespace {
// 32 registers of 64 bytes (AVX-512) hold 6 x 4 sums, 4 vectors of b and the broadcast of a;
// 16 registers (AVX2, SSE2) hold 6 x 2 sums.
constexpr int kTileRows = 6, kTileVectors = kVectorBytes == 64 ? 4 : 2;
template <class T>
constexpr int kTileCols = kTileVectors * kLanes<T>;

// Copies `count` lines of `depth` elements into panels of Width lines: out[line / Width][p][line %
// Width]; the last panel is filled up with zeros.  Lines are rows of a or columns of b.  Halves (S)
// become float32 (T) on the way.
template <int Width, class T, class S>
void pack_panels(const S* lines, int64_t count, int64_t depth, int64_t line_stride,
                 int64_t depth_stride, T* out) {
  const int64_t rest = count % Width;
  if (rest != 0) std::fill_n(out + (count - rest) * depth, Width * depth, T(0));
  if (line_stride == 1) {  // a row of memory goes to all panels, which is how memory likes it
    for (int64_t p = 0; p < depth; ++p, lines += depth_stride) {
      T* to = out + p * Width;
      int64_t first = 0;
      for (; first + Width <= count; first += Width, to += depth * Width) {
        for (int i = 0; i < Width; ++i) to[i] = T(lines[first + i]);
      }
      for (int i = 0; i < rest; ++i) to[i] = T(lines[first + i]);
    }
    return;
  }
  for (int64_t first = 0; first < count; first += Width, out += depth * Width) {
    const S* from = lines + first * line_stride;
    const int64_t width = std::min<int64_t>(Width, count - first);
    if constexpr (std::is_same_v<T, S>) {
      if (depth_stride == 1) {
        // A square wider than a panel runs over into the next step, which is written later.
        const int64_t lines = count - first < kSquare<T> ? width : std::max(width, kSquare<T>);
        const int64_t step = line_stride * int64_t(sizeof(T));
        transpose_block(out, Width, reinterpret_cast<const char*>(from), step, depth, lines);
        continue;
      }
    }
    for (int64_t i = 0; i < width; ++i) {
      for (int64_t p = 0; p < depth; ++p) {
        out[p * Width + i] = T(from[i * line_stride + p * depth_stride]);
      }
    }
  }
}

// One tile: c (Rows, Vectors * kLanes) (+)= a (Rows, depth) b (depth, ...), b with unit column
// stride. The first steps ask for one line of c each, so that c is there when the sums are.
template <class T, int Rows, int Vectors>
void multiply_tile(const MatrixView<T>& a, const MatrixView<T>& b, T* __restrict c, int64_t ldc,
                   bool accumulate) {
  constexpr int kL = kLanes<T>;
  const T *column = a.data, *row = b.data;
  Vec<T> sum[Rows][Vectors] = {};
  const auto add_step = [&, step = a.row_stride] {
    Vec<T> factor[Vectors];
    for (int v = 0; v < Vectors; ++v) factor[v] = load(row + v * kL);
#pragma GCC unroll 6
    for (int i = 0; i < Rows; ++i) {
      for (int v = 0; v < Vectors; ++v) sum[i][v] += column[i * step] * factor[v];
    }
    column += a.col_stride;
    row += b.row_stride;
  };
  int64_t p = 0;
  for (; p < Rows * Vectors && p < a.cols; ++p) {
    __builtin_prefetch(c + p / Vectors * ldc + p % Vectors * kL, 1);
    add_step();
  }
#pragma GCC unroll 4
  for (; p < a.cols; ++p) add_step();
#pragma GCC unroll 6
  for (int i = 0; i < Rows; ++i, c += ldc) {
    for (int v = 0; v < Vectors; ++v) {
      store(c + v * kL, accumulate ? load(c + v * kL) + sum[i][v] : sum[i][v]);
    }
  }
}

template <class T>
using Tile = void (*)(const MatrixView<T>&, const MatrixView<T>&, T*, int64_t, bool);

// The tile for so many rows and vectors.
template <class T, int... i>
Tile<T> tile_for(int64_t rows, int64_t vectors, std::integer_sequence<int, i...>) {
  constexpr int kV = kTileVectors;
  static constexpr Tile<T> tiles[] = {&multiply_tile<T, i / kV + 1, i % kV + 1>...};
  return tiles[(rows - 1) * kV + vectors - 1];
}

// c (+)= a b for kTileRows rows of a and kTileCols columns of b at most. b has room for whole
// vectors; what hangs over the edge of c is computed aside, then its inside is copied.
template <class T>
void multiply_tile(const MatrixView<T>& a, const MatrixView<T>& b, T* c, int64_t ldc,
                   bool accumulate) {
  const auto tile = tile_for<T>(a.rows, (b.cols + kLanes<T> - 1) / kLanes<T>,
                                std::make_integer_sequence<int, kTileRows * kTileVectors>{});
  if (b.cols % kLanes<T> == 0) return tile(a, b, c, ldc, accumulate);
  alignas(64) T whole[kTileRows * kTileCols<T>];
  tile(a, b, whole, kTileCols<T>, false);
  for (int64_t i = 0; i < a.rows; ++i) {
    const T* from = whole + i * kTileCols<T>;
    T* out = c + i * ldc;
    for (int64_t j = 0; j < b.cols; ++j) out[j] = accumulate ? out[j] + from[j] : from[j];
  }
}

template <class T, class S>
void pack_b(MatrixView<S> b, T* packed) {  // b (k, n) -> (n / kTileCols, k, kTileCols)
  pack_panels<kTileCols<T>>(b.data, b.cols, b.rows, b.col_stride, b.row_stride, packed);
}

template <class T, class S>
void pack_a(MatrixView<S> a, T* packed) {  // a (m, k) -> (m / kTileRows, k, kTileRows)
  pack_panels<kTileRows>(a.data, a.rows, a.cols, a.row_stride, a.col_stride, packed);
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

// c (rows, cols) (+)= a (rows, k) b (k, cols), kDots of each at most; rows of a and columns of b
// lie in memory. Where there are fewer, the last is taken again. k is a vector at least: the last
// vector reaches back to be whole, and what was added before counts as 0.
constexpr int64_t kDots = 4;
template <class T>
void multiply_dots(const MatrixView<T>& a, const MatrixView<T>& b, T* c, int64_t ldc,
                   bool accumulate) {
  constexpr int kL = kLanes<T>;
  const int64_t k = a.cols, whole = k - k % kL;
  const T *row[kDots], *column[kDots];
  Vec<T> sums[kDots * kDots] = {}, lane;
  for (int l = 0; l < kL; ++l) lane[l] = T(l);
  for (int64_t i = 0; i < kDots; ++i) {
    row[i] = a.at(std::min(i, a.rows - 1), 0), column[i] = b.at(0, std::min(i, b.cols - 1));
  }
  const auto add_step = [&](int64_t p, auto mend) {
    Vec<T> factor[kDots];
    for (int j = 0; j < kDots; ++j) factor[j] = mend(load(column[j] + p));
    for (int i = 0; i < kDots; ++i) {
      const Vec<T> x = mend(load(row[i] + p));
      for (int j = 0; j < kDots; ++j) sums[kDots * i + j] += x * factor[j];
    }
  };
  for (int64_t p = 0; p < whole; p += kL) add_step(p, [](Vec<T> x) { return x; });
  if (whole < k) {
    const auto is_new = lane >= broadcast(T(kL - (k - whole)));
    add_step(k - kL, [&](Vec<T> x) { return is_new ? x : Vec<T>{}; });
  }
  for (int64_t i = 0; i < a.rows; ++i, c += ldc) {
    for (int64_t j = 0; j < b.cols; ++j) {
      const T sum = fold_all(sums[kDots * i + j], [](Vec<T> x, Vec<T> y) { return x + y; })[0];
      c[j] = accumulate ? c[j] + sum : sum;
    }
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
