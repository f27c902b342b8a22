  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) sum += exp(line[at(inner, i)]);
  sum = fold_for_all(sum, [](double a, double b) { return a + b; });
  return {T(0), static_cast<T>(log(sum))};
