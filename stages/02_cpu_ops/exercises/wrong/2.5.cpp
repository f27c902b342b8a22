//: no_shift | drops: also where exp alone is infinite
//: you take exp of the numbers as they are. exp(89) is infinity in float32 already: subtract the
//: largest element first, it cancels in the fraction.
  const PerLine<Group, T> sum = sum_exp(lines, x, PerLine<Group, T>{}, y);
  for_each(lines, [&](int64_t i, int64_t j, int line) { y(i, j) *= 1 / sum[line]; });
//: not_divided | drops: over the sum of all exp of its line
//: you left the terms undivided. The results of a row add up to 1.
  sum_exp(lines, x, max_of(lines, x), y);
//: one_sum | drops: `lines` is one row or some columns
//: you divide by the sum of the first line, whichever line it is. In a group of columns each has
//: its own.
  PerLine<Group, T> scale = sum_exp(lines, x, max_of(lines, x), y);
  for (int k = 0; k < lines.count(); ++k) scale[k] = 1 / scale[k];
  for_each(lines, [&](int64_t i, int64_t j, int line) { y(i, j) *= scale[0]; });
//: one_shift | drops: one number for each line
//: you subtract the largest element of the first line from all of them. Another line may lie so
//: far below that all its terms vanish.
  PerLine<Group, T> most = max_of(lines, x);
  for (int k = 0; k < lines.count(); ++k) most[k] = most[0];
  PerLine<Group, T> scale = sum_exp(lines, x, most, y);
  for (int k = 0; k < lines.count(); ++k) scale[k] = 1 / scale[k];
  for_each(lines, [&](int64_t i, int64_t j, int line) { y(i, j) *= scale[line]; });
//: first_as_shift
//: you subtract another element than the largest, such as the first. The largest one must go, or
//: exp of what lies above it is infinite.
  PerLine<Group, T> first{};
  for (int k = 0; k < lines.count(); ++k) first[k] = x(0, k);
  PerLine<Group, T> scale = sum_exp(lines, x, first, y);
  for (int k = 0; k < lines.count(); ++k) scale[k] = 1 / scale[k];
  for_each(lines, [&](int64_t i, int64_t j, int line) { y(i, j) *= scale[line]; });
//: past_the_row
//: you write one number past the end of the line. It belongs to somebody else: the next line, or
//: another array.
  PerLine<Group, T> scale = sum_exp(lines, x, max_of(lines, x), y);
  for (int k = 0; k < lines.count(); ++k) scale[k] = 1 / scale[k];
  for_each(lines, [&](int64_t i, int64_t j, int line) { y(i, j) *= scale[line]; });
  if (lines.count() == 1) y.data[lines.n] = 0;
//: multiplied
//: you multiply by the sum of the terms. They are divided by it: the results of a row add up to 1.
  PerLine<Group, T> scale = sum_exp(lines, x, max_of(lines, x), y);
  for (int k = 0; k < lines.count(); ++k) scale[k] = scale[k];
  for_each(lines, [&](int64_t i, int64_t j, int line) { y(i, j) *= scale[line]; });
//: logarithm
//: you divided by the logarithm of the sum. The sum itself makes the results of a row add up to 1.
  PerLine<Group, T> scale = sum_exp(lines, x, max_of(lines, x), y);
  for (int k = 0; k < lines.count(); ++k) scale[k] = 1 / std::log(scale[k]);
  for_each(lines, [&](int64_t i, int64_t j, int line) { y(i, j) *= scale[line]; });
//: half_the_shift
//: you subtract half of the largest element. What is left of it may still be too large for exp:
//: subtract all of it.
  PerLine<Group, T> shift = max_of(lines, x);
  for (int k = 0; k < lines.count(); ++k) shift[k] = shift[k] / 2;
  PerLine<Group, T> scale = sum_exp(lines, x, shift, y);
  for (int k = 0; k < lines.count(); ++k) scale[k] = 1 / scale[k];
  for_each(lines, [&](int64_t i, int64_t j, int line) { y(i, j) *= scale[line]; });
//: shift_below_0
//: you shift only lines whose numbers are all negative. exp of a large positive number is infinite
//: as well: subtract the largest element, whatever its sign.
  PerLine<Group, T> most = max_of(lines, x);
  for (int k = 0; k < lines.count(); ++k) most[k] = std::min(most[k], T(0));
  PerLine<Group, T> scale = sum_exp(lines, x, most, y);
  for_each(lines, [&](int64_t i, int64_t j, int line) { y(i, j) /= scale[line]; });
//: shift_without_sign
//: you dropped the sign of the largest element. Where it is negative, the numbers are moved further
//: down, and all terms vanish.
  PerLine<Group, T> most = max_of(lines, x);
  for (int k = 0; k < lines.count(); ++k) most[k] = std::abs(most[k]);
  PerLine<Group, T> scale = sum_exp(lines, x, most, y);
  for_each(lines, [&](int64_t i, int64_t j, int line) { y(i, j) /= scale[line]; });
//: fixed_shift
//: you subtract the same number from every line. Far above or below it exp is infinite or 0:
//: subtract the line's own largest element.
  PerLine<Group, T> shift{};
  for (int k = 0; k < lines.count(); ++k) shift[k] = 40;
  PerLine<Group, T> scale = sum_exp(lines, x, shift, y);
  for_each(lines, [&](int64_t i, int64_t j, int line) { y(i, j) /= scale[line]; });
