// One fault of a kernel for each name: kernel_faults name. The line of a fault ends with its name.
#include <cassert>
#include <cstdio>
#include <cstring>

constexpr int kThreads = 64;
__constant__ float table[4];
__device__ int* kept;

__global__ void race(float* x) {
  __shared__ float tile[kThreads];
  tile[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];  // race
}
__global__ void blocks(float* x) {
  x[threadIdx.x] = float(blockIdx.x);  // blocks
}
__global__ void unset_shared(float* x) {
  __shared__ float tile[kThreads];
  if (threadIdx.x < 32) tile[threadIdx.x] = 1;
  __syncthreads();
  x[threadIdx.x] = tile[threadIdx.x];  // unset_shared
}
__global__ void unset_global(float* x, const float* y) {
  x[threadIdx.x] = y[threadIdx.x];  // unset_global
}
__global__ void unset_local(float* x) {
  float sum;
  for (int i = 0; i < 4; i++) sum += x[i];  // unset_local
  x[threadIdx.x] = sum;
}
__global__ void before(float* x) {
  x[int(threadIdx.x) - 1] = 1;  // before
}
__global__ void behind_shared(float* x) {
  __shared__ float tile[kThreads];
  tile[threadIdx.x + 1] = x[threadIdx.x];  // behind_shared
  __syncthreads();
  x[threadIdx.x] = tile[threadIdx.x];
}
__global__ void behind_dynamic(float* x) {
  extern __shared__ float dynamic[];
  dynamic[threadIdx.x] = x[threadIdx.x];  // behind_dynamic
}
__global__ void behind_constant(float* x) {
  x[threadIdx.x] = table[threadIdx.x];  // behind_constant
}
__global__ void divergent(float* x) {
  if (threadIdx.x < 10) {
    __syncthreads();  // divergent
  } else {
    __syncthreads();
  }
  x[threadIdx.x] = 1;
}
__global__ void misaligned(float* x) {
  *reinterpret_cast<float4*>(x + 1) = make_float4(1, 2, 3, 4);  // misaligned
}
__global__ void null(float* x, float* nothing) {
  x[0] = nothing[threadIdx.x];  // null
}
__global__ void asserts(const float* x) {
  assert(x[threadIdx.x] > 1);  // asserts
}
__global__ void divides(int* x, int by) {
  x[threadIdx.x] /= by;  // divides
}
__global__ void endless(volatile int* x) {
  while (x[0] == 0) {  // endless
  }
}
__global__ void mixed(int* x) {
  if (threadIdx.x == 0) x[0] = 5;
  atomicAdd(x, 1);  // mixed
}
__global__ void uses_freed(int* x) {
  x[threadIdx.x] = 1;  // uses_freed
}
__global__ void host_memory(float* x) {
  x[threadIdx.x] = 1;  // host_memory
}
__global__ void keep(int* x) { kept = x; }
__global__ void through_kept() {
  kept[threadIdx.x] = 1;  // through_kept
}
__global__ void heap(float* x) {
  float* own = static_cast<float*>(malloc(4 * sizeof(float)));
  own[threadIdx.x] = x[threadIdx.x];  // heap
  x[threadIdx.x] = own[threadIdx.x];
  free(own);
}

int main(int, char** argv) {
  float *x, *y, host[kThreads] = {};
  int* numbers;
  auto is = [&](const char* name) { return std::strcmp(argv[1], name) == 0; };
  cudaMalloc(&x, sizeof host);
  cudaMalloc(&y, sizeof host);
  cudaMalloc(&numbers, sizeof host);
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(numbers, 0, sizeof host);
  if (is("race")) race<<<1, kThreads>>>(x);
  if (is("blocks")) blocks<<<2, kThreads>>>(x);
  if (is("unset_shared")) unset_shared<<<1, kThreads>>>(x);
  if (is("unset_global")) unset_global<<<1, kThreads>>>(x, y);
  if (is("unset_local")) unset_local<<<1, 1>>>(x);
  if (is("before")) before<<<1, kThreads>>>(x);
  if (is("behind_shared")) behind_shared<<<1, kThreads>>>(x);
  if (is("behind_dynamic")) behind_dynamic<<<1, kThreads, 32 * sizeof(float)>>>(x);
  if (is("behind_constant")) behind_constant<<<1, kThreads>>>(x);
  if (is("divergent")) divergent<<<1, kThreads>>>(x);
  if (is("misaligned")) misaligned<<<1, 1>>>(x);
  if (is("null")) null<<<1, kThreads>>>(x, nullptr);
  if (is("asserts")) asserts<<<1, kThreads>>>(x);
  if (is("divides")) divides<<<1, kThreads>>>(numbers, 0);
  if (is("endless")) endless<<<1, kThreads>>>(numbers);
  if (is("mixed")) mixed<<<1, kThreads>>>(numbers);
  if (is("heap")) heap<<<1, kThreads>>>(x);
  if (is("host_memory")) host_memory<<<1, kThreads>>>(host);
  if (is("through_kept")) keep<<<1, 1>>>(numbers);
  cudaFree(numbers);
  if (is("uses_freed")) uses_freed<<<1, kThreads>>>(numbers);
  if (is("through_kept")) through_kept<<<1, kThreads>>>();
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
