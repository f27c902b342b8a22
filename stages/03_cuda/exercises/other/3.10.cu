//: branches
//: A branch tells the two cases apart: a larger element scales the sum and counts as 1, any other
//: is added. Each element costs one exponential and not two; lanes of a warp that disagree wait.
  T largest = -infinity();
  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    T x = line[at(inner, i)];
    if (x > largest) {
      sum = (isinf(x) ? 0 : sum * exp(largest - x)) + (isinf(x) ? infinity() : 1);
      largest = x;
    } else if (x != -infinity()) {
      sum += isinf(x) ? infinity() : exp(x - largest);
    }
  }
  T top = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  T base = isinf(top) ? T(0) : top;
  if (sum > 0) sum *= exp(largest - base);
  sum = fold_for_all(sum, [](double a, double b) { return a + b; });
  return {base, static_cast<T>(log(sum))};
