//: the_run_is_found_while_summing
//: The end of the run is met while its rows are added up, so nobody walks over it before. A thread
//: compares indices once more for each of its columns; there is one loop over the run, not two.
    for (i64 j = threadIdx.x; j < width; j += blockDim.x) {
      T sum = 0;
      i64 i = first;
      do {
        sum += grad[places[i] * grad_row + j * grad_col];
        i++;
      } while (i < n && sorted[i] == row);
      out[row * width + j] = by_frequency ? sum / (i - first) : sum;
    }
