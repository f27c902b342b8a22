// matmul_halves: large products of float16 or bfloat16 on tensor cores, straight from the halves. A
// warp holds fragments, matrices of 16 x 16, and one call for all of it multiplies two of them.
// Half is half or __nv_bfloat16; sums are floats, and rounded once, with the bias.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

namespace wmma = nvcuda::wmma;

constexpr int kPiece = 16;                  // the sides of a fragment
constexpr int kSide = 64, kDepth = 32;      // a block has a tile of 64 x 64, in steps of 32
constexpr int kThreads = 4 * kWarp;         // each warp a quarter: 2 x 2 fragments
constexpr int kEight = 8;                   // halves of 16 bytes, fetched at once
constexpr int kHalfPad = 8, kFloatPad = 4;  // unused columns: the next row is in other banks

template <class Half>
struct alignas(16) Eight {
  Half of[kEight];
};

// The part of a matrix for one step, 64 (the side, along out) by 32 (the depth, along the sums). It
// lies in shared memory as in global memory: neighbours are neighbours, and a fragment says which.
template <class Half, bool kAlongDepth>
struct Panel {
  static constexpr int kRows = kAlongDepth ? kSide : kDepth;
  static constexpr int kColumns = kAlongDepth ? kDepth : kSide;
  static constexpr int kPitch = kColumns + kHalfPad;
  alignas(32) Half at[kRows][kPitch];

  // Elements at first + r step + c, with zeros where the matrix has ended.
  __device__ void fetch(const Half* first, i64 step, i64 side, i64 depth) {
    i64 rows = kAlongDepth ? side : depth, columns = kAlongDepth ? depth : side;
    for (int e = kEight * threadIdx.x; e < kRows * kColumns; e += kEight * kThreads) {
      int r = e / kColumns, c = e % kColumns;
      const Half* p = first + r * step + c;
      Eight<Half> eight;
      if (r < rows && c + kEight <= columns && reinterpret_cast<u64>(p) % 16 == 0) {
        eight = *reinterpret_cast<const Eight<Half>*>(p);
      } else {
        for (int i = 0; i < kEight; i++) {
          eight.of[i] = r < rows && c + i < columns ? p[i] : Half(0.0f);
        }
      }
      *reinterpret_cast<Eight<Half>*>(&at[r][c]) = eight;
    }
  }
  __device__ const Half* fragment(int s, int l) const {
    return kAlongDepth ? &at[s][l] : &at[l][s];
  }
};

template <bool kRowMajor>
struct Order {
  using type = wmma::row_major;
};
template <>
struct Order<false> {
  using type = wmma::col_major;
};

// One block: a tile of out of one batch. a_step and b_step are the steps between rows, or, where
// the other direction has neighbours side by side (kRowsOfA or kRowsOfB is false), between columns.
template <class Half, bool kRowsOfA, bool kRowsOfB>
__global__ void matmul_halves_kernel(i64 m, i64 n, i64 k, Layout la, i64 a_step, const Half* a,
                                     Layout lb, i64 b_step, const Half* b, i64 bias_step,
                                     const Half* bias, Half* out) {
  __shared__ Panel<Half, kRowsOfA> a_panel;
  __shared__ Panel<Half, !kRowsOfB> b_panel;
  __shared__ alignas(32) float results[kSide][kSide + kFloatPad];
  wmma::fragment<wmma::matrix_a, kPiece, kPiece, kPiece, Half, typename Order<kRowsOfA>::type> of_a;
  wmma::fragment<wmma::matrix_b, kPiece, kPiece, kPiece, Half, typename Order<kRowsOfB>::type>
      of_b[2];
  wmma::fragment<wmma::accumulator, kPiece, kPiece, kPiece, float> sums[2][2];
  i64 across = (n + kSide - 1) / kSide, down = (m + kSide - 1) / kSide;
  i64 batch = blockIdx.x / across / down;
  i64 top = blockIdx.x / across % down * kSide, left = blockIdx.x % across * kSide;
  int warp = threadIdx.x / kWarp, row = warp / 2 * 2 * kPiece, column = warp % 2 * 2 * kPiece;
  const Half* first_a = a + at(la, batch) + top * (kRowsOfA ? a_step : 1);
  const Half* first_b = b + at(lb, batch) + left * (kRowsOfB ? 1 : b_step);
  for (int i = 0; i < 4; i++) wmma::fill_fragment(sums[i / 2][i % 2], 0.0f);
  for (i64 start = 0; start < k; start += kDepth) {
    a_panel.fetch(first_a + start * (kRowsOfA ? 1 : a_step), a_step, m - top, k - start);
    b_panel.fetch(first_b + start * (kRowsOfB ? b_step : 1), b_step, n - left, k - start);
    __syncthreads();
    for (int l = 0; l < kDepth; l += kPiece) {
      for (int j = 0; j < 2; j++) {
        wmma::load_matrix_sync(of_b[j], b_panel.fragment(column + j * kPiece, l), b_panel.kPitch);
      }
      for (int i = 0; i < 2; i++) {
        wmma::load_matrix_sync(of_a, a_panel.fragment(row + i * kPiece, l), a_panel.kPitch);
        for (int j = 0; j < 2; j++) wmma::mma_sync(sums[i][j], of_a, of_b[j], sums[i][j]);
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++) {
    float* to = &results[row + i / 2 * kPiece][column + i % 2 * kPiece];
    wmma::store_matrix_sync(to, sums[i / 2][i % 2], kSide + kFloatPad, wmma::mem_row_major);
  }
  __syncthreads();
  for (int e = threadIdx.x; e < kSide * kSide; e += kThreads) {
    i64 i = top + e / kSide, j = left + e % kSide;
    if (i >= m || j >= n) continue;
    float shift = bias == nullptr ? 0.0f : static_cast<float>(bias[j * bias_step]);
    out[(batch * m + i) * n + j] = Half(results[e / kSide][e % kSide] + shift);
  }
}
