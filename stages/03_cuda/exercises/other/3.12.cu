//: the_counter_is_chosen
//: Where a thread counts is decided once, before the loop over the values, by two loops: one for
//: shared memory and one for global memory. No question is left in a loop; some lines stand twice.
  if (!few) {
    for (i64 i = first_element(); i < n; i += element_step()) {
      if (bin_of(i) >= 0) atomicAdd(total + bin_of(i), static_cast<u64>(1));
    }
    return;  // the whole block leaves: `bins` is the same for all its threads
  }
  for (i64 b = threadIdx.x; b < bins; b += blockDim.x) own[b] = 0;
  __syncthreads();
  for (i64 i = first_element(); i < n; i += element_step()) {
    if (bin_of(i) >= 0) atomicAdd(own + bin_of(i), 1u);
  }
  __syncthreads();
  for (i64 b = threadIdx.x; b < bins; b += blockDim.x) atomicAdd(total + b, u64{own[b]});
