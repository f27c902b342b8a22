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
  if (n <= 1) return n == 1 ? x[0] : 0;
  const int64_t half = n / 2;
  return pairwise_sum(x, half) + pairwise_sum(x + half, n - half);
//: unequal | drops: the sum of two halves
//: you add 1024 numbers at a time. That is a run of parts, whose total swallows the low digits of
//: the next: cut in the middle.
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
//: in_double
//: you add in double, in one run. That keeps the digits, at half the numbers a vector: `x` is
//: summed in float32, half by half, and the short parts by `vectorised_sum`.
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i];
  return float(sum);
//: in_one_run
//: you sum many numbers in one run. A large total swallows the low digits of what is added to it:
//: cut above 1024 numbers.
  return vectorised_sum(x, n);
//: one_by_one
//: you add one number after the other. The total is soon so large that it swallows the low digits
//: of the rest.
  float sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i];
  return sum;
//: below_1024
//: you cut 1024 numbers as well. Up to 1024, 1024 included, they go to `vectorised_sum`.
  if (n < 1024) return vectorised_sum(x, n);
  const int64_t half = n / 2;
  return pairwise_sum(x, half) + pairwise_sum(x + half, n - half);
//: in_thirds
//: you cut into three parts. Two halves are asked for, each summed in the same way.
  if (n <= 1024) return vectorised_sum(x, n);
  const int64_t third = n / 3;
  return pairwise_sum(x, third) + pairwise_sum(x + third, third) +
         pairwise_sum(x + 2 * third, n - 2 * third);
//: one_behind
//: both halves are rounded up, so the second one reads a number behind the array. It is all that
//: the first leaves over.
  if (n <= 1024) return vectorised_sum(x, n);
  const int64_t half = (n + 1) / 2;
  return pairwise_sum(x, half) + pairwise_sum(x + half, half);
//: short_parts_one_by_one
//: the halves are right, and the short parts are summed number by number. Up to 1024 numbers go to
//: `vectorised_sum`.
  if (n <= 1024) return naive_sum(x, n);
  const int64_t half = n / 2;
  return pairwise_sum(x, half) + pairwise_sum(x + half, n - half);
//: short_parts_unrolled
//: the halves are right, and the short parts are summed in four single numbers. Up to 1024 numbers
//: go to `vectorised_sum`.
  if (n <= 1024) return unrolled_sum(x, n);
  const int64_t half = n / 2;
  return pairwise_sum(x, half) + pairwise_sum(x + half, n - half);
//: even_and_odd
//: you sum every second number, twice, each in one long run. Halves are cut in the middle, and cut
//: again.
  if (n <= 1024) return vectorised_sum(x, n);
  float even = 0, odd = 0;
  for (int64_t i = 0; i < n; i += 2) even += x[i];
  for (int64_t i = 1; i < n; i += 2) odd += x[i];
  return even + odd;
//: kahan
//: you keep the digits that are lost in a second number (Kahan's sum). It is as exact, one addition
//: after the other; the sum of two halves is asked for.
  float sum = 0, lost = 0;
  for (int64_t i = 0; i < n; ++i) {
    const float y = x[i] - lost, next = sum + y;
    lost = (next - sum) - y;
    sum = next;
  }
  return sum;
//: difference
//: you subtract the second half. It is added.
  if (n <= 1024) return vectorised_sum(x, n);
  const int64_t half = n / 2;
  return pairwise_sum(x, half) - pairwise_sum(x + half, n - half);
//: quarters
//: you cut off a quarter. Two halves are about equally large, and lose the fewest digits.
  if (n <= 1024) return vectorised_sum(x, n);
  const int64_t quarter = n / 4;
  return pairwise_sum(x, quarter) + pairwise_sum(x + quarter, n - quarter);
//: first_of_none
//: you take the first number by itself, and there may be none. `vectorised_sum` sums 0 numbers too.
  if (n <= 1024) return x[0] + vectorised_sum(x + 1, n - 1);
  const int64_t half = n / 2;
  return pairwise_sum(x, half) + pairwise_sum(x + half, n - half);
//: begins_late
//: the second half begins one number too late: the one between the halves is lost.
  if (n <= 1024) return vectorised_sum(x, n);
  const int64_t half = n / 2;
  return pairwise_sum(x, half) + pairwise_sum(x + half + 1, n - half - 1);
//: middle_twice
//: of an odd number, the one in the middle is added twice: the second half begins where the
//: first ends.
  if (n <= 1024) return vectorised_sum(x, n);
  return pairwise_sum(x, (n + 1) / 2) + pairwise_sum(x + n / 2, n - n / 2);
//: last_again
//: where `n` is odd you add the last number once more. The second half, all that the first
//: leaves over, has it already.
  if (n <= 1024) return vectorised_sum(x, n);
  const int64_t half = n / 2;
  float sum = pairwise_sum(x, half) + pairwise_sum(x + half, n - half);
  if (n % 2) sum += x[n - 1];
  return sum;
//: first_lost
//: where `n` is odd you leave out the first number. Halves need not be equally long.
  if (n <= 1024) return vectorised_sum(x, n);
  if (n % 2 == 1) return pairwise_sum(x + 1, n - 1);
  return pairwise_sum(x, n / 2) + pairwise_sum(x + n / 2, n / 2);
//: first_half_alone
//: you cut the first half again and sum the second in one run. It is as long, and loses as many
//: digits: both are cut again.
  if (n <= 1024) return vectorised_sum(x, n);
  const int64_t half = n / 2;
  return pairwise_sum(x, half) + vectorised_sum(x + half, n - half);
