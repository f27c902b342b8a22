  if (n <= 1024) return vectorised_sum(x, n);
  return pairwise_sum(x, n / 2) + pairwise_sum(x + n / 2, n / 2);
