//: given
    for (int c = share; c < kWarp; c += kShares) {
      i64 column = first + c;
      Sum sum = 0;
      for (i64 i = lane; column < columns && i < length; i += kWarp) {
        sum += x[at(outer, column) + at(inner, i)];
      }
      for (int distance = kWarp / 2; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(kAllLanes, sum, distance);
      }
      if (lane > 0 || column >= columns) continue;
      out[column] = static_cast<T>(sum);
    }
//: every_fourth | drops: lane c of every warp belongs to column first + c
//: the lanes of a warp still go down a column, eight at a time: each piece of 32 bytes serves four
//: columns. All 32 lanes side by side use all of it.
    int t = share * kWarp + lane, mine = t / kShares, row = t % kShares;
    i64 column = first + mine;
    Sum sum = 0;
    for (i64 i = row; column < columns && i < length; i += kShares) {
      sum += x[at(outer, column) + at(inner, i)];
    }
    __syncthreads();  // the parts of the previous columns have been read
    parts[row][mine] = sum;
    __syncthreads();
    if (row > 0 || column >= columns) continue;
    for (int other = 1; other < kShares; other++) sum += parts[other][mine];
    out[column] = static_cast<T>(sum);
//: one_row
//: one row of threads does all the work, and seven warps of the block have none. Each of the eight
//: takes every eighth element.
    i64 column = first + lane;
    if (share > 0 || column >= columns) continue;
    Sum sum = 0;
    for (i64 i = 0; i < length; i++) sum += x[at(outer, column) + at(inner, i)];
    out[column] = static_cast<T>(sum);
//: no_barrier | drops: when all stand there
//: you add up the parts before all of them have been written: between the two there has to be a
//: barrier.
    i64 column = first + lane;
    Sum sum = 0;
    for (i64 i = share; column < columns && i < length; i += kShares) {
      sum += x[at(outer, column) + at(inner, i)];
    }
    parts[share][lane] = sum;
    if (share > 0 || column >= columns) continue;
    for (int other = 1; other < kShares; other++) sum += parts[other][lane];
    out[column] = static_cast<T>(sum);
//: one_barrier
//: you left out the barrier before the parts are written. In the next round a fast warp writes its
//: new part while share 0 still reads the old one.
    i64 column = first + lane;
    Sum sum = 0;
    for (i64 i = share; column < columns && i < length; i += kShares) {
      sum += x[at(outer, column) + at(inner, i)];
    }
    parts[share][lane] = sum;
    __syncthreads();
    if (share > 0 || column >= columns) continue;
    for (int other = 1; other < kShares; other++) sum += parts[other][lane];
    out[column] = static_cast<T>(sum);
//: contiguous
//: you take the lines for columns of a whole matrix. Element i of a column lies at(inner, i) after
//: its beginning, which is at(outer, column).
    i64 column = first + lane;
    Sum sum = 0;
    for (i64 i = share; column < columns && i < length; i += kShares) {
      sum += x[i * columns + column];
    }
    __syncthreads();  // the parts of the previous columns have been read
    parts[share][lane] = sum;
    __syncthreads();
    if (share > 0 || column >= columns) continue;
    for (int other = 1; other < kShares; other++) sum += parts[other][lane];
    out[column] = static_cast<T>(sum);
//: no_edge | drops: Beyond the last column nothing is read or written
//: you read columns that do not exist: the last 32 may be fewer.
    i64 column = first + lane;
    Sum sum = 0;
    for (i64 i = share; i < length; i += kShares) {
      sum += x[at(outer, column) + at(inner, i)];
    }
    __syncthreads();  // the parts of the previous columns have been read
    parts[share][lane] = sum;
    __syncthreads();
    if (share > 0 || column >= columns) continue;
    for (int other = 1; other < kShares; other++) sum += parts[other][lane];
    out[column] = static_cast<T>(sum);
//: own_part | drops: adds them up
//: share 0 writes its own part alone. The other seven eighths of the column are in `parts`.
    i64 column = first + lane;
    Sum sum = 0;
    for (i64 i = share; column < columns && i < length; i += kShares) {
      sum += x[at(outer, column) + at(inner, i)];
    }
    __syncthreads();  // the parts of the previous columns have been read
    parts[share][lane] = sum;
    __syncthreads();
    if (share > 0 || column >= columns) continue;
    out[column] = static_cast<T>(sum);
//: everything | drops: take every eighth element of it
//: every share adds up the whole column, and the total is eight times as large.
    i64 column = first + lane;
    Sum sum = 0;
    for (i64 i = 0; column < columns && i < length; i++) {
      sum += x[at(outer, column) + at(inner, i)];
    }
    __syncthreads();  // the parts of the previous columns have been read
    parts[share][lane] = sum;
    __syncthreads();
    if (share > 0 || column >= columns) continue;
    for (int other = 1; other < kShares; other++) sum += parts[other][lane];
    out[column] = static_cast<T>(sum);
//: float | drops: Keep each sum in a `Sum`
//: you keep the sum in a T. A float has 24 bits: beside 100 million, a 1 is nothing. A `Sum` is a
//: double.
    i64 column = first + lane;
    T sum = 0;
    for (i64 i = share; column < columns && i < length; i += kShares) {
      sum += x[at(outer, column) + at(inner, i)];
    }
    __syncthreads();  // the parts of the previous columns have been read
    parts[share][lane] = sum;
    __syncthreads();
    if (share > 0 || column >= columns) continue;
    for (int other = 1; other < kShares; other++) sum += parts[other][lane];
    out[column] = static_cast<T>(sum);
