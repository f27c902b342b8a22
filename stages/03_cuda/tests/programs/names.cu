// What ordinary programs do with names: a max of their own, and std's; groups of groups; shared
// memory that is allowed to one kernel of two.
#include <cooperative_groups.h>
#include <stdio.h>

#include <algorithm>

using namespace std;
namespace cg = cooperative_groups;
#define WIDTH_SHIFT 5

namespace own {
template <class T>
T max(const T& a, const T& b) {
  return b < a ? a : b;
}
__global__ void largest(int* out) {
  int i = threadIdx.x;
  out[i] = max(i, int(blockDim.x) - i);
}
}  // namespace own

// The sum of a group's ranks, whatever group it is.
__device__ int sum_ranks(cg::thread_group group, int* room) {
  room[group.thread_rank()] = group.thread_rank();
  group.sync();
  int sum = 0;
  for (unsigned i = 0; i < group.size(); i++) sum += room[i];
  group.sync();
  return sum;
}
__global__ void groups(int* out) {
  __shared__ int room[1 << WIDTH_SHIFT];
  cg::thread_group tile = cg::tiled_partition(cg::this_thread_block(), 32);
  cg::thread_group half = cg::tiled_partition(tile, 16);
  out[threadIdx.x] = sum_ranks(half, room + threadIdx.x / 16 * 16);
}

template <int N>
__global__ void large(int* out) {
  extern __shared__ int room[];
  room[threadIdx.x] = N;
  out[threadIdx.x] = room[threadIdx.x];
}

int main() {
  int* out;
  cudaMallocManaged(&out, sizeof(int) << WIDTH_SHIFT);
  own::largest<<<1, 1 << WIDTH_SHIFT>>>(out);
  cudaDeviceSynchronize();
  printf("%d %d %d\n", out[0], out[20], max(out[0], out[20]));
  groups<<<1, 1 << WIDTH_SHIFT>>>(out);
  cudaDeviceSynchronize();
  printf("%d %d\n", out[0], out[31]);
  const int bytes = 60000;
  cudaFuncSetAttribute(large<1>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  cudaFuncAttributes one, two;
  cudaFuncGetAttributes(&one, large<1>);
  cudaFuncGetAttributes(&two, large<2>);
  large<1><<<1, 1, bytes>>>(out);
  cudaError_t first = cudaGetLastError();
  large<2><<<1, 1, bytes>>>(out);
  cudaError_t second = cudaGetLastError();
  printf("%d %d %s %s\n", one.maxDynamicSharedSizeBytes, two.maxDynamicSharedSizeBytes,
         cudaGetErrorName(first), cudaGetErrorName(second));
  cudaFree(out);
}
