  if (n <= 1024) return vectorised_sum(x, n);
  return vectorised_sum(x, n / 2) + vectorised_sum(x + n / 2, n - n / 2);
