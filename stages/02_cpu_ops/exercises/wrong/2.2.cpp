//: odd_lost | drops: also when `n` is odd
//: you gave both halves the same length. Of an odd number of elements the last one is lost: the
//: second half is what the first leaves over.
  if (n <= 1024) return vectorised_sum(x, n);
  return pairwise_sum(x, n / 2) + pairwise_sum(x + n / 2, n / 2);
//: one_cut | drops: each summed in the same way
//: you cut once, and sum the halves in one run each. The halves are as long as before, so they
//: lose as many digits: they must be cut again.
  if (n <= 1024) return vectorised_sum(x, n);
  return vectorised_sum(x, n / 2) + vectorised_sum(x + n / 2, n - n / 2);
//: no_short_case | drops: Up to 1024 numbers go to `vectorised_sum(x, n)`
//: you cut down to single numbers. Each call costs more than the addition: up to 1024 numbers are
//: a sum in vectors.
  if (n == 1) return x[0];
  const int64_t half = n / 2;
  return pairwise_sum(x, half) + pairwise_sum(x + half, n - half);
//: unequal | drops: the sum of two halves
//: you cut off 1024 numbers at a time. The rest is then summed almost as one run, and loses as
//: many digits: cut in the middle.
  if (n <= 1024) return vectorised_sum(x, n);
  const int64_t half = 1024;
  return pairwise_sum(x, half) + pairwise_sum(x + half, n - half);
//: one_short | drops: Every element is added once
//: an element is missing: the second part is all that the first leaves over.
  if (n <= 1024) return vectorised_sum(x, n);
  const int64_t half = n / 2;
  return pairwise_sum(x, half) + pairwise_sum(x + half, n - half - 1);
//: same_half
//: you sum the first half twice. The second half begins `half` numbers further on.
  if (n <= 1024) return vectorised_sum(x, n);
  const int64_t half = n / 2;
  return pairwise_sum(x, half) + pairwise_sum(x, n - half);
//: average
//: you return the average of the halves. Their sum is asked for.
  if (n <= 1024) return vectorised_sum(x, n);
  const int64_t half = n / 2;
  return (pairwise_sum(x, half) + pairwise_sum(x + half, n - half)) / 2;
//: overlap
//: the second half begins one number too early: the last one of the first half is added twice.
  if (n <= 1024) return vectorised_sum(x, n);
  const int64_t half = n / 2;
  return pairwise_sum(x, half) + pairwise_sum(x + half - 1, n - half + 1);
