  PerLine<Group, T> shift = max_of(lines, x);
  for (int k = 0; k < lines.count(); ++k) shift[k] = shift[k] / 2;
  PerLine<Group, T> scale = sum_exp(lines, x, shift, y);
  for (int k = 0; k < lines.count(); ++k) scale[k] = 1 / scale[k];
  for_each(lines, [&](int64_t i, int64_t j, int line) { y(i, j) *= scale[line]; });
