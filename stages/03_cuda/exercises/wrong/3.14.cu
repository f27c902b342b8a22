//: given
    i64 end = first + 1;
    while (end < n && sorted[end] == row) end++;
    for (i64 j = first_element(); j < width; j += element_step()) {
      T sum = 0;
      for (i64 i = first; i < end; i++) sum += grad[places[i] * grad_row + j * grad_col];
      out[row * width + j] = by_frequency ? sum / (end - first) : sum;
    }
//: one_element | drops: from `first` to `end`
//: you take the first element of the run alone. A word that stands several times in the text has
//: several gradients, and they are added.
    i64 end = first + 1;
    while (end < n && sorted[end] == row) end++;
    for (i64 j = threadIdx.x; j < width; j += blockDim.x) {
      T sum = 0;
      for (i64 i = first; i <= first; i++) sum += grad[places[i] * grad_row + j * grad_col];
      out[row * width + j] = by_frequency ? sum / (end - first) : sum;
    }
//: first_threads | drops: its own threads share out the `width` columns
//: each thread does at most one column. With more columns than threads, somebody has to come again:
//: that is what the loop's step is for.
    i64 end = first + 1;
    while (end < n && sorted[end] == row) end++;
    for (i64 j = threadIdx.x; j < width; j += width) {
      T sum = 0;
      for (i64 i = first; i < end; i++) sum += grad[places[i] * grad_row + j * grad_col];
      out[row * width + j] = by_frequency ? sum / (end - first) : sum;
    }
//: in_order | drops: in row `places[i]` of `grad`
//: you read row i of the gradient. The indices were sorted: `places[i]` says where element i stood
//: before.
    i64 end = first + 1;
    while (end < n && sorted[end] == row) end++;
    for (i64 j = threadIdx.x; j < width; j += blockDim.x) {
      T sum = 0;
      for (i64 i = first; i < end; i++) sum += grad[i * grad_row + j * grad_col];
      out[row * width + j] = by_frequency ? sum / (end - first) : sum;
    }
//: dense_rows | drops: rows lie `grad_row` apart
//: you take the gradient's rows for contiguous. They lie `grad_row` apart.
    i64 end = first + 1;
    while (end < n && sorted[end] == row) end++;
    for (i64 j = threadIdx.x; j < width; j += blockDim.x) {
      T sum = 0;
      for (i64 i = first; i < end; i++) sum += grad[places[i] * width + j * grad_col];
      out[row * width + j] = by_frequency ? sum / (end - first) : sum;
    }
//: dense_columns | drops: columns `grad_col`
//: you take the gradient's columns for neighbours. They lie `grad_col` apart.
    i64 end = first + 1;
    while (end < n && sorted[end] == row) end++;
    for (i64 j = threadIdx.x; j < width; j += blockDim.x) {
      T sum = 0;
      for (i64 i = first; i < end; i++) sum += grad[places[i] * grad_row + j];
      out[row * width + j] = by_frequency ? sum / (end - first) : sum;
    }
//: run_number | drops: goes to row `row` of `out`
//: you write to the row with the number of the run. The row of the table is the index itself,
//: `row`.
    i64 end = first + 1;
    while (end < n && sorted[end] == row) end++;
    for (i64 j = threadIdx.x; j < width; j += blockDim.x) {
      T sum = 0;
      for (i64 i = first; i < end; i++) sum += grad[places[i] * grad_row + j * grad_col];
      out[first * width + j] = by_frequency ? sum / (end - first) : sum;
    }
//: never_divided | drops: with `by_frequency` it is divided
//: you left out `by_frequency`: the sum is then divided by how often the word was asked for.
    i64 end = first + 1;
    while (end < n && sorted[end] == row) end++;
    for (i64 j = threadIdx.x; j < width; j += blockDim.x) {
      T sum = 0;
      for (i64 i = first; i < end; i++) sum += grad[places[i] * grad_row + j * grad_col];
      out[row * width + j] = sum;
    }
//: always_divided
//: you always divide by the length of the run. That is asked for by `by_frequency` alone.
    i64 end = first + 1;
    while (end < n && sorted[end] == row) end++;
    for (i64 j = threadIdx.x; j < width; j += blockDim.x) {
      T sum = 0;
      for (i64 i = first; i < end; i++) sum += grad[places[i] * grad_row + j * grad_col];
      out[row * width + j] = sum / (end - first);
    }
//: divided_by_all
//: you divide by the number of all indices. The word's own run has `end - first`.
    i64 end = first + 1;
    while (end < n && sorted[end] == row) end++;
    for (i64 j = threadIdx.x; j < width; j += blockDim.x) {
      T sum = 0;
      for (i64 i = first; i < end; i++) sum += grad[places[i] * grad_row + j * grad_col];
      out[row * width + j] = by_frequency ? sum / n : sum;
    }
//: past_the_run
//: the run ends one element too late: the next word's gradient is in the sum.
    i64 end = first + 1;
    while (end < n && sorted[end] == row) end++;
    for (i64 j = threadIdx.x; j < width; j += blockDim.x) {
      T sum = 0;
      for (i64 i = first; i <= end && i < n; i++) sum += grad[places[i] * grad_row + j * grad_col];
      out[row * width + j] = by_frequency ? sum / (end - first) : sum;
    }
