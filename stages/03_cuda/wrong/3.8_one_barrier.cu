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
