    for (int distance = 1; distance < width; distance *= 2) {
      V joined = t >= distance ? join(parts[t - distance], parts[t]) : parts[t];
      __syncthreads();
      parts[t] = joined;
    }
