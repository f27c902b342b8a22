  __syncthreads();
  if (threadIdx.x == 0) {
    for (i64 size = 2; size <= padded; size *= 2) {
      for (i64 distance = size / 2; distance > 0; distance /= 2) {
        for (i64 pair = 0; pair < padded / 2; pair++) {
          i64 i = 2 * pair - (pair & (distance - 1)), j = i + distance;
          bool upwards = (i & size) == 0;
          T a = values[i], b = values[j];
          i64 p = places[i], q = places[j];
          if (before(b, q, a, p, length, descending) != upwards) continue;
          values[i] = b, values[j] = a;
          places[i] = q, places[j] = p;
        }
      }
    }
  }
  __syncthreads();
