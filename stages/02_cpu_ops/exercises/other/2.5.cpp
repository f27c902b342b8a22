//: sweep_by_sweep
//: each step is a sweep of its own over the line: exp, the sum, the division. Each can be read, and
//: tested, alone; the terms are fetched once more than where exp and sum go together.
  const PerLine<Group, T> most = max_of(lines, x);
  for_each(lines, [&](int64_t i, int64_t j, int line) { y(i, j) = exp_of(x(i, j) - most[line]); });
  const PerLine<Group, T> sum =
      sum_of<T>(lines, [&](int64_t i, int j) { return y(i, j); }, [](int64_t) {});
  for_each(lines, [&](int64_t i, int64_t j, int line) { y(i, j) /= sum[line]; });
