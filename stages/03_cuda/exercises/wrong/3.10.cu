//: not_rescaled | drops: the old sum belongs to the old largest: scale it
//: you add to the old sum as it is. Its terms were taken relative to a smaller largest, so they
//: count too much.
  T largest = -infinity();
  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    T x = line[at(inner, i)], larger = fmax(largest, x), base = isinf(larger) ? T(0) : larger;
    sum = sum + exp(x - base);
    largest = larger;
  }
  T of_all = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  T base = isinf(of_all) ? T(0) : of_all;
  sum = fold_for_all(sum * exp(largest - base), [](double a, double b) { return a + b; });
  return {base, static_cast<T>(log(sum))};
//: upside_down
//: you scale by the new largest less the old one. That is above 1: the old terms must become
//: smaller.
  T largest = -infinity();
  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    T x = line[at(inner, i)], larger = fmax(largest, x), base = isinf(larger) ? T(0) : larger;
    sum = (largest == larger ? sum : sum * exp(base - largest)) + exp(x - base);
    largest = larger;
  }
  T of_all = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  T base = isinf(of_all) ? T(0) : of_all;
  sum = fold_for_all(sum * exp(largest - base), [](double a, double b) { return a + b; });
  return {base, static_cast<T>(log(sum))};
//: own_base | drops: Bring all of them to the largest of the block
//: you fold sums that belong to different largest elements, one of each thread. Scale each to the
//: largest of the block first.
  T largest = -infinity();
  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    T x = line[at(inner, i)], larger = fmax(largest, x), base = isinf(larger) ? T(0) : larger;
    sum = sum * exp(largest - base) + exp(x - base);
    largest = larger;
  }
  T of_all = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  T base = isinf(of_all) ? T(0) : of_all;
  sum = fold_for_all(sum, [](double a, double b) { return a + b; });
  return {base, static_cast<T>(log(sum))};
//: no_guard | drops: 0 for an infinite largest
//: you subtract an infinity from an infinity, which is no number. Where the largest is infinite,
//: subtract 0.
  T largest = -infinity();
  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    T x = line[at(inner, i)], larger = fmax(largest, x), base = larger;
    sum = sum * exp(largest - base) + exp(x - base);
    largest = larger;
  }
  T of_all = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  T base = of_all;
  sum = fold_for_all(sum * exp(largest - base), [](double a, double b) { return a + b; });
  return {base, static_cast<T>(log(sum))};
//: remembers_base
//: you remember the 0 that stands in for an infinite largest as if it were an element. What is far
//: below 0 then counts for nothing; the largest so far is still `-infinity()`.
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
//: guard_at_the_end
//: you drop the sums of threads whose largest is infinite, after the loop. In the loop a thread may
//: meet `-infinity()` first and a number later; and a NaN must not be dropped. Subtract 0 there
//: already.
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
//: skips
//: you skip what is not above `-infinity()`. A NaN is not, and must not vanish; and `+infinity()`
//: still needs a 0 to subtract.
  T largest = -infinity();
  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    T x = line[at(inner, i)], larger = fmax(largest, x);
    if (!(x > -infinity())) continue;
    sum = sum * exp(largest - larger) + exp(x - larger);
    largest = larger;
  }
  T of_all = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  T base = isinf(of_all) ? T(0) : of_all;
  sum = fold_for_all(sum * exp(largest - base), [](double a, double b) { return a + b; });
  return {base, static_cast<T>(log(sum))};
//: own_sum | drops: then fold them
//: you forgot to fold the sums: each thread returns what it has seen itself.
  T largest = -infinity();
  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    T x = line[at(inner, i)], larger = fmax(largest, x), base = isinf(larger) ? T(0) : larger;
    sum = sum * exp(largest - base) + exp(x - base);
    largest = larger;
  }
  T of_all = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  T base = isinf(of_all) ? T(0) : of_all;
  sum = sum * exp(largest - base);
  return {base, static_cast<T>(log(sum))};
