//: by_entries
//: Threads take entries and not pairs: the one with the lower number handles the pair. Finding the
//: partner is one `^`, and half of the threads of a round have nothing to do.
  for (i64 size = 2; size <= padded; size *= 2) {
    for (i64 distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      for (i64 i = threadIdx.x; i < padded; i += blockDim.x) {
        i64 j = i ^ distance;
        if (j < i) continue;
        T a = values[i], b = values[j];
        i64 p = places[i], q = places[j];
        if (before(b, q, a, p, length, descending) != ((i & size) == 0)) continue;
        values[i] = b, values[j] = a;
        places[i] = q, places[j] = p;
      }
    }
  }
  __syncthreads();
