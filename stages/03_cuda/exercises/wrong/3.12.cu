//: given
  if (few && threadIdx.x < bins) own[threadIdx.x] = 0;
  for (i64 i = first_element(); i <= n; i += element_step()) {
    i64 bin = bin_of(i);
    if (bin < 0) continue;
    if (few) own[bin] += 1;
    if (!few) atomicAdd(total + bin, static_cast<u64>(1));
  }
  __syncthreads();
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) {
    if (own[b] > 0) atomicAdd(total + b, static_cast<u64>(own[b]));
  }
//: past_the_end | drops: Four things are wrong with it
//: one loop goes one element too far: the last one has the number n - 1.
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) own[b] = 0;
  __syncthreads();
  for (i64 i = first_element(); i <= n; i += element_step()) {
    i64 bin = bin_of(i);
    if (bin < 0) continue;
    if (few) atomicAdd(own + bin, 1u);
    if (!few) atomicAdd(total + bin, static_cast<u64>(1));
  }
  __syncthreads();
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) {
    if (own[b] > 0) atomicAdd(total + b, static_cast<u64>(own[b]));
  }
//: one_too_few
//: the loop now stops too early: the last element is never counted.
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) own[b] = 0;
  __syncthreads();
  for (i64 i = first_element(); i < n - 1; i += element_step()) {
    i64 bin = bin_of(i);
    if (bin < 0) continue;
    if (few) atomicAdd(own + bin, 1u);
    if (!few) atomicAdd(total + bin, static_cast<u64>(1));
  }
  __syncthreads();
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) {
    if (own[b] > 0) atomicAdd(total + b, static_cast<u64>(own[b]));
  }
//: no_barrier | drops: Four things are wrong with it
//: a thread counts in a bin that another one has not cleared yet, or clears afterwards. All must
//: have cleared before anyone counts.
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) own[b] = 0;
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
//: only_a_warp
//: you wait for your own warp alone. The bins are cleared by all warps of the block.
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) own[b] = 0;
  __syncwarp();
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
//: moved_barrier
//: you need both barriers: one before the counting, one after it.
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) own[b] = 0;
  __syncthreads();
  for (i64 i = first_element(); i < n; i += element_step()) {
    i64 bin = bin_of(i);
    if (bin < 0) continue;
    if (few) atomicAdd(own + bin, 1u);
    if (!few) atomicAdd(total + bin, static_cast<u64>(1));
  }
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) {
    if (own[b] > 0) atomicAdd(total + b, static_cast<u64>(own[b]));
  }
//: plain_addition | drops: Four things are wrong with it
//: you count with `+=`, which reads, adds and writes. Two threads that read the same old value both
//: write theirs, and one count is lost.
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) own[b] = 0;
  __syncthreads();
  for (i64 i = first_element(); i < n; i += element_step()) {
    i64 bin = bin_of(i);
    if (bin < 0) continue;
    if (few) own[bin] += 1;
    if (!few) atomicAdd(total + bin, static_cast<u64>(1));
  }
  __syncthreads();
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) {
    if (own[b] > 0) atomicAdd(total + b, static_cast<u64>(own[b]));
  }
//: barrier_in_the_loop
//: a barrier does not make an addition safe, as both threads may add before it; and not all threads
//: come to this loop equally often.
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) own[b] = 0;
  __syncthreads();
  for (i64 i = first_element(); i < n; i += element_step()) {
    i64 bin = bin_of(i);
    if (bin < 0) continue;
    if (few) own[bin] += 1;
    __syncthreads();
    if (!few) atomicAdd(total + bin, static_cast<u64>(1));
  }
  __syncthreads();
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) {
    if (own[b] > 0) atomicAdd(total + b, static_cast<u64>(own[b]));
  }
//: few_cleared | drops: Four things are wrong with it
//: each thread clears one bin. With more bins than threads, some are never cleared, and shared
//: memory does not start as zeros.
  if (few && threadIdx.x < bins) own[threadIdx.x] = 0;
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
//: two_cleared
//: each thread clears two bins. `few` allows more than twice as many bins as threads: clear them in
//: a loop.
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
//: clears_beyond
//: you clear more bins than the shared array has. Where they are not `few`, it is not used at all.
  for (i64 b = threadIdx.x; b < bins; b += blockDim.x) own[b] = 0;
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
//: one_bin_too_many
//: the clearing goes one bin too far: the last one has the number bins - 1.
  for (i64 b = threadIdx.x; few && b <= bins; b += blockDim.x) own[b] = 0;
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
//: leaves
//: a thread whose value is in no bin leaves. The others wait for it at the barrier: `continue`.
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) own[b] = 0;
  __syncthreads();
  for (i64 i = first_element(); i < n; i += element_step()) {
    i64 bin = bin_of(i);
    if (bin < 0) return;
    if (few) atomicAdd(own + bin, 1u);
    if (!few) atomicAdd(total + bin, static_cast<u64>(1));
  }
  __syncthreads();
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) {
    if (own[b] > 0) atomicAdd(total + b, static_cast<u64>(own[b]));
  }
//: no_bin
//: you count a value that is in no bin: bin -1 lies before the array.
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) own[b] = 0;
  __syncthreads();
  for (i64 i = first_element(); i < n; i += element_step()) {
    i64 bin = bin_of(i);
    if (few) atomicAdd(own + bin, 1u);
    if (!few) atomicAdd(total + bin, static_cast<u64>(1));
  }
  __syncthreads();
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) {
    if (own[b] > 0) atomicAdd(total + b, static_cast<u64>(own[b]));
  }
