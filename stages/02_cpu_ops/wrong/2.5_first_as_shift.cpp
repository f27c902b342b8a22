  PerLine<Group, T> first{};
  for (int k = 0; k < lines.count(); ++k) first[k] = x(0, k);
  PerLine<Group, T> scale = sum_exp(lines, x, first, y);
  for (int k = 0; k < lines.count(); ++k) scale[k] = 1 / scale[k];
  for_each(lines, [&](int64_t i, int64_t j, int line) { y(i, j) *= scale[line]; });
