  T largest = -infinity();
  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    T x = line[at(inner, i)], larger = fmax(largest, x), base = isinf(larger) ? T(0) : larger;
    sum = sum * exp(largest - base) + exp(x - base);
    largest = base;
  }
  T of_all = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  T base = isinf(of_all) ? T(0) : of_all;
  sum = fold_for_all(sum * exp(largest - base), [](double a, double b) { return a + b; });
  return {base, static_cast<T>(log(sum))};
