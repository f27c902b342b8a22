// lessons/wmma: the step after lessons/matmul.cu: a warp multiplies 16 x 16 matrices on a tensor
// core. Half is half or __nv_bfloat16 (the latter from compute capability 8.0 on); a (m, k), b
// (k, n) and out (m, n) are contiguous. Sums are floats, and rounded once: when they are written.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

namespace wmma = nvcuda::wmma;

constexpr int kPiece = 16;         // the sides of a fragment: a matrix that a warp holds together
constexpr int kSide = 2 * kPiece;  // 2 x 2 warps have a 32 x 32 tile of out, each a quarter
constexpr int kThreads = 4 * kWarp;
constexpr int kHalfPad = 8, kFloatPad = 4;  // unused columns: the next row is in other banks

// One block: a tile of out. It walks along k in steps of 16. In each step its threads fetch a tile
// of a and one of b into shared memory, with zeros where a matrix has ended, and each warp loads
// its two fragments from there: 256 elements each, 8 in every lane. Then one call for the whole
// warp does 16 * 16 * 16 multiplications and additions. Fragments go by rows of fixed length and
// know no edges: so the sums leave by shared memory too, and only what lies in out is written.
template <class Half>
__global__ void matmul_wmma_kernel(i64 m, i64 n, i64 k, const Half* a, const Half* b, Half* out) {
  __shared__ alignas(32) Half a_tile[kSide][kPiece + kHalfPad];
  __shared__ alignas(32) Half b_tile[kPiece][kSide + kHalfPad];
  __shared__ alignas(32) float sums[kSide][kSide + kFloatPad];
  wmma::fragment<wmma::matrix_a, kPiece, kPiece, kPiece, Half, wmma::row_major> of_a;
  wmma::fragment<wmma::matrix_b, kPiece, kPiece, kPiece, Half, wmma::row_major> of_b;
  wmma::fragment<wmma::accumulator, kPiece, kPiece, kPiece, float> sum;
  int thread = threadIdx.x, warp = thread / kWarp;
  int row = warp / 2 * kPiece, column = warp % 2 * kPiece;  // of the warp's quarter
  i64 top = static_cast<i64>(blockIdx.y) * kSide, left = static_cast<i64>(blockIdx.x) * kSide;
  wmma::fill_fragment(sum, 0.0f);
  for (i64 start = 0; start < k; start += kPiece) {
    for (int e = thread; e < kSide * kPiece; e += kThreads) {
      int y = e / kPiece, x = e % kPiece, r = e / kSide, c = e % kSide;
      bool in_a = top + y < m && start + x < k, in_b = start + r < k && left + c < n;
      a_tile[y][x] = in_a ? a[(top + y) * k + start + x] : Half(0.0f);
      b_tile[r][c] = in_b ? b[(start + r) * n + left + c] : Half(0.0f);
    }
    __syncthreads();
    wmma::load_matrix_sync(of_a, &a_tile[row][0], kPiece + kHalfPad);
    wmma::load_matrix_sync(of_b, &b_tile[0][column], kSide + kHalfPad);
    wmma::mma_sync(sum, of_a, of_b, sum);
    __syncthreads();
  }
  wmma::store_matrix_sync(&sums[row][column], sum, kSide + kFloatPad, wmma::mem_row_major);
  __syncthreads();
  for (int e = thread; e < kSide * kSide; e += kThreads) {
    int y = e / kSide, x = e % kSide;
    if (top + y < m && left + x < n) out[(top + y) * n + left + x] = Half(sums[y][x]);
  }
}