//: float_total
//: you add the parts up in a T. Each part is exact, and beside 100 million a 4 is rounded away. The
//: total is a `Sum` as well.
    i64 column = first + lane;
    Sum sum = 0;
    for (i64 i = share; column < columns && i < length; i += kShares) {
      sum += x[at(outer, column) + at(inner, i)];
    }
    __syncthreads();  // the parts of the previous columns have been read
    parts[share][lane] = sum;
    __syncthreads();
    if (share > 0 || column >= columns) continue;
    T total = static_cast<T>(sum);
    for (int other = 1; other < kShares; other++) total += parts[other][lane];
    out[column] = total;
//: leaves | drops: All threads go through every round
//: threads return while others go on to the next columns, where a barrier waits for all of them.
//: `continue` goes on without leaving.
    i64 column = first + lane;
    Sum sum = 0;
    for (i64 i = share; column < columns && i < length; i += kShares) {
      sum += x[at(outer, column) + at(inner, i)];
    }
    __syncthreads();  // the parts of the previous columns have been read
    parts[share][lane] = sum;
    __syncthreads();
    if (share > 0 || column >= columns) return;
    for (int other = 1; other < kShares; other++) sum += parts[other][lane];
    out[column] = static_cast<T>(sum);
//: neighbouring_rows
//: the pieces of your shares overlap, and rows are counted twice where one ends and the next
//: begins.
    i64 column = first + lane;
    Sum sum = 0;
    for (i64 i = share * length / kShares; column < columns && i <= (share + 1) * length / kShares; i++) {
      sum += x[at(outer, column) + at(inner, i)];
    }
    __syncthreads();  // the parts of the previous columns have been read
    parts[share][lane] = sum;
    __syncthreads();
    if (share > 0 || column >= columns) continue;
    for (int other = 1; other < kShares; other++) sum += parts[other][lane];
    out[column] = static_cast<T>(sum);
//: shares_from_one
//: the shares begin at row 1. Share 0 takes row 0, and nobody else does.
    i64 column = first + lane;
    Sum sum = 0;
    for (i64 i = share + 1; column < columns && i < length; i += kShares) {
      sum += x[at(outer, column) + at(inner, i)];
    }
    __syncthreads();  // the parts of the previous columns have been read
    parts[share][lane] = sum;
    __syncthreads();
    if (share > 0 || column >= columns) continue;
    for (int other = 1; other < kShares; other++) sum += parts[other][lane];
    out[column] = static_cast<T>(sum);
//: one_share_lost
//: you add up seven of the eight parts.
    i64 column = first + lane;
    Sum sum = 0;
    for (i64 i = share; column < columns && i < length; i += kShares) {
      sum += x[at(outer, column) + at(inner, i)];
    }
    __syncthreads();  // the parts of the previous columns have been read
    parts[share][lane] = sum;
    __syncthreads();
    if (share > 0 || column >= columns) continue;
    for (int other = 1; other < kShares - 1; other++) sum += parts[other][lane];
    out[column] = static_cast<T>(sum);
//: float_result
//: you carry an element, or the result, in a float. T may be a double.
    i64 column = first + lane;
    Sum sum = 0;
    for (i64 i = share; column < columns && i < length; i += kShares) {
      sum += x[at(outer, column) + at(inner, i)];
    }
    __syncthreads();  // the parts of the previous columns have been read
    parts[share][lane] = sum;
    __syncthreads();
    if (share > 0 || column >= columns) continue;
    for (int other = 1; other < kShares; other++) sum += parts[other][lane];
    out[column] = static_cast<float>(sum);
//: eight_writers
//: all eight threads of a column write the result, each another one. Only share 0 adds the parts
//: up.
    i64 column = first + lane;
    Sum sum = 0;
    for (i64 i = share; column < columns && i < length; i += kShares) {
      sum += x[at(outer, column) + at(inner, i)];
    }
    __syncthreads();  // the parts of the previous columns have been read
    parts[share][lane] = sum;
    __syncthreads();
    if (column >= columns) continue;
    for (int other = 1; other < kShares; other++) sum += parts[other][lane];
    out[column] = static_cast<T>(sum);
//: remainder_lost
//: you cut the column into eight equal pieces and lose what is left over. A length need not be a
//: multiple of 8.
    i64 column = first + lane;
    Sum sum = 0;
    for (i64 i = share * (length / kShares); column < columns && i < (share + 1) * (length / kShares); i++) {
      sum += x[at(outer, column) + at(inner, i)];
    }
    __syncthreads();  // the parts of the previous columns have been read
    parts[share][lane] = sum;
    __syncthreads();
    if (share > 0 || column >= columns) continue;
    for (int other = 1; other < kShares; other++) sum += parts[other][lane];
    out[column] = static_cast<T>(sum);
//: warp_alone
//: you wait for your own warp before the parts are added up. Each of the eight parts comes from
//: another warp.
    i64 column = first + lane;
    Sum sum = 0;
    for (i64 i = share; column < columns && i < length; i += kShares) {
      sum += x[at(outer, column) + at(inner, i)];
    }
    __syncthreads();  // the parts of the previous columns have been read
    parts[share][lane] = sum;
    __syncwarp();
    if (share > 0 || column >= columns) continue;
    for (int other = 1; other < kShares; other++) sum += parts[other][lane];
    out[column] = static_cast<T>(sum);
//: first_columns
//: you take the columns for neighbours in memory. Column c begins at at(outer, c).
    i64 column = first + lane;
    Sum sum = 0;
    for (i64 i = share; column < columns && i < length; i += kShares) {
      sum += x[column + at(inner, i)];
    }
    __syncthreads();  // the parts of the previous columns have been read
    parts[share][lane] = sum;
    __syncthreads();
    if (share > 0 || column >= columns) continue;
    for (int other = 1; other < kShares; other++) sum += parts[other][lane];
    out[column] = static_cast<T>(sum);
