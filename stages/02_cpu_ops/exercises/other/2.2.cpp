//: merged_like_a_counter
//: there is no recursion: parts of 1024 are summed from left to right, and two sums of equally many
//: parts become one at once, as a binary counter carries. It needs an array for the sums that wait,
//: and cuts at multiples of 1024 instead of in the middle.
  float waiting[64];
  int depth = 0;
  for (int64_t part = 0; part * 1024 < n; ++part) {
    const int64_t first = part * 1024;
    waiting[depth++] = vectorised_sum(x + first, std::min<int64_t>(1024, n - first));
    for (int64_t full = part; full % 2 == 1; full /= 2, --depth) {
      waiting[depth - 2] += waiting[depth - 1];
    }
  }
  float sum = 0;
  while (depth > 0) sum += waiting[--depth];
  return sum;
