// Who multiplies what: the loop over the batch, the choice between the levels, the blocks and the
// threads.  The arithmetic itself is in matmul_tile.h, matmul_naive.h and core/blas.cpp.
#include "kernels/matmul.h"

#include <algorithm>
#include <type_traits>

#include "core/blas.h"
#include "core/thread_pool.h"
#include "kernels/matmul_naive.h"
#include "kernels/matmul_tile.h"

namespace norch {
namespace {
// A task's block of c. Its rows of a, a block deep, fit half of the L2 (2 MiB where AVX-512 is
// new); the columns of b are packed a strip at a time, which stays in L2 too.
constexpr int64_t kBlockRows = (kVectorBytes == 64 ? 86 : 37) * kTileRows;
constexpr int64_t kBlockCols = 1024, kStripCols = 128;
template <class T>
constexpr int64_t kBlockDepth = sizeof(T) == 4 ? 384 : 256;
// With more columns of c than this, packing a pays, however it lies.
constexpr int64_t kFewColumns = 64;
// Below a million multiply-adds (some ten microseconds) waking another thread does not pay.
constexpr int64_t kParallelProduct = 1 << 20;

// a / b, rounded up: the tiles and tasks that the matmul kernel cuts a side into.
int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

// The parts of a length, none longer than `longest`: as equal as whole units allow.
int64_t even_part(int64_t length, int64_t longest, int64_t unit) {
  const int64_t part = ceil_div(length, ceil_div(length, std::max(longest, unit)));
  return ceil_div(part, unit) * unit;
}

// c (m, n) (+)= a (m, depth) b (depth, n), tile by tile. Where operands are packed, a tile's first
// row or column lies `row` and `col` elements behind that of the line before it.
template <class T>
void multiply_tiles(MatrixView<T> a, int64_t row, MatrixView<T> b, int64_t col, T* c, int64_t ldc,
                    bool accumulate) {
  for (int64_t j = 0; j < b.cols; j += kTileCols<T>) {
    const int64_t cols = std::min<int64_t>(kTileCols<T>, b.cols - j);
    const MatrixView<T> panel{b.data + j * col, b.rows, cols, b.row_stride, 1};
    for (int64_t i = 0; i < a.rows; i += kTileRows) {
      const int64_t rows = std::min<int64_t>(kTileRows, a.rows - i);
      const MatrixView<T> tile{a.data + i * row, rows, a.cols, a.row_stride, a.col_stride};
      multiply_tile(tile, panel, c + i * ldc + j, ldc, accumulate);
    }
  }
}

// Whether the tiles read a where it lies, for n columns of b: packing pays for many of them, the
// sooner where a tile's rows lie in many lines of memory each.
template <class T>
bool is_read_in_place(const MatrixView<T>& a, int64_t n) {
  return n <= (a.col_stride == 1 ? 2048 / int64_t(sizeof(T)) : kTileCols<T>) ||
         a.rows * a.cols <= (1 << 16) / int64_t(sizeof(T));
}

// The columns of b that the tiles read where they lie, in whole vectors: packing pays where b is
// large and more than two rows of tiles meet it.
template <class T>
int64_t columns_in_place(const MatrixView<T>& b, int64_t m) {
  const bool is_small = b.rows * b.cols <= (1 << 17) / int64_t(sizeof(T));
  if (b.col_stride != 1 || (m > 2 * kTileRows && !is_small)) return 0;
  return b.cols - b.cols % kLanes<T>;
}

// A task of the matmul kernel: a block of c, through all the depth. Packed is what the tiles cannot
// read well where it lies, and halves.
template <class T, class S>
void multiply_block(MatrixView<S> a, MatrixView<S> b, T* c, int64_t ldc, bool accumulate) {
  const int64_t m = a.rows, n = b.cols, deepest = even_part(a.cols, kBlockDepth<T>, 1);
  const int64_t strip = even_part(n, kStripCols, kTileCols<T>);
  const Room<T> room((even_part(m, m, kTileRows) + strip) * deepest);
  T *const packed_b = room.data(), *const packed_a = packed_b + strip * deepest;
  for (int64_t p = 0; p < a.cols; p += deepest) {
    const int64_t depth = std::min(deepest, a.cols - p);
    const bool add = accumulate || p > 0;
    const MatrixView<S> columns = a.col_range(p, depth), rows = b.row_range(p, depth);
    MatrixView<T> tiles{packed_a, m, depth, 1, kTileRows};
    int64_t row = depth, j = 0;
    bool is_packed = true;
    if constexpr (std::is_same_v<T, S>) {
      is_packed = !is_read_in_place(columns, n);
      if (!is_packed) tiles = columns, row = a.row_stride;
    }
    if (is_packed) pack_a(columns, packed_a);
    if constexpr (std::is_same_v<T, S>) {
      j = columns_in_place(rows, m);
      multiply_tiles(tiles, row, rows.col_range(0, j), 1, c, ldc, add);
    }
    for (; j < n; j += strip) {
      const int64_t cols = std::min(strip, n - j);
      pack_b(rows.col_range(j, cols), packed_b);
      multiply_tiles(tiles, row, {packed_b, depth, cols, kTileCols<T>, 1}, depth, c + j, ldc, add);
    }
  }
}

// Inside the matmul kernel: a product in norch's own tiles. How c is cut into tasks changes no sum.
template <class T, class S>
void multiply_tiled(MatrixView<S> a, MatrixView<S> b, T* c, int64_t ldc, bool accumulate) {
  const int64_t m = a.rows, n = b.cols;
  const bool parallel = m * n * a.cols > kParallelProduct && get_num_threads() > 1;
  const int64_t wanted = parallel ? 2 * get_num_threads() : 1;
  int64_t rows = even_part(m, kBlockRows, kTileRows);
  int64_t cols = even_part(n, kBlockCols, kTileCols<T>);
  while (ceil_div(m, rows) * ceil_div(n, cols) < wanted && std::max(rows, cols) > kStripCols) {
    (rows > cols ? rows : cols) =
        rows > cols ? even_part(m, rows / 2, kTileRows) : even_part(n, cols / 2, kTileCols<T>);
  }
  const int64_t across = ceil_div(n, cols);
  parallel_for(ceil_div(m, rows) * across, 1, [&](int64_t task, int64_t end) {
    for (; task < end; ++task) {
      const int64_t i = task / across * rows, j = task % across * cols;
      multiply_block(a.row_range(i, std::min(rows, m - i)), b.col_range(j, std::min(cols, n - j)),
                     c + i * ldc + j, ldc, accumulate);
    }
  });
}

// The matmul kernel that calls OpenBLAS on slices of the longer side of c, handed out by our pool.
// How OpenBLAS rounds a row depends on the rows beside it: so the slices are the same for any
// number of threads. Each packs the other operand anew: they are few, and long where c is.
template <class T>
void multiply_blas(MatrixView<T> a, MatrixView<T> b, T* c, int64_t ldc, bool accumulate) {
  constexpr int64_t kShortest = 64, kTwo = 512, kFour = 1024;
  const int64_t m = a.rows, n = b.cols, length = std::max(m, n);
  const bool is_whole = length < kShortest || m * n * a.cols <= 2 * kParallelProduct;
  const int64_t many = std::clamp<int64_t>(length / 256, 8, 64);
  const int64_t slices = is_whole ? 1 : length <= kTwo ? 2 : length <= kFour ? 4 : many;
  const int64_t slice = ceil_div(ceil_div(length, slices), 16) * 16;
  parallel_for(ceil_div(length, slice), 1, [&](int64_t i, int64_t end) {
    for (; i < end; ++i) {
      const int64_t first = i * slice, size = std::min(slice, length - first);
      if (m > n) {
        blas::gemm(a.row_range(first, size), b, c + first * ldc, ldc, accumulate);
      } else {
        blas::gemm(a, b.col_range(first, size), c + first, ldc, accumulate);
      }
    }
  });
}

// A matrix times a vector, or (transposed) a vector times a matrix: bound by memory, so OpenBLAS
// would gain nothing and packing would lose half.
template <class T>
void multiply_by_vector(MatrixView<T> a, MatrixView<T> x, T* y, bool accumulate) {
  StoragePtr copy;
  const T* values = x.data;
  if (x.row_stride != 1) {
    copy = Storage::create(x.rows * int64_t(sizeof(T)));
    T* gathered = reinterpret_cast<T*>(copy->data());
    for (int64_t p = 0; p < x.rows; ++p) gathered[p] = *x.at(p, 0);
    values = gathered;
  }
  // Where columns are added, a thread's part of each is what it reads in one go: 1 KiB at least.
  const int64_t fewest = a.row_stride == 1 ? 1024 / int64_t(sizeof(T)) : 64;
  const int64_t grain = std::max<int64_t>(fewest, (1 << 15) / (a.cols + 1));
  parallel_for(a.rows, grain, [&](int64_t begin, int64_t end) {
    constexpr int64_t kStrip = 1024;  // of y, in L1 while the columns are added
    for (int64_t i = begin; i < end; i += kStrip) {
      multiply_vector(a.row_range(i, std::min(kStrip, end - i)), values, y + i, accumulate);
    }
  });
}

// c (+)= a b where rows of a and columns of b lie in memory, squares of dot products at a time.
template <class T>
void multiply_by_dots(MatrixView<T> a, MatrixView<T> b, T* c, int64_t ldc, bool accumulate) {
  const int64_t work = a.rows * a.cols * kDots, squares = ceil_div(b.cols, kDots);
  parallel_for(squares, ceil_div(kParallelProduct, work), [&](int64_t square, int64_t end) {
    for (; square < end; ++square) {
      const int64_t j = square * kDots, cols = std::min(kDots, b.cols - j);
      for (int64_t i = 0; i < a.rows; i += kDots) {
        const int64_t rows = std::min(kDots, a.rows - i);
        multiply_dots(a.row_range(i, rows), b.col_range(j, cols), c + i * ldc + j, ldc, accumulate);
      }
    }
  });
}

// c (+)= a b by way of c^T = b^T a^T.
template <class T>
void multiply_turned(MatrixView<T> a, MatrixView<T> b, T* c, int64_t ldc, bool accumulate) {
  const int64_t m = a.rows, n = b.cols, size = int64_t(sizeof(T));
  const Room<T> room(m * n);
  T* const turned = room.data();
  if (accumulate) transpose_block(turned, m, reinterpret_cast<char*>(c), ldc * size, n, m);
  multiply_tiled(b.transposed(), a.transposed(), turned, m, accumulate);
  transpose_block(c, ldc, reinterpret_cast<char*>(turned), m * size, m, n);
}

// A product in norch's own tiles, by the way that suits a short side of c. Few dot products use all
// lanes where a tile of few columns would not, but folding each costs some steps of the tile. And
// where rows of a lie across memory, turning c is less than packing a.
template <class T>
void multiply_blocked(MatrixView<T> a, MatrixView<T> b, T* c, int64_t ldc, bool accumulate) {
  constexpr int64_t kL = kLanes<T>;
  const int64_t n = b.cols, k = a.cols, few = std::min(a.rows, n);
  if (a.col_stride == 1 && b.row_stride == 1 && k * (kL - few) > few * kL * kL) {
    return multiply_by_dots(a, b, c, ldc, accumulate);
  }
  const bool is_across = a.row_stride == 1 && a.col_stride != 1;
  const bool is_turned = is_across && n < a.rows && n <= std::min(k, kFewColumns);
  (is_turned ? multiply_turned<T> : multiply_tiled<T, T>)(a, b, c, ldc, accumulate);
}

// Gives a side of length 1, which may carry any stride, the one the matmul kernels like best, and
// OpenBLAS too.
template <class T>
MatrixView<T> tidy(MatrixView<T> a) {
  if (a.cols == 1) a.col_stride = 1;
  if (a.rows == 1 && a.col_stride != 1) a.row_stride = 1;
  return a;
}

// Among the matmul kernels, the one for a product of floats: vector, small, OpenBLAS or blocks.
template <class T>
void multiply_floats(MatrixView<T> a, MatrixView<T> b, T* c, int64_t ldc, bool accumulate,
                     MatmulPath path) {
  if (path == MatmulPath::kAutomatic) {
    if (b.cols == 1 && ldc == 1) return multiply_by_vector(a, b, c, accumulate);
    if (a.rows == 1) return multiply_by_vector(b.transposed(), a.transposed(), c, accumulate);
    if (a.rows * b.cols * a.cols <= kSmallProduct) return multiply_rows(a, b, c, ldc, accumulate);
    if (kVectorBytes < 64 && blas::is_ready() && blas::accepts(a) && blas::accepts(b)) {
      return multiply_blas(a, b, c, ldc, accumulate);
    }
  }
  multiply_blocked(a, b, c, ldc, accumulate);
}

// Halves, few multiply-adds or a vector on either side: sums in float32, a band of columns at a
// time.
template <class S>
void multiply_half_rows(MatrixView<S> a, MatrixView<S> b, S* c, int64_t ldc, bool accumulate) {
  constexpr int64_t kBand = 256;
  for (int64_t first = 0; first < b.cols; first += kBand) {
    const int64_t width = std::min(kBand, b.cols - first);
    for (int64_t i = 0; i < a.rows; ++i) {
      float sums[kBand];
      S* out = c + i * ldc + first;
      for (int64_t j = 0; j < width; ++j) sums[j] = accumulate ? float(out[j]) : 0.0f;
      for (int64_t p = 0; p < a.cols; ++p) {
        const float factor = *a.at(i, p);
        const S* row = b.at(p, first);
        for (int64_t j = 0; j < width; ++j) sums[j] += factor * float(row[j * b.col_stride]);
      }
      for (int64_t j = 0; j < width; ++j) out[j] = S(sums[j]);
    }
  }
}

// Halves times a vector, one row a dot product: sixteen sums at once, the vector as float32.
template <class S>
void multiply_half_vector(MatrixView<S> a, MatrixView<S> x, S* y, int64_t step, bool accumulate) {
  constexpr int kLanesAtOnce = 16;
  const int64_t k = a.cols;
  const Room<float> room(k);
  float* const values = room.data();
  for (int64_t p = 0; p < k; ++p) values[p] = float(*x.at(p, 0));
  parallel_for(a.rows, std::max<int64_t>(1, (1 << 15) / k), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const S* row = a.at(i, 0);
      float sums[kLanesAtOnce] = {}, total = accumulate ? float(y[i * step]) : 0.0f;
      int64_t p = 0;
      for (; a.col_stride == 1 && p + kLanesAtOnce <= k; p += kLanesAtOnce) {
        for (int q = 0; q < kLanesAtOnce; ++q) sums[q] += float(row[p + q]) * values[p + q];
      }
      for (const float sum : sums) total += sum;
      for (; p < k; ++p) total += float(row[p * a.col_stride]) * values[p];
      y[i * step] = S(total);
    }
  });
}

