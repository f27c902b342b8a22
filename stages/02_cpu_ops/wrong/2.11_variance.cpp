  const T squares = sum_over<T>(n, [=](int64_t j) { return (x[j] - mean) * (x[j] - mean); });
  return std::sqrt(squares / T(n) + eps);