//: from_zero | drops: the largest element so far
//: you take 0 as the largest where nothing has been seen. Where all elements are far below 0, every
//: exponential vanishes. Nothing seen yet is `-infinity()`.
  T largest = 0;
  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    T x = line[at(inner, i)], larger = fmax(largest, x), base = isinf(larger) ? T(0) : larger;
    sum = sum * exp(largest - base) + exp(x - base);
    largest = larger;
  }
  T of_all = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  T base = isinf(of_all) ? T(0) : of_all;
  sum = fold_for_all(sum * exp(largest - base), [](double a, double b) { return a + b; });
  return {base, static_cast<T>(log(sum))};
//: unshifted | drops: the sum of exp(x - largest so far)
//: you take exp of the elements as they are. From about 89 on that is infinite in float32, and far
//: below 0 it is 0.
  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) sum += exp(line[at(inner, i)]);
  sum = fold_for_all(sum, [](double a, double b) { return a + b; });
  return {T(0), static_cast<T>(log(sum))};
//: two_walks | drops: reads each element once
//: you read every element twice: in two walks, or twice in one. The answer is right, and twice as
//: many bytes are read as needed.
  T largest = -infinity();
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    largest = fmax(largest, line[at(inner, i)]);
  }
  largest = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  T base = isinf(largest) ? T(0) : largest;
  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) sum += exp(line[at(inner, i)] - base);
  sum = fold_for_all(sum, [](double a, double b) { return a + b; });
  return {base, static_cast<T>(log(sum))};
//: contiguous | drops: of a line
//: you take the line for contiguous. Element i lies at `line[at(inner, i)]`.
  T largest = -infinity();
  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    T x = line[i], larger = fmax(largest, x), base = isinf(larger) ? T(0) : larger;
    sum = sum * exp(largest - base) + exp(x - base);
    largest = larger;
  }
  T of_all = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  T base = isinf(of_all) ? T(0) : of_all;
  sum = fold_for_all(sum * exp(largest - base), [](double a, double b) { return a + b; });
  return {base, static_cast<T>(log(sum))};
//: expf
//: you take `expf`, which computes in float. T may be a double: `exp` knows both.
  T largest = -infinity();
  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    T x = line[at(inner, i)], larger = fmax(largest, x), base = isinf(larger) ? T(0) : larger;
    sum = sum * exp(largest - base) + expf(x - base);
    largest = larger;
  }
  T of_all = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  T base = isinf(of_all) ? T(0) : of_all;
  sum = fold_for_all(sum * exp(largest - base), [](double a, double b) { return a + b; });
  return {base, static_cast<T>(log(sum))};
//: a_large_number
//: you begin with a number far below 0 as the largest. Elements may be further below: nothing seen
//: yet is `-infinity()`.
  T largest = -1e30f;
  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    T x = line[at(inner, i)], larger = fmax(largest, x), base = isinf(larger) ? T(0) : larger;
    sum = sum * exp(largest - base) + exp(x - base);
    largest = larger;
  }
  T of_all = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  T base = isinf(of_all) ? T(0) : of_all;
  sum = fold_for_all(sum * exp(largest - base), [](double a, double b) { return a + b; });
  return {base, static_cast<T>(log(sum))};
//: everything
//: each thread walks over the whole line, so each element counts as often as there are threads.
  T largest = -infinity();
  double sum = 0;
  for (i64 i = 0; i < length; i++) {
    T x = line[at(inner, i)], larger = fmax(largest, x), base = isinf(larger) ? T(0) : larger;
    sum = sum * exp(largest - base) + exp(x - base);
    largest = larger;
  }
  T of_all = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  T base = isinf(of_all) ? T(0) : of_all;
  sum = fold_for_all(sum * exp(largest - base), [](double a, double b) { return a + b; });
  return {base, static_cast<T>(log(sum))};