// float16 and bfloat16: the packed panels and the sums are float32, and each sum is rounded once,
// at its end. Nothing larger than a band of columns is ever converted at a time.
template <class S>
void multiply_halves(MatrixView<S> a, MatrixView<S> b, S* c, int64_t ldc, bool accumulate) {
  constexpr int64_t kFew = 1 << 12;
  const int64_t m = a.rows, n = b.cols, k = a.cols, band = std::min<int64_t>(n, 256);
  if (n == 1 && a.row_stride == 1 && ldc == 1) {  // columns lie in memory: a row times a matrix
    return multiply_half_rows(b.transposed(), a.transposed(), c, m, accumulate);
  }
  if (n == 1) return multiply_half_vector(a, b, c, ldc, accumulate);
  if (m == 1 || m * n * k <= kFew) return multiply_half_rows(a, b, c, ldc, accumulate);
  const Room<float> room(m * band);
  float* const sums = room.data();
  for (int64_t j = 0; j < n; j += band) {
    const int64_t width = std::min(band, n - j);
    for (int64_t i = 0; accumulate && i < m; ++i) {
      for (int64_t q = 0; q < width; ++q) sums[i * band + q] = float(c[i * ldc + j + q]);
    }
    multiply_tiled(a, b.col_range(j, width), sums, band, accumulate);
    parallel_for(m, 128, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        for (int64_t q = 0; q < width; ++q) c[i * ldc + j + q] = S(sums[i * band + q]);
      }
    });
  }
}

