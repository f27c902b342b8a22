  const PerLine<Group, T> sum = sum_exp(lines, x, PerLine<Group, T>{}, y);
  for_each(lines, [&](int64_t i, int64_t j, int line) { y(i, j) *= 1 / sum[line]; });
