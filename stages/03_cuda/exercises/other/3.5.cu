//: two_rows
//: A second row takes the results of a round, so one barrier a round is enough: nobody writes what
//: others read. It costs twice the shared memory; after an odd number of rounds it is copied back.
    __shared__ V other[256];
    V *from = parts, *to = other;
    for (int distance = 1; distance < width; distance *= 2) {
      to[t] = t >= distance ? join(from[t - distance], from[t]) : from[t];
      __syncthreads();
      V* swapped = from;
      from = to;
      to = swapped;
    }
    if (from != parts) parts[t] = from[t];
    __syncthreads();