// The matmul kernel of whole numbers, rows shared among the threads.
template <class T>
void multiply_integers(MatrixView<T> a, MatrixView<T> b, T* c, int64_t ldc, bool accumulate) {
  const int64_t grain = std::max<int64_t>(1, kParallelProduct / 8 / (b.cols * a.cols));
  parallel_for(a.rows, grain, [&](int64_t begin, int64_t end) {
    multiply_rows(a.row_range(begin, end - begin), b, c + begin * ldc, ldc, accumulate);
  });
}

// Inside the matmul kernel: multiplies one item of a batch by the loops for its type and path.
template <class T>
void multiply_matrix(MatrixView<T> a, MatrixView<T> b, T* c, int64_t ldc, bool accumulate,
                     MatmulPath path) {
  constexpr bool is_half = std::is_class_v<T>;
  if (a.cols == 0) {
    for (int64_t i = 0; i < a.rows && !accumulate; ++i) std::fill_n(c + i * ldc, b.cols, T(0.0f));
  } else if constexpr (is_half) {
    if (path == MatmulPath::kNaive) return multiply_half_rows(a, b, c, ldc, accumulate);
    multiply_halves(a, b, c, ldc, accumulate);
  } else {
    if (path == MatmulPath::kNaive) return matmul_naive(a, b, c, ldc, accumulate);
    if constexpr (std::is_floating_point_v<T>) {
      multiply_floats(tidy(a), tidy(b), c, ldc, accumulate, path);
    } else {
      multiply_integers(a, b, c, ldc, accumulate);
    }
  }
}

