  T largest = -infinity();
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    largest = fmax(largest, line[at(inner, i)]);
  }
  largest = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  T sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) sum += exp(line[at(inner, i)] - largest);
  sum = fold_for_all(sum, [](T a, T b) { return a + b; });
  return {largest, static_cast<T>(log(sum))};
