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