template <class T>
MatrixView<T> matrix_of(const Array& a, int64_t item) {  // the item-th matrix of a batch
  const int rows = a.ndim - 2, cols = a.ndim - 1;
  return {a.data<T>() + outer_start(a, rows, item), a.shape[rows], a.shape[cols], a.strides[rows],
          a.strides[cols]};
}

// The matmul kernel's loop over the products of a batch, in parallel where there are many.
template <class T>
void multiply_batch(const Array& a, const Array& b, Array& out, bool accumulate, MatmulPath path) {
  if (out.numel == 0) return;
  const int64_t m = out.shape[out.ndim - 2], n = out.shape[out.ndim - 1];
  const int64_t count = out.numel / (m * n), work = m * n * (a.shape[a.ndim - 1] + 1);
  const auto items = [&](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      multiply_matrix(matrix_of<T>(a, item), matrix_of<T>(b, item), out.data<T>() + item * m * n, n,
                      accumulate, path);
    }
  };
  if (count < get_num_threads()) return items(0, count);  // the threads share each product instead
  parallel_for(count, std::max<int64_t>(1, kParallelProduct / 4 / work), items);
}

// The kernel of matmul, by dtype. Whole numbers wrap around on overflow, which C++ only promises
// for unsigned ones: the bits of sum and product are the same.
void matmul(const Array& a, const Array& b, Array& out, bool accumulate, MatmulPath path) {
  switch (out.dtype) {
    case DType::kFloat32:
      return multiply_batch<float>(a, b, out, accumulate, path);
    case DType::kFloat64:
      return multiply_batch<double>(a, b, out, accumulate, path);
    case DType::kInt64:
      return multiply_batch<uint64_t>(a, b, out, accumulate, path);
    case DType::kInt32:
      return multiply_batch<uint32_t>(a, b, out, accumulate, path);
    case DType::kUInt8:
      return multiply_batch<uint8_t>(a, b, out, accumulate, path);
    case DType::kFloat16:
      return multiply_batch<Float16>(a, b, out, accumulate, path);
    case DType::kBFloat16:
      return multiply_batch<BFloat16>(a, b, out, accumulate, path);
    default:
      raise<TypeError>("[matmul] not written for ", name_of(out.dtype));
  }
}
}  // namespace

template <>
const MatmulTable& table<MatmulTable, kIsa>() {
  static constexpr MatmulTable t{&matmul};
  return t;
}
}  // namespace norch
