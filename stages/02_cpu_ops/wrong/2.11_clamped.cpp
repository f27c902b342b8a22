  const T squares = sum_over<T>(n, [=](int64_t j) { return x[j] * x[j]; });
  return 1 / std::sqrt(std::max(squares / T(n) - mean * mean, T(0)) + eps);
