//: in_double
//: the distances are squared and added in double, one after the other. That keeps more digits of
//: the sum, and is slower: no vectors, and each addition waits for the one before.
  double squares = 0;
  for (int64_t j = 0; j < n; ++j) squares += double(x[j] - mean) * double(x[j] - mean);
  return T(1 / std::sqrt(squares / double(n) + eps));
