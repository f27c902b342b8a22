  PerLine<Group, T> scale = sum_exp(lines, x, max_of(lines, x), y);
  for (int k = 0; k < lines.count(); ++k) scale[k] = 1 / scale[k];
  int64_t last = 0;
  for_each(lines, [&](int64_t i, int64_t j, int line) {
    y(i, j) *= scale[line];
    last = i > last ? i : last;
  });
  y(last + 1, 0) = 0;
