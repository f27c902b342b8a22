    for (int place = 1; t == 0 && place < width; place++) {
      parts[place] = join(parts[place - 1], parts[place]);
    }
    __syncthreads();
