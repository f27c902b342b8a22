//: given
  const T squares = sum_over<T>(n, [=](int64_t j) { return x[j] * x[j]; });
  return 1 / std::sqrt(squares / T(n) - mean * mean + eps);
//: variance | drops: one over
//: you return the square root itself. The row is multiplied by what you return: one over it.
  const T squares = sum_over<T>(n, [=](int64_t j) { return (x[j] - mean) * (x[j] - mean); });
  return std::sqrt(squares / T(n) + eps);
//: no_root | drops: the square root of
//: you return one over the variance. The row is divided by its square root, the standard
//: deviation.
  const T squares = sum_over<T>(n, [=](int64_t j) { return (x[j] - mean) * (x[j] - mean); });
  return 1 / (squares / T(n) + eps);
//: no_eps | drops: plus `eps`
//: you left out `eps`. A row of equal numbers has the variance 0, and one over its root is
//: infinite.
  const T squares = sum_over<T>(n, [=](int64_t j) { return (x[j] - mean) * (x[j] - mean); });
  return 1 / std::sqrt(squares / T(n));
//: sum | drops: the average of
//: you take the sum of the squares for the variance. It is their average: a longer row does not
//: spread more.
  const T squares = sum_over<T>(n, [=](int64_t j) { return (x[j] - mean) * (x[j] - mean); });
  return 1 / std::sqrt(squares + eps);
//: absolute | drops: the squared distances from the mean
//: you average distances, not their squares. The variance is the average of the squares.
  const T squares = sum_over<T>(n, [=](int64_t j) { return std::abs(x[j] - mean); });
  return 1 / std::sqrt(squares / T(n) + eps);
//: about_0
//: you average the squares of the numbers themselves: what is missing is the mean. Subtract it
//: first.
  const T squares = sum_over<T>(n, [=](int64_t j) { return x[j] * x[j]; });
  return 1 / std::sqrt(squares / T(n) + eps);
//: one_less
//: you divide by n - 1. That estimates the spread of a larger population; `layer_norm` divides by
//: n.
  const T squares = sum_over<T>(n, [=](int64_t j) { return (x[j] - mean) * (x[j] - mean); });
  return 1 / std::sqrt(squares / T(n - 1) + eps);
//: eps_outside
//: you add `eps` to the root. It belongs under it: to the variance.
  const T squares = sum_over<T>(n, [=](int64_t j) { return (x[j] - mean) * (x[j] - mean); });
  return 1 / (std::sqrt(squares / T(n)) + eps);
//: clamped
//: you keep the difference of two large numbers, and only stop it from being negative. The NaN is
//: gone and the digits are still lost: subtract before you square.
  const T squares = sum_over<T>(n, [=](int64_t j) { return x[j] * x[j]; });
  return 1 / std::sqrt(std::max(squares / T(n) - mean * mean, T(0)) + eps);
//: first
//: you measure the distances from the first number. They are those from the mean.
  const T squares = sum_over<T>(n, [=](int64_t j) { return (x[j] - x[0]) * (x[j] - x[0]); });
  return 1 / std::sqrt(squares / T(n) + eps);
//: in_double
//: you add in double, and still subtract two large numbers: `mean` was rounded to 24 bits before,
//: and its square brings that error along. Subtract before you square.
  double squares = 0;
  for (int64_t j = 0; j < n; ++j) squares += double(x[j]) * x[j];
  return T(1 / std::sqrt(squares / n - double(mean) * mean + eps));
//: in_float32
//: you square in float32. T may be double, and its digits are lost.
  const float squares = sum_over<float>(n, [=](int64_t j) {
    const float apart = float(x[j] - mean);
    return apart * apart;
  });
  return 1 / std::sqrt(T(squares) / T(n) + eps);
//: about_the_first
//: you measure from the first number and mend that with a difference of two squares. Where the
//: first lies far from the others, both are large, and the digits are lost again.
  const T first = x[0];
  const T squares = sum_over<T>(n, [=](int64_t j) { return (x[j] - first) * (x[j] - first); });
  return 1 / std::sqrt(squares / T(n) - (mean - first) * (mean - first) + eps);
//: at_least_eps
//: you take the larger of variance and `eps`. It is added to the variance, whatever that is.
  const T squares = sum_over<T>(n, [=](int64_t j) { return (x[j] - mean) * (x[j] - mean); });
  return 1 / std::sqrt(std::max(squares / T(n), eps));
//: last_left_out
//: the last number of the row is left out.
  T squares = 0;
  for (int64_t j = 0; j + 1 < n; ++j) squares += (x[j] - mean) * (x[j] - mean);
  return 1 / std::sqrt(squares / T(n) + eps);
//: zero_for_equal
//: you return 0 for a row of equal numbers. Its variance is 0, and with `eps` one over the root is
//: a number like any other.
  const T squares = sum_over<T>(n, [=](int64_t j) { return (x[j] - mean) * (x[j] - mean); });
  return squares == 0 ? T(0) : 1 / std::sqrt(squares / T(n) + eps);
//: another_eps
//: you add a constant of your own. `eps` says how much.
  const T squares = sum_over<T>(n, [=](int64_t j) { return (x[j] - mean) * (x[j] - mean); });
  return 1 / std::sqrt(squares / T(n) + T(1e-8));
//: half_subtracted
//: you subtract the mean from one factor alone. The products stay large, and their digits are lost:
//: both factors are distances.
  const T squares = sum_over<T>(n, [=](int64_t j) { return x[j] * (x[j] - mean); });
  return 1 / std::sqrt(squares / T(n) + eps);
//: one_more
//: you divide by n + 1. The average of n squares is their sum over n.
  const T squares = sum_over<T>(n, [=](int64_t j) { return (x[j] - mean) * (x[j] - mean); });
  return 1 / std::sqrt(squares / T(n + 1) + eps);
//: over_the_variance
//: you divide the deviation by the variance. Of a row of equal numbers that is infinite: one over
//: the root, with `eps` under it.
  const T squares = sum_over<T>(n, [=](int64_t j) { return (x[j] - mean) * (x[j] - mean); });
  return std::sqrt(squares / T(n) + eps) / (squares / T(n));
