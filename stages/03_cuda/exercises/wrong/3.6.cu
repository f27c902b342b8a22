//: not_shifted | drops: exp(x - largest)
//: you take exp of the elements as they are. From about 89 on that is infinite in float32, and the
//: softmax is no number.
  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) sum += exp(line[at(inner, i)]);
  sum = fold_for_all(sum, [](double a, double b) { return a + b; });
  return {T(0), static_cast<T>(log(sum))};
//: own_share | drops: Every thread must return the same
//: you forgot to fold the sums. Each thread then divides by what it has seen itself.
  T largest = -infinity();
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    largest = fmax(largest, line[at(inner, i)]);
  }
  largest = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) sum += exp(line[at(inner, i)] - largest);
  return {largest, static_cast<T>(log(sum))};
//: contiguous | drops: element i at `line[at(inner, i)]`
//: you take the line for contiguous. Its element i lies `at(inner, i)` after its beginning.
  T largest = -infinity();
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    largest = fmax(largest, line[i]);
  }
  largest = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) sum += exp(line[i] - largest);
  sum = fold_for_all(sum, [](double a, double b) { return a + b; });
  return {largest, static_cast<T>(log(sum))};
//: from_zero | drops: the largest element
//: you begin with 0 as the largest. Where all elements are far below 0, every exponential
//: vanishes. Nothing seen yet is `-infinity()`.
  T largest = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    largest = fmax(largest, line[at(inner, i)]);
  }
  largest = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) sum += exp(line[at(inner, i)] - largest);
  sum = fold_for_all(sum, [](double a, double b) { return a + b; });
  return {largest, static_cast<T>(log(sum))};
//: own_largest
//: you forgot to fold the largest: each thread subtracts one of its own, and the sums do not fit
//: together.
  T largest = -infinity();
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    largest = fmax(largest, line[at(inner, i)]);
  }
  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) sum += exp(line[at(inner, i)] - largest);
  sum = fold_for_all(sum, [](double a, double b) { return a + b; });
  return {largest, static_cast<T>(log(sum))};
//: float_sum | drops: Sum in double
//: you sum in a T. Beside 1, a float does not see 1e-8, and a probability near 1 has the logarithm
//: 0. Sum in a double.
  T largest = -infinity();
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    largest = fmax(largest, line[at(inner, i)]);
  }
  largest = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  T sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) sum += exp(line[at(inner, i)] - largest);
  sum = fold_for_all(sum, [](T a, T b) { return a + b; });
  return {largest, static_cast<T>(log(sum))};
//: everybody_walks | drops: Each thread walks over its share
//: every thread walks over the whole line. The answer is right, and each element is read by all of
//: them: begin at `threadIdx.x` and go on by `blockDim.x`.
  T largest = -infinity();
  for (i64 i = 0; i < length; i++) largest = fmax(largest, line[at(inner, i)]);
  double sum = 0;
  for (i64 i = 0; i < length; i++) sum += exp(line[at(inner, i)] - largest);
  return {largest, static_cast<T>(log(sum))};
//: counted_by_all
//: every thread sums up the whole line, and then you fold: the sum counts each element as often as
//: there are threads. Each has a share.
  T largest = -infinity();
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    largest = fmax(largest, line[at(inner, i)]);
  }
  largest = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  double sum = 0;
  for (i64 i = 0; i < length; i++) sum += exp(line[at(inner, i)] - largest);
  sum = fold_for_all(sum, [](double a, double b) { return a + b; });
  return {largest, static_cast<T>(log(sum))};
//: guarded | drops: Nothing is done for a largest that is infinite
//: you subtract 0 where the largest is infinite. A line with an infinity has no softmax: all of it
//: is no number, as on the CPU.
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
