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
