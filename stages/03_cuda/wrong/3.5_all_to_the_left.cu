    V joined = parts[0];
    for (int place = 1; place <= t; place++) joined = join(joined, parts[place]);
    __syncthreads();
    parts[t] = joined;
    __syncthreads();
