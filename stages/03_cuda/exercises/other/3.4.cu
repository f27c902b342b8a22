//: a_tree_in_shared_memory
//: All values go into shared memory, and a tree halves them, as fold_block_pair does further down.
//: It works without shuffles, and needs a barrier for each round and room for each thread.
  __shared__ V all[1024];
  int t = threadIdx.x;
  __syncthreads();  // the block's previous result has been read
  all[t] = value;
  __syncthreads();
  for (int width = blockDim.x; width > 1; width = (width + 1) / 2) {
    int half = (width + 1) / 2;
    if (t + half < width) all[t] = fold(all[t], all[t + half]);
    __syncthreads();
  }
  return all[0];