//: bin_zero_lost
//: you pass over bin 0. Only what is below 0 is no bin.
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) own[b] = 0;
  __syncthreads();
  for (i64 i = first_element(); i < n; i += element_step()) {
    i64 bin = bin_of(i);
    if (bin <= 0) continue;
    if (few) atomicAdd(own + bin, 1u);
    if (!few) atomicAdd(total + bin, static_cast<u64>(1));
  }
  __syncthreads();
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) {
    if (own[b] > 0) atomicAdd(total + b, static_cast<u64>(own[b]));
  }
//: global_alone
//: you count in global memory alone. The answer is right; where the bins are few, an atomic in
//: shared memory is cheaper.
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) own[b] = 0;
  __syncthreads();
  for (i64 i = first_element(); i < n; i += element_step()) {
    i64 bin = bin_of(i);
    if (bin < 0) continue;
    atomicAdd(total + bin, static_cast<u64>(1));
  }
  __syncthreads();
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) {
    if (own[b] > 0) atomicAdd(total + b, static_cast<u64>(own[b]));
  }
//: at_most_one
//: a bin now counts to 1 and no further: each value adds 1.
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) own[b] = 0;
  __syncthreads();
  for (i64 i = first_element(); i < n; i += element_step()) {
    i64 bin = bin_of(i);
    if (bin < 0) continue;
    if (few) atomicMax(own + bin, 1u);
    if (!few) atomicAdd(total + bin, static_cast<u64>(1));
  }
  __syncthreads();
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) {
    if (own[b] > 0) atomicAdd(total + b, static_cast<u64>(own[b]));
  }
//: each_thread_adds
//: each thread adds all bins of its block to the result. They are to share the bins out.
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) own[b] = 0;
  __syncthreads();
  for (i64 i = first_element(); i < n; i += element_step()) {
    i64 bin = bin_of(i);
    if (bin < 0) continue;
    if (few) atomicAdd(own + bin, 1u);
    if (!few) atomicAdd(total + bin, static_cast<u64>(1));
  }
  __syncthreads();
  for (i64 b = 0; few && b < bins; b++) {
    if (own[b] > 0) atomicAdd(total + b, static_cast<u64>(own[b]));
  }
//: block_0_alone
//: only block 0 hands over what it has counted.
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) own[b] = 0;
  __syncthreads();
  for (i64 i = first_element(); i < n; i += element_step()) {
    i64 bin = bin_of(i);
    if (bin < 0) continue;
    if (few) atomicAdd(own + bin, 1u);
    if (!few) atomicAdd(total + bin, static_cast<u64>(1));
  }
  __syncthreads();
  if (blockIdx.x > 0) return;
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) {
    if (own[b] > 0) atomicAdd(total + b, static_cast<u64>(own[b]));
  }
//: step_of_a_block
//: the values are dealt out among the threads of one block. Each block then counts those of the
//: others again.
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) own[b] = 0;
  __syncthreads();
  for (i64 i = first_element(); i < n; i += blockDim.x) {
    i64 bin = bin_of(i);
    if (bin < 0) continue;
    if (few) atomicAdd(own + bin, 1u);
    if (!few) atomicAdd(total + bin, static_cast<u64>(1));
  }
  __syncthreads();
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) {
    if (own[b] > 0) atomicAdd(total + b, static_cast<u64>(own[b]));
  }
//: stores
//: you store the bins of a block into the result. The other blocks have theirs: add.
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) own[b] = 0;
  __syncthreads();
  for (i64 i = first_element(); i < n; i += element_step()) {
    i64 bin = bin_of(i);
    if (bin < 0) continue;
    if (few) atomicAdd(own + bin, 1u);
    if (!few) atomicAdd(total + bin, static_cast<u64>(1));
  }
  __syncthreads();
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) {
    if (own[b] > 0) total[b] = own[b];
  }
//: plain_result
//: you add to the result with `+=`. The blocks do so at the same time: an atomic.
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) own[b] = 0;
  __syncthreads();
  for (i64 i = first_element(); i < n; i += element_step()) {
    i64 bin = bin_of(i);
    if (bin < 0) continue;
    if (few) atomicAdd(own + bin, 1u);
    if (!few) atomicAdd(total + bin, static_cast<u64>(1));
  }
  __syncthreads();
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) {
    if (own[b] > 0) total[b] += own[b];
  }
//: plain_global
//: where the bins are many you add with `+=`. Several threads may have one bin: an atomic.
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) own[b] = 0;
  __syncthreads();
  for (i64 i = first_element(); i < n; i += element_step()) {
    i64 bin = bin_of(i);
    if (bin < 0) continue;
    if (few) atomicAdd(own + bin, 1u);
    if (!few) total[bin] += 1;
  }
  __syncthreads();
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) {
    if (own[b] > 0) atomicAdd(total + b, static_cast<u64>(own[b]));
  }
//: first_of_each_block
//: each block begins with the values of the first one: what its thread is called within the block
//: is not what it is called in the grid.
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) own[b] = 0;
  __syncthreads();
  for (i64 i = threadIdx.x; i < n; i += element_step()) {
    i64 bin = bin_of(i);
    if (bin < 0) continue;
    if (few) atomicAdd(own + bin, 1u);
    if (!few) atomicAdd(total + bin, static_cast<u64>(1));
  }
  __syncthreads();
  for (i64 b = threadIdx.x; few && b < bins; b += blockDim.x) {
    if (own[b] > 0) atomicAdd(total + b, static_cast<u64>(own[b]));
  }
