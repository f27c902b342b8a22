"""Kernels as CUDA textbooks and courses have them: vector add, matmul, scan, histogram, wmma, ...

Plain CUDA C++ with its includes, kernels without `extern "C"`, parameters of any type. They are
run by test_textbook_kernels.py, which also shows them to NVIDIA's compiler.
"""
# ruff: noqa: E501 - CUDA in its own layout

VECTOR_ADD = """
__global__ void vecAdd(const float* A, const float* B, float* C, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) C[i] = A[i] + B[i];
}
"""

SAXPY = """
__global__ void saxpy(int n, float a, const float* __restrict__ x, float* __restrict__ y) {
  int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) y[i] = a * x[i] + y[i];
}
"""

COPY_FLOAT4 = """
__global__ void copyVector4(float* out, const float* in, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n / 4) reinterpret_cast<float4*>(out)[i] = reinterpret_cast<const float4*>(in)[i];
  if (i == 0)
    for (size_t j = n / 4 * 4; j < n; ++j) out[j] = in[j];
}
"""

MATMUL_NAIVE = """
__global__ void matmulNaive(const float* A, const float* B, float* C, int M, int N, int K) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < M && col < N) {
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
  }
}
"""

MATMUL_TILED = """
template <typename scalar_t, int TILE>
__global__ void __launch_bounds__(TILE * TILE)
matmulTiled(const scalar_t* A, const scalar_t* B, scalar_t* C, int M, int N, int K) {
  __shared__ scalar_t As[TILE][TILE];
  __shared__ scalar_t Bs[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  scalar_t sum = 0;
  for (int t = 0; t < (K + TILE - 1) / TILE; ++t) {
    As[ty][tx] = row < M && t * TILE + tx < K ? A[row * K + t * TILE + tx] : scalar_t(0);
    Bs[ty][tx] = t * TILE + ty < K && col < N ? B[(t * TILE + ty) * N + col] : scalar_t(0);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; ++k) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
}
"""

TRANSPOSE = """
#define TILE_DIM 32
#define BLOCK_ROWS 8
__global__ void transposeNoBankConflicts(float* odata, const float* idata, int width, int height) {
  __shared__ float tile[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < height && y + j < width) odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
"""

REDUCE_SHARED = """
__global__ void reduceShared(const float* g_idata, float* g_odata, unsigned int n) {
  extern __shared__ float sdata[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
  float mySum = (i < n) ? g_idata[i] : 0;
  if (i + blockDim.x < n) mySum += g_idata[i + blockDim.x];
  sdata[tid] = mySum;
  __syncthreads();
  for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) sdata[tid] = mySum = mySum + sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = mySum;
}
"""

REDUCE_SHUFFLE = """
__inline__ __device__ float warpReduceSum(float val) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2)
    val += __shfl_down_sync(0xffffffff, val, offset);
  return val;
}
__inline__ __device__ float blockReduceSum(float val) {
  static __shared__ float shared[32];
  int lane = threadIdx.x % warpSize;
  int wid = threadIdx.x / warpSize;
  val = warpReduceSum(val);
  if (lane == 0) shared[wid] = val;
  __syncthreads();
  val = (threadIdx.x < blockDim.x / warpSize) ? shared[lane] : 0;
  if (wid == 0) val = warpReduceSum(val);
  return val;
}
__global__ void reduceShuffle(const float* in, float* out, int N) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += blockDim.x * gridDim.x)
    sum += in[i];
  sum = blockReduceSum(sum);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}
"""

SCAN_HILLIS_STEELE = """
__global__ void scanHillisSteele(float* g_odata, const float* g_idata, int n) {
  extern __shared__ float temp[];
  int thid = threadIdx.x;
  int pout = 0, pin = 1;
  temp[pout * n + thid] = g_idata[thid];
  __syncthreads();
  for (int offset = 1; offset < n; offset *= 2) {
    pout = 1 - pout;
    pin = 1 - pout;
    if (thid >= offset)
      temp[pout * n + thid] = temp[pin * n + thid] + temp[pin * n + thid - offset];
    else
      temp[pout * n + thid] = temp[pin * n + thid];
    __syncthreads();
  }
  g_odata[thid] = temp[pout * n + thid];
}
"""

