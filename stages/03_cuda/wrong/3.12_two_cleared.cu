  i64 second = threadIdx.x + blockDim.x;
  if (few && threadIdx.x < bins) own[threadIdx.x] = 0;
  if (few && second < bins) own[second] = 0;
  __syncthreads();
  for (i64 i = first_element(); i < n; i += element_step()) {
    i64 bin = bin_of(i);
    if (bin < 0) continue;
    if (few) atomicAdd(own + bin, 1u);
    if (!few) atomicAdd(total + bin, static_cast<u64>(1));
  }
  __syncthreads();
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) {
    if (own[b] > 0) atomicAdd(total + b, static_cast<u64>(own[b]));
  }