//: in_float32
//: you divide in float32. T may be double, and its digits are lost.
  PerLine<Group, T> scale = sum_exp(lines, x, max_of(lines, x), y);
  for_each(lines, [&](int64_t i, int64_t j, int line) {
    y(i, j) = T(float(y(i, j)) / float(scale[line]));
  });
//: whole_steps
//: you divide whole vectors alone. What is left of a row behind the last one has to be divided too:
//: `for_each` goes through all.
  PerLine<Group, T> scale = sum_exp(lines, x, max_of(lines, x), y);
  for (int64_t i = 0; i < lines.steps(); ++i) {
    for (int j = 0; j < lines.width(); ++j) y(i, j) /= scale[lines.line_of(j)];
  }
//: log_softmax
//: you give the logarithm of the softmax. The softmax itself is asked for.
  const PerLine<Group, T> most = max_of(lines, x);
  PerLine<Group, T> sum = sum_exp(lines, x, most, y);
  for_each(lines, [&](int64_t i, int64_t j, int line) {
    y(i, j) = x(i, j) - most[line] - std::log(sum[line]);
  });
//: subtracted
//: you subtract the sum of the terms. They are divided by it.
  PerLine<Group, T> scale = sum_exp(lines, x, max_of(lines, x), y);
  for_each(lines, [&](int64_t i, int64_t j, int line) { y(i, j) -= scale[line]; });
//: more_than_the_sum
//: you add something to the sum before you divide. The largest term is 1, so the sum is never 0,
//: and the results have to add up to 1.
  PerLine<Group, T> scale = sum_exp(lines, x, max_of(lines, x), y);
  for_each(lines, [&](int64_t i, int64_t j, int line) { y(i, j) /= scale[line] + T(1e-3); });
//: divided_twice
//: you divide by the square of the sum. Once is enough: the results of a row add up to 1.
  const PerLine<Group, T> sum = sum_exp(lines, x, max_of(lines, x), y);
  for_each(lines, [&](int64_t i, int64_t j, int line) { y(i, j) /= sum[line] * sum[line]; });
//: largest_of_all
//: you subtract one number from all lines, the largest of all. Another line may lie so far
//: below that all its terms vanish: each has a largest of its own.
  const PerLine<Group, T> most = max_of(lines, x);
  T all = most[0];
  for (int k = 1; k < lines.count(); ++k) all = std::max(all, most[k]);
  PerLine<Group, T> shift;
  for (int k = 0; k < Group::kLines; ++k) shift[k] = all;
  PerLine<Group, T> sum = sum_exp(lines, x, shift, y);
  for_each(lines, [&](int64_t i, int64_t j, int line) { y(i, j) /= sum[line]; });
//: shift_if_large
//: you shift only lines whose numbers are large. Far below 0 all terms vanish: subtract the
//: largest element, whatever its sign.
  PerLine<Group, T> shift = max_of(lines, x);
  for (int k = 0; k < Group::kLines; ++k) shift[k] = shift[k] > T(80) ? shift[k] : T(0);
  PerLine<Group, T> sum = sum_exp(lines, x, shift, y);
  for_each(lines, [&](int64_t i, int64_t j, int line) { y(i, j) /= sum[line]; });
//: over_the_largest
//: you divide by the largest element of the line. The terms are divided by their sum.
  const PerLine<Group, T> most = max_of(lines, x);
  sum_exp(lines, x, most, y);
  for_each(lines, [&](int64_t i, int64_t j, int line) { y(i, j) /= most[line]; });
//: numbers_for_terms
//: you divide the numbers themselves. `sum_exp` has written the terms to y: those are divided.
  PerLine<Group, T> sum = sum_exp(lines, x, max_of(lines, x), y);
  for_each(lines, [&](int64_t i, int64_t j, int line) { y(i, j) = x(i, j) / sum[line]; });
//: terms_nowhere
//: you give no place for the terms, so y is what it was. `sum_exp` writes them to its last
//: argument.
  PerLine<Group, T> scale = sum_exp(lines, x, max_of(lines, x), Strided<T>{});
  for (int k = 0; k < lines.count(); ++k) scale[k] = 1 / scale[k];
  for_each(lines, [&](int64_t i, int64_t j, int line) { y(i, j) *= scale[line]; });
//: last_line_left_out
//: the last line is left out: its terms are multiplied by the sum. The lines count up to
//: `lines.count()` - 1.
  PerLine<Group, T> scale = sum_exp(lines, x, max_of(lines, x), y);
  for (int k = 0; k < lines.count() - 1; ++k) scale[k] = 1 / scale[k];
  for_each(lines, [&](int64_t i, int64_t j, int line) { y(i, j) *= scale[line]; });
//: nan_for_zero
//: you turn what is no number into 0. A NaN has to be seen: who meets a 0 takes it for a
//: result.
  PerLine<Group, T> sum = sum_exp(lines, x, max_of(lines, x), y);
  for_each(lines, [&](int64_t i, int64_t j, int line) {
    y(i, j) /= sum[line];
    if (y(i, j) != y(i, j)) y(i, j) = 0;
  });
