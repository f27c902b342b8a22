//: a_tree_of_shares
//: The eight parts of a column are halved three times, as in a tree, instead of being added up by
//: one thread. It takes three additions one after the other and not seven, but three barriers more.
    i64 column = first + lane;
    Sum sum = 0;
    for (i64 i = share; column < columns && i < length; i += kShares) {
      sum += x[at(outer, column) + at(inner, i)];
    }
    __syncthreads();  // the parts of the previous columns have been read
    parts[share][lane] = sum;
    for (int half = kShares / 2; half > 0; half /= 2) {
      __syncthreads();
      if (share < half) parts[share][lane] += parts[share + half][lane];
    }
    if (share == 0 && column < columns) out[column] = static_cast<T>(parts[0][lane]);
