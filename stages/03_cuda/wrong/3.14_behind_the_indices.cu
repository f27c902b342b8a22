    i64 end = first + 1;
    while (sorted[end] == row) end++;
    for (i64 j = threadIdx.x; j < width; j += blockDim.x) {
      T sum = 0;
      for (i64 i = first; i < end; i++) sum += grad[places[i] * grad_row + j * grad_col];
      out[row * width + j] = by_frequency ? sum / (end - first) : sum;
    }
