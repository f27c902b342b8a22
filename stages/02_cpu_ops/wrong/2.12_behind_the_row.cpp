  int64_t begin = 0, end = n;
  while (begin <= end) {
    const int64_t middle = begin + (end - begin) / 2;
    const bool stop = right ? sorted[middle] > value : sorted[middle] >= value;
    if (stop)
      end = middle - 1;
    else
      begin = middle + 1;
  }
  return begin;
