  const T squares = sum_over<T>(n, [=](int64_t j) { return std::abs(x[j] - mean); });
  return 1 / std::sqrt(squares / T(n) + eps);
