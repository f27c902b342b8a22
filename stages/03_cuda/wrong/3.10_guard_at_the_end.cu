  T largest = -infinity();
  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    T x = line[at(inner, i)], larger = fmax(largest, x);
    sum = sum * exp(largest - larger) + exp(x - larger);
    largest = larger;
  }
  T of_all = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  T base = isinf(of_all) ? T(0) : of_all;
  sum = isinf(largest) ? 0 : sum * exp(largest - base);
  sum = fold_for_all(sum, [](double a, double b) { return a + b; });
  return {base, static_cast<T>(log(sum))};
