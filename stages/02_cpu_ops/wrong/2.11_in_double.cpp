  double squares = 0;
  for (int64_t j = 0; j < n; ++j) squares += double(x[j]) * x[j];
  return T(1 / std::sqrt(squares / n - double(mean) * mean + eps));
