  T largest = -infinity();
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    largest = fmax(largest, line[at(inner, i)]);
  }
  largest = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  T shift = isinf(largest) ? T(0) : largest;
  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) sum += exp(line[at(inner, i)] - shift);
  sum = fold_for_all(sum, [](double a, double b) { return a + b; });
  return {shift, static_cast<T>(log(sum))};
