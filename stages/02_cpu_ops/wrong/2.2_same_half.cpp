  if (n <= 1024) return vectorised_sum(x, n);
  const int64_t half = n / 2;
  return pairwise_sum(x, half) + pairwise_sum(x, n - half);