//: one_dimension
//: you take the first stride of the line alone. A line may have several dimensions: `at(inner, i)`
//: knows.
  T largest = -infinity();
  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    T x = line[i * inner.strides[0]], larger = fmax(largest, x), base = isinf(larger) ? T(0) : larger;
    sum = sum * exp(largest - base) + exp(x - base);
    largest = larger;
  }
  T of_all = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  T base = isinf(of_all) ? T(0) : of_all;
  sum = fold_for_all(sum * exp(largest - base), [](double a, double b) { return a + b; });
  return {base, static_cast<T>(log(sum))};
//: largest_sum
//: you keep the largest of the threads' sums. They are parts of one sum: add them.
  T largest = -infinity();
  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    T x = line[at(inner, i)], larger = fmax(largest, x), base = isinf(larger) ? T(0) : larger;
    sum = sum * exp(largest - base) + exp(x - base);
    largest = larger;
  }
  T of_all = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  T base = isinf(of_all) ? T(0) : of_all;
  sum = fold_for_all(sum * exp(largest - base), [](double a, double b) { return fmax(a, b); });
  return {base, static_cast<T>(log(sum))};
//: first_element
//: you begin with the first element as the largest. A thread that has nothing, or begins at another
//: one, has not seen it: `-infinity()`.
  T largest = line[0];
  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    T x = line[at(inner, i)], larger = fmax(largest, x), base = isinf(larger) ? T(0) : larger;
    sum = sum * exp(largest - base) + exp(x - base);
    largest = larger;
  }
  T of_all = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  T base = isinf(of_all) ? T(0) : of_all;
  sum = fold_for_all(sum * exp(largest - base), [](double a, double b) { return a + b; });
  return {base, static_cast<T>(log(sum))};
//: float_sum
//: you keep the sum, or take its logarithm, in a float. T may be a double.
  T largest = -infinity();
  float sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    T x = line[at(inner, i)], larger = fmax(largest, x), base = isinf(larger) ? T(0) : larger;
    sum = sum * exp(largest - base) + exp(x - base);
    largest = larger;
  }
  T of_all = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  T base = isinf(of_all) ? T(0) : of_all;
  sum = fold_for_all(sum * exp(largest - base), [](double a, double b) { return a + b; });
  return {base, static_cast<T>(log(sum))};
//: float_fold
//: you fold the sums as floats. They are doubles.
  T largest = -infinity();
  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    T x = line[at(inner, i)], larger = fmax(largest, x), base = isinf(larger) ? T(0) : larger;
    sum = sum * exp(largest - base) + exp(x - base);
    largest = larger;
  }
  T of_all = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  T base = isinf(of_all) ? T(0) : of_all;
  sum = fold_for_all(sum * exp(largest - base), [](float a, float b) { return a + b; });
  return {base, static_cast<T>(log(sum))};
//: infinite_branch
//: you subtract where the largest so far is still `-infinity()`, and an infinity less an infinity
//: is no number. In each branch subtract 0 then.
  T largest = -infinity();
  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    T x = line[at(inner, i)];
    if (x > largest) { sum = sum * exp(largest - x) + 1; largest = x; } else sum += exp(x - largest);
  }
  T of_all = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  T base = isinf(of_all) ? T(0) : of_all;
  sum = fold_for_all(sum * exp(largest - base), [](double a, double b) { return a + b; });
  return {base, static_cast<T>(log(sum))};
//: skips_nan
//: you skip a NaN. The sum of a line that has one is no number either.
  T largest = -infinity();
  double sum = 0;
  for (i64 i = threadIdx.x; i < length; i += blockDim.x) {
    T x = line[at(inner, i)], larger = fmax(largest, x), base = isinf(larger) ? T(0) : larger;
    if (x == x) sum = sum * exp(largest - base) + exp(x - base);
    largest = larger;
  }
  T of_all = fold_for_all(largest, [](T a, T b) { return fmax(a, b); });
  T base = isinf(of_all) ? T(0) : of_all;
  sum = fold_for_all(sum * exp(largest - base), [](double a, double b) { return a + b; });
  return {base, static_cast<T>(log(sum))};
