    i64 end = first + 1;
    while (end < n && sorted[end] == row) end++;
    if (threadIdx.x == 0) {
      for (i64 j = 0; j < width; j++) {
        T sum = 0;
        for (i64 i = first; i < end; i++) sum += grad[places[i] * grad_row + j * grad_col];
        out[row * width + j] = by_frequency ? sum / (end - first) : sum;
      }
    }
