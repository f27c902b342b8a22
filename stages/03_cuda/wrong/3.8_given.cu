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
