    for (int distance = 1; distance < width; distance *= 2) {
      if (t >= distance) parts[t] = join(parts[t - distance], parts[t]);
      __syncthreads();
    }
