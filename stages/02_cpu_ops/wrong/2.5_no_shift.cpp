  const T scale = 1 / sum_exp(x, n, T(0), out);
  for (int64_t j = 0; j < n; ++j) out[j] *= scale;
