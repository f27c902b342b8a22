// lessons/sum: four ways to add up n numbers; out has one result for each block, which a second
// launch with one block adds up. blockDim.x is a power of two, at most 256.

// Every thread adds to one number: all wait for each other, and the order (so the rounding) is
// never the same.
extern "C" __global__ void sum_atomic_kernel(i64 n, const T* x, T* out) {
  for (i64 i = first_element(); i < n; i += element_step()) atomicAdd(out + blockIdx.x, x[i]);
}

// A tree in shared memory. In round 1 thread 0 takes 1's number, 2 takes 3's, 4 takes 5's ...; in
// round 2 thread 0 takes 2's, 4 takes 6's. All warps stay busy to the end, with ever fewer threads
// of each at work.
extern "C" __global__ void sum_tree_kernel(i64 n, const T* x, T* out) {
  __shared__ T sums[256];
  int t = threadIdx.x;
  T sum = 0;
  for (i64 i = first_element(); i < n; i += element_step()) sum += x[i];
  sums[t] = sum;
  for (int distance = 1; distance < blockDim.x; distance *= 2) {
    __syncthreads();
    if (t % (2 * distance) == 0) sums[t] += sums[t + distance];
  }
  if (t == 0) out[blockIdx.x] = sums[0];
}

// The same tree folded from the other side: the lower half takes the numbers of the upper half. The
// threads at work stand together, so whole warps have finished and leave the others alone.
extern "C" __global__ void sum_halves_kernel(i64 n, const T* x, T* out) {
  __shared__ T sums[256];
  int t = threadIdx.x;
  T sum = 0;
  for (i64 i = first_element(); i < n; i += element_step()) sum += x[i];
  sums[t] = sum;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) sums[t] += sums[t + half];
  }
  if (t == 0) out[blockIdx.x] = sums[0];
}

// The threads of a warp hand their numbers over directly, without memory and without barriers: five
// shuffles for 32 numbers. Then the first warp does it once more with one number of each warp.
extern "C" __global__ void sum_shuffle_kernel(i64 n, const T* x, T* out) {
  __shared__ T of_warp[kWarp];
  int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  T sum = 0;
  for (i64 i = first_element(); i < n; i += element_step()) sum += x[i];
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    sum += __shfl_down_sync(kAllLanes, sum, distance);
  }
  if (lane == 0) of_warp[warp] = sum;
  __syncthreads();
  if (warp > 0) return;
  sum = lane < blockDim.x / kWarp ? of_warp[lane] : T(0);
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    sum += __shfl_down_sync(kAllLanes, sum, distance);
  }
  if (lane == 0) out[blockIdx.x] = sum;
}
