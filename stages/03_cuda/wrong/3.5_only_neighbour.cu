    for (int round = 1; round < width; round *= 2) {
      V wider = t >= 1 ? join(parts[t - 1], parts[t]) : parts[t];
      __syncthreads();
      parts[t] = wider;
      __syncthreads();
    }
