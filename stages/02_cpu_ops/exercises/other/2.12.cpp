//: first_and_length
//: it keeps the first place that may be the answer and how many follow, instead of two ends. Both
//: branches only choose numbers, which a compiler can do without a jump.
  int64_t first = 0;
  for (int64_t left = n; left > 0;) {
    const int64_t half = left / 2;
    const T x = sorted[first + half];
    const bool stop = right ? x > value : x >= value;
    first = stop ? first : first + half + 1;
    left = stop ? half : left - half - 1;
  }
  return first;
