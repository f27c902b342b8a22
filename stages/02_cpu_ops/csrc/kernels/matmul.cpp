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
// A block of a (kBlockRows x depth) fits half of a 1 MiB L2; a packed b stays within the L3.
constexpr int64_t kBlockRows = 192, kBlockCols = 2048;
template <class T>
constexpr int64_t kBlockDepth = 1536 / int64_t(sizeof(T));
// Below a million multiply-adds (some ten microseconds) waking another thread does not pay.
constexpr int64_t kParallelProduct = 1 << 20;

// a / b, rounded up: the tiles and tasks that the matmul kernel cuts a side into.
int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

// How c (m, n) is cut into tasks: enough of them to keep every thread busy to the end, none smaller
// than a few tiles.
struct Tasks {
  int64_t rows, cols;  // of one task
  int64_t row_tasks, col_tasks;
};

// How the matmul kernel cuts c into tasks for the threads.
template <class T>
Tasks cut(int64_t m, int64_t n, bool parallel) {
  const int64_t wanted = parallel ? 4 * get_num_threads() : 1;
  int64_t rows = std::min(kBlockRows, ceil_div(m, wanted));
  rows = ceil_div(std::max<int64_t>(rows, 4 * kTileRows), kTileRows) * kTileRows;
  const int64_t row_tasks = ceil_div(m, rows);
  int64_t cols = ceil_div(n, ceil_div(wanted, row_tasks));
  cols = ceil_div(std::max<int64_t>(cols, 4 * kTileCols<T>), kTileCols<T>) * kTileCols<T>;
  return {rows, cols, row_tasks, ceil_div(n, cols)};
}

// c (+)= a b for one block of depth and columns: pack b once, then all tasks share it.
template <class T, class S>
void multiply_panel(MatrixView<S> a, MatrixView<S> b, T* c, int64_t ldc, bool accumulate,
                    T* packed_b, bool parallel) {
  const int64_t m = a.rows, n = b.cols, depth = a.cols;
  const int64_t panels = ceil_div(n, kTileCols<T>);
  const auto pack = [&](int64_t begin, int64_t end) {
    const int64_t first = begin * kTileCols<T>, last = std::min(n, end * kTileCols<T>);
    pack_b(b.col_range(first, last - first), packed_b + first * depth);
  };
  const Tasks tasks = cut<T>(m, n, parallel);
  const auto work = [&](int64_t begin, int64_t end) {
    const Room<T> room(tasks.rows * depth);
    for (int64_t task = begin; task < end; ++task) {
      const int64_t i = task / tasks.col_tasks * tasks.rows,
                    j = task % tasks.col_tasks * tasks.cols;
      multiply_block(a.row_range(i, std::min(tasks.rows, m - i)), packed_b + j * depth,
                     std::min(tasks.cols, n - j), c + i * ldc + j, ldc, accumulate, room.data());
    }
  };
  if (!parallel) {
    pack(0, panels);
    work(0, tasks.row_tasks * tasks.col_tasks);
    return;
  }
  parallel_for(panels, 4, pack);
  parallel_for(tasks.row_tasks * tasks.col_tasks, 1, work);
}

// Inside the matmul kernel: a product in norch's own packed blocks, for float32 and float64.
template <class T>
void multiply_blocked(MatrixView<T> a, MatrixView<T> b, T* c, int64_t ldc, bool accumulate) {
  const int64_t m = a.rows, n = b.cols, k = a.cols;
  const bool parallel = m * n * k > kParallelProduct && get_num_threads() > 1;
  const int64_t widest = ceil_div(std::min(n, kBlockCols), kTileCols<T>) * kTileCols<T>;
  const Room<T> packed_b(widest * std::min(k, kBlockDepth<T>));
  for (int64_t j = 0; j < n; j += kBlockCols) {
    const MatrixView<T> cols = b.col_range(j, std::min(kBlockCols, n - j));
    for (int64_t p = 0; p < k; p += kBlockDepth<T>) {
      const int64_t depth = std::min(kBlockDepth<T>, k - p);
      multiply_panel(a.col_range(p, depth), cols.row_range(p, depth), c + j, ldc,
                     accumulate || p > 0, packed_b.data(), parallel);
    }
  }
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
    if (blas::is_ready() && blas::accepts(a) && blas::accepts(b)) {
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
  constexpr int64_t kDepth = kBlockDepth<float>, kFew = 1 << 12;
  const int64_t m = a.rows, n = b.cols, k = a.cols, band = std::min<int64_t>(n, 256);
  if (n == 1 && a.row_stride == 1 && ldc == 1) {  // columns lie in memory: a row times a matrix
    return multiply_half_rows(b.transposed(), a.transposed(), c, m, accumulate);
  }
  if (n == 1) return multiply_half_vector(a, b, c, ldc, accumulate);
  if (m == 1 || m * n * k <= kFew) return multiply_half_rows(a, b, c, ldc, accumulate);
  const bool parallel = m * n * k > kParallelProduct && get_num_threads() > 1;
  const int64_t panels = ceil_div(band, kTileCols<float>);
  const Room<float> packed(panels * kTileCols<float> * std::min(k, kDepth)), room(m * band);
  float* const sums = room.data();
  for (int64_t j = 0; j < n; j += band) {
    const int64_t width = std::min(band, n - j);
    for (int64_t i = 0; accumulate && i < m; ++i) {
      for (int64_t q = 0; q < width; ++q) sums[i * band + q] = float(c[i * ldc + j + q]);
    }
    const MatrixView<S> cols = b.col_range(j, width);
    for (int64_t p = 0; p < k; p += kDepth) {
      const int64_t depth = std::min(kDepth, k - p);
      multiply_panel(a.col_range(p, depth), cols.row_range(p, depth), sums, band,
                     accumulate || p > 0, packed.data(), parallel);
    }
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
