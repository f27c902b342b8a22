    for (int distance = 1; distance < width; distance *= 2) {
      V joined = t >= distance ? parts[t - distance] : parts[t];
      __syncthreads();
      parts[t] = joined;
      __syncthreads();
    }