SCAN_BLELLOCH = """
__global__ void scanBlelloch(int* g_odata, const int* g_idata, int n) {
  extern __shared__ int work[];
  int thid = threadIdx.x;
  int offset = 1;
  work[2 * thid] = g_idata[2 * thid];
  work[2 * thid + 1] = g_idata[2 * thid + 1];
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (thid < d) {
      int ai = offset * (2 * thid + 1) - 1;
      int bi = offset * (2 * thid + 2) - 1;
      work[bi] += work[ai];
    }
    offset *= 2;
  }
  if (thid == 0) work[n - 1] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (thid < d) {
      int ai = offset * (2 * thid + 1) - 1;
      int bi = offset * (2 * thid + 2) - 1;
      int t = work[ai];
      work[ai] = work[bi];
      work[bi] += t;
    }
  }
  __syncthreads();
  g_odata[2 * thid] = work[2 * thid];
  g_odata[2 * thid + 1] = work[2 * thid + 1];
}
"""

HISTOGRAM = """
#define NUM_BINS 256
__global__ void histogramShared(const unsigned char* buffer, long size, unsigned int* histo) {
  __shared__ unsigned int temp[NUM_BINS];
  for (int b = threadIdx.x; b < NUM_BINS; b += blockDim.x) temp[b] = 0;
  __syncthreads();
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  int offset = blockDim.x * gridDim.x;
  while (i < size) {
    atomicAdd(&temp[buffer[i]], 1);
    i += offset;
  }
  __syncthreads();
  for (int b = threadIdx.x; b < NUM_BINS; b += blockDim.x) atomicAdd(&histo[b], temp[b]);
}
"""

CONVOLUTION = """
#define RADIUS 3
#define BLOCK_SIZE 64
__constant__ float d_mask[2 * RADIUS + 1];
__global__ void convolution1D(const float* in, float* out, int n) {
  __shared__ float temp[BLOCK_SIZE + 2 * RADIUS];
  int gindex = threadIdx.x + blockIdx.x * blockDim.x;
  int lindex = threadIdx.x + RADIUS;
  temp[lindex] = gindex < n ? in[gindex] : 0.0f;
  if (threadIdx.x < RADIUS) {
    temp[lindex - RADIUS] = gindex >= RADIUS ? in[gindex - RADIUS] : 0.0f;
    temp[lindex + BLOCK_SIZE] = gindex + BLOCK_SIZE < n ? in[gindex + BLOCK_SIZE] : 0.0f;
  }
  __syncthreads();
  if (gindex >= n) return;
  float result = 0.0f;
  for (int offset = -RADIUS; offset <= RADIUS; offset++)
    result += temp[lindex + offset] * d_mask[RADIUS + offset];
  out[gindex] = result;
}
"""

SOFTMAX = """
#include <float.h>
__global__ void softmaxRows(float* out, const float* inp, int N, int C) {
  extern __shared__ float shared[];
  int idx = blockIdx.x;
  int tid = threadIdx.x;
  int block_size = blockDim.x;
  const float* x = inp + idx * C;
  float maxval = -FLT_MAX;
  for (int i = tid; i < C; i += block_size) maxval = fmaxf(maxval, x[i]);
  shared[tid] = maxval;
  for (int stride = block_size / 2; stride >= 1; stride /= 2) {
    __syncthreads();
    if (tid < stride) shared[tid] = fmaxf(shared[tid], shared[tid + stride]);
  }
  __syncthreads();
  float offset = shared[0];
  for (int i = tid; i < C; i += block_size) out[idx * C + i] = expf(x[i] - offset);
  __syncthreads();
  x = out + idx * C;
  float sumval = 0.0f;
  for (int i = tid; i < C; i += block_size) sumval += x[i];
  shared[tid] = sumval;
  for (int stride = block_size / 2; stride >= 1; stride /= 2) {
    __syncthreads();
    if (tid < stride) shared[tid] += shared[tid + stride];
  }
  __syncthreads();
  float sum = shared[0];
  for (int i = tid; i < C; i += block_size) out[idx * C + i] = x[i] / sum;
}
"""