//: everybody
//: every thread does all columns, so each number is computed and written as often as the block has
//: threads. They are to share the columns out.
    i64 end = first + 1;
    while (end < n && sorted[end] == row) end++;
    for (i64 j = 0; j < width; j++) {
      T sum = 0;
      for (i64 i = first; i < end; i++) sum += grad[places[i] * grad_row + j * grad_col];
      out[row * width + j] = by_frequency ? sum / (end - first) : sum;
    }
//: thread_0_alone
//: thread 0 does all columns, one after the other, and the others do none. They are to share the
//: columns out.
    i64 end = first + 1;
    while (end < n && sorted[end] == row) end++;
    if (threadIdx.x == 0) {
      for (i64 j = 0; j < width; j++) {
        T sum = 0;
        for (i64 i = first; i < end; i++) sum += grad[places[i] * grad_row + j * grad_col];
        out[row * width + j] = by_frequency ? sum / (end - first) : sum;
      }
    }
//: block_numbers
//: you deal the columns out by the number of the block. The blocks have shared the runs already;
//: within one, the threads share the columns.
    i64 end = first + 1;
    while (end < n && sorted[end] == row) end++;
    for (i64 j = blockIdx.x; j < width; j += gridDim.x) {
      T sum = 0;
      for (i64 i = first; i < end; i++) sum += grad[places[i] * grad_row + j * grad_col];
      out[row * width + j] = by_frequency ? sum / (end - first) : sum;
    }
//: behind_the_indices
//: you look for the end of the run without asking for `n`: the last run has no index behind it.
    i64 end = first + 1;
    while (sorted[end] == row) end++;
    for (i64 j = threadIdx.x; j < width; j += blockDim.x) {
      T sum = 0;
      for (i64 i = first; i < end; i++) sum += grad[places[i] * grad_row + j * grad_col];
      out[row * width + j] = by_frequency ? sum / (end - first) : sum;
    }
//: int_place
//: you keep a place in `grad` in an int. It may lie beyond 2 to the power of 31: `i64`.
    i64 end = first + 1;
    while (end < n && sorted[end] == row) end++;
    for (i64 j = threadIdx.x; j < width; j += blockDim.x) {
      T sum = 0;
      for (i64 i = first; i < end; i++) { int place = places[i]; sum += grad[place * grad_row + j * grad_col]; }
      out[row * width + j] = by_frequency ? sum / (end - first) : sum;
    }
//: int_row
//: you add up the place in `out` in an int. Beyond 2 to the power of 31 it is somewhere else:
//: `i64`.
    i64 end = first + 1;
    while (end < n && sorted[end] == row) end++;
    for (i64 j = threadIdx.x; j < width; j += blockDim.x) {
      T sum = 0;
      for (i64 i = first; i < end; i++) sum += grad[places[i] * grad_row + j * grad_col];
      int to = row * width + j;
      out[to] = by_frequency ? sum / (end - first) : sum;
    }
//: float
//: you keep the sum in a float. T may be a double.
    i64 end = first + 1;
    while (end < n && sorted[end] == row) end++;
    for (i64 j = threadIdx.x; j < width; j += blockDim.x) {
      float sum = 0;
      for (i64 i = first; i < end; i++) sum += grad[places[i] * grad_row + j * grad_col];
      out[row * width + j] = by_frequency ? sum / (end - first) : sum;
    }
//: step_of_a_warp
//: the columns are dealt out in steps of 32. A block may have more threads: several then do the
//: same columns.
    i64 end = first + 1;
    while (end < n && sorted[end] == row) end++;
    for (i64 j = threadIdx.x; j < width; j += kWarp) {
      T sum = 0;
      for (i64 i = first; i < end; i++) sum += grad[places[i] * grad_row + j * grad_col];
      out[row * width + j] = by_frequency ? sum / (end - first) : sum;
    }
//: turned
//: you have exchanged the strides: rows lie `grad_row` apart, columns `grad_col`.
    i64 end = first + 1;
    while (end < n && sorted[end] == row) end++;
    for (i64 j = threadIdx.x; j < width; j += blockDim.x) {
      T sum = 0;
      for (i64 i = first; i < end; i++) sum += grad[places[i] * grad_col + j * grad_row];
      out[row * width + j] = by_frequency ? sum / (end - first) : sum;
    }
//: row_of_the_element
//: you write to the row where the first element stood. The row of the table is the index itself,
//: `row`.
    i64 end = first + 1;
    while (end < n && sorted[end] == row) end++;
    for (i64 j = threadIdx.x; j < width; j += blockDim.x) {
      T sum = 0;
      for (i64 i = first; i < end; i++) sum += grad[places[i] * grad_row + j * grad_col];
      out[places[first] * width + j] = by_frequency ? sum / (end - first) : sum;
    }
//: multiplied
//: you multiply by the length of the run. The sum is divided by it.
    i64 end = first + 1;
    while (end < n && sorted[end] == row) end++;
    for (i64 j = threadIdx.x; j < width; j += blockDim.x) {
      T sum = 0;
      for (i64 i = first; i < end; i++) sum += grad[places[i] * grad_row + j * grad_col];
      out[row * width + j] = by_frequency ? sum * (end - first) : sum;
    }
//: whole_division
//: you divide whole numbers, which drops what stands behind the point.
    i64 end = first + 1;
    while (end < n && sorted[end] == row) end++;
    for (i64 j = threadIdx.x; j < width; j += blockDim.x) {
      T sum = 0;
      for (i64 i = first; i < end; i++) sum += grad[places[i] * grad_row + j * grad_col];
      out[row * width + j] = by_frequency ? static_cast<int>(sum) / (end - first) : sum;
    }
