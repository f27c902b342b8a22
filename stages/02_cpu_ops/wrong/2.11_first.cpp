  const T squares = sum_over<T>(n, [=](int64_t j) { return (x[j] - x[0]) * (x[j] - x[0]); });
  return 1 / std::sqrt(squares / T(n) + eps);