DOT = """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void dotProduct(const double* a, const double* b, double* result, size_t n) {
  cg::thread_block cta = cg::this_thread_block();
  cg::grid_group grid = cg::this_grid();
  __shared__ double partial[32];
  cg::thread_block_tile<32> tile32 = cg::tiled_partition<32>(cta);
  double sum = 0.0;
  for (size_t i = grid.thread_rank(); i < n; i += grid.size()) sum += a[i] * b[i];
  sum = cg::reduce(tile32, sum, cg::plus<double>());
  if (tile32.thread_rank() == 0) partial[tile32.meta_group_rank()] = sum;
  cg::sync(cta);
  if (tile32.meta_group_rank() == 0) {
    double block_sum = tile32.thread_rank() < tile32.meta_group_size() ? partial[tile32.thread_rank()] : 0;
    block_sum = cg::reduce(tile32, block_sum, cg::plus<double>());
    if (tile32.thread_rank() == 0) atomicAdd(result, block_sum);
  }
}
"""

WMMA_GEMM = """
#include <mma.h>
#include <cuda_fp16.h>
using namespace nvcuda;
const int WMMA_M = 16, WMMA_N = 16, WMMA_K = 16;
__global__ void wmmaGemm(half* a, half* b, float* c, int M, int N, int K, float alpha, float beta) {
  int warpM = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  int warpN = (blockIdx.y * blockDim.y + threadIdx.y);
  wmma::fragment<wmma::matrix_a, WMMA_M, WMMA_N, WMMA_K, half, wmma::row_major> a_frag;
  wmma::fragment<wmma::matrix_b, WMMA_M, WMMA_N, WMMA_K, half, wmma::row_major> b_frag;
  wmma::fragment<wmma::accumulator, WMMA_M, WMMA_N, WMMA_K, float> acc_frag;
  wmma::fragment<wmma::accumulator, WMMA_M, WMMA_N, WMMA_K, float> c_frag;
  wmma::fill_fragment(acc_frag, 0.0f);
  for (int i = 0; i < K; i += WMMA_K) {
    int aRow = warpM * WMMA_M, bCol = warpN * WMMA_N;
    if (aRow < M && bCol < N) {
      wmma::load_matrix_sync(a_frag, a + aRow * K + i, K);
      wmma::load_matrix_sync(b_frag, b + i * N + bCol, N);
      wmma::mma_sync(acc_frag, a_frag, b_frag, acc_frag);
    }
  }
  int cRow = warpM * WMMA_M, cCol = warpN * WMMA_N;
  if (cRow < M && cCol < N) {
    wmma::load_matrix_sync(c_frag, c + cRow * N + cCol, N, wmma::mem_row_major);
#pragma unroll
    for (int i = 0; i < c_frag.num_elements; i++)
      c_frag.x[i] = alpha * acc_frag.x[i] + beta * c_frag.x[i];
    wmma::store_matrix_sync(c + cRow * N + cCol, c_frag, N, wmma::mem_row_major);
  }
}
"""

