// embedding: the gradient of a table of rows: out[w] = the sum of grad over the elements with index
// w. T is float or double.
//
// `sorted` holds the indices in order, `places` where they stood: so the elements of a row stand
// together, one block adds them up, and no atomics are needed.

// One block: rows of out, which is zero before; its threads share the columns. bad[0] becomes 1 +
// the number of an element whose row does not exist; the host raises IndexError.
extern "C" __global__ void embedding_backward_kernel(i64 n, i64 width, i64 num_rows,
                                                     const i64* sorted, const i64* places,
                                                     i64 grad_row, i64 grad_col, const T* grad,
                                                     i64 padding, i64 by_frequency, T* out,
                                                     i64* bad) {
  for (i64 first = blockIdx.x; first < n; first += gridDim.x) {
    i64 row = sorted[first];
    if (row < 0 || row >= num_rows) atomicMax(bad, places[first] + 1);
    bool begins = first == 0 || sorted[first - 1] != row;
    if (!begins || row == padding || row < 0 || row >= num_rows) continue;
    // ex 3.14 begin
    i64 end = first + 1;
    while (end < n && sorted[end] == row) end++;
    for (i64 j = threadIdx.x; j < width; j += blockDim.x) {
      T sum = 0;
      for (i64 i = first; i < end; i++) sum += grad[places[i] * grad_row + j * grad_col];
      out[row * width + j] = by_frequency ? sum / (end - first) : sum;
    }
    // ex 3.14 end
  }
}
