  const T squares = sum_over<T>(n, [=](int64_t j) { return (x[j] - mean) * (x[j] - mean); });
  return 1 / (std::sqrt(squares / T(n)) + eps);