NBODY = """
#define EPS2 1e-4f
__device__ float3 bodyBodyInteraction(float4 bi, float4 bj, float3 ai) {
  float3 r;
  r.x = bj.x - bi.x;
  r.y = bj.y - bi.y;
  r.z = bj.z - bi.z;
  float distSqr = r.x * r.x + r.y * r.y + r.z * r.z + EPS2;
  float distSixth = distSqr * distSqr * distSqr;
  float invDistCube = 1.0f / sqrtf(distSixth);
  float s = bj.w * invDistCube;
  ai.x += r.x * s;
  ai.y += r.y * s;
  ai.z += r.z * s;
  return ai;
}
__global__ void calculateForces(const float4* globalX, float4* globalA, int N) {
  extern __shared__ float4 shPosition[];
  int gtid = blockIdx.x * blockDim.x + threadIdx.x;
  float4 myPosition = globalX[gtid];
  float3 acc = {0.0f, 0.0f, 0.0f};
  for (int i = 0, tile = 0; i < N; i += blockDim.x, tile++) {
    shPosition[threadIdx.x] = globalX[tile * blockDim.x + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < blockDim.x; j++) acc = bodyBodyInteraction(myPosition, shPosition[j], acc);
    __syncthreads();
  }
  globalA[gtid] = make_float4(acc.x, acc.y, acc.z, 0.0f);
}
"""

STENCIL = """
__global__ void heat2D(double* unew, const double* u, int nx, int ny, double r) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1) {
    int id = j * nx + i;
    unew[id] = u[id] + r * (u[id - 1] + u[id + 1] + u[id - nx] + u[id + nx] - 4.0 * u[id]);
  }
}
"""

MANDELBROT = """
#include <stdint.h>
struct Complex {
  float x, y;
  __device__ Complex(float a, float b) : x(a), y(b) {}
  __device__ float norm2() const { return x * x + y * y; }
  __device__ Complex operator*(const Complex& o) const { return Complex(x * o.x - y * o.y, x * o.y + y * o.x); }
  __device__ Complex operator+(const Complex& o) const { return Complex(x + o.x, y + o.y); }
};
__global__ void mandelbrot(uchar4* pixels, int width, int height, uint32_t most, float2 centre) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= width || j >= height) return;
  Complex c(centre.x + 3.0f * i / width - 1.5f, centre.y + 2.0f * j / height - 1.0f), z(0, 0);
  uint32_t n = 0;
  while (n < most && z.norm2() < 4.0f) z = z * z + c, ++n;
  pixels[j * width + i] = make_uchar4(n, n == most, 0, 255);
}
"""

BITONIC_SORT = """
__global__ void bitonicSort(unsigned int* values, int n) {
  extern __shared__ unsigned int keys[];
  const unsigned int tid = threadIdx.x;
  keys[tid] = values[tid];
  __syncthreads();
  for (unsigned int k = 2; k <= n; k *= 2) {
    for (unsigned int j = k / 2; j > 0; j /= 2) {
      unsigned int ixj = tid ^ j;
      if (ixj > tid) {
        bool up = (tid & k) == 0;
        if ((keys[tid] > keys[ixj]) == up) {
          unsigned int tmp = keys[tid];
          keys[tid] = keys[ixj];
          keys[ixj] = tmp;
        }
      }
      __syncthreads();
    }
  }
  values[tid] = keys[tid];
}
"""

LAST_BLOCK = """
__device__ unsigned int count = 0;
__global__ void sumOfAll(const float* array, unsigned int N, volatile float* result) {
  __shared__ bool isLastBlockDone;
  __shared__ float partial;
  if (threadIdx.x == 0) partial = 0;
  __syncthreads();
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) atomicAdd(&partial, array[i]);
  __syncthreads();
  if (threadIdx.x == 0) {
    result[blockIdx.x] = partial;
    __threadfence();
    unsigned int value = atomicInc(&count, gridDim.x);
    isLastBlockDone = (value == (gridDim.x - 1));
  }
  __syncthreads();
  if (isLastBlockDone && threadIdx.x == 0) {
    float total = 0;
    for (int b = 0; b < gridDim.x; b++) total += result[b];
    result[0] = total;
    count = 0;
  }
}
"""
