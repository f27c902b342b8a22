//: given
  int64_t begin = 0, end = n;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    const bool stop = right ? sorted[middle] > value : sorted[middle] >= value;
    if (stop)
      end = middle - 1;
    else
      begin = middle + 1;
  }
  return begin;
//: begin_stays | drops: the first place
//: you return the place before the right one, if the row has it. What is below the value is
//: passed, not kept.
  int64_t begin = 0, end = n;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    const bool stop = right ? sorted[middle] > value : sorted[middle] >= value;
    if (stop)
      end = middle;
    else
      begin = middle + 1;
  }
  return begin > 0 ? begin - 1 : 0;
//: above | drops: not below `value`
//: you stop only at elements above the value, with `right` or without: among equal ones that is
//: behind the last.
  int64_t begin = 0, end = n;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    const bool stop = sorted[middle] > value;
    if (stop)
      end = middle;
    else
      begin = middle + 1;
  }
  return begin;
//: never_right | drops: with `right` the first whose element is above it
//: you leave out `right`. With it, a value belongs behind those that are equal to it.
  int64_t begin = 0, end = n;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    const bool stop = sorted[middle] >= value;
    if (stop)
      end = middle;
    else
      begin = middle + 1;
  }
  return begin;
//: last_place | drops: `n` where there is none
//: you never return `n`. A value above all others belongs behind the last one.
  int64_t begin = 0, end = n - 1;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    const bool stop = right ? sorted[middle] > value : sorted[middle] >= value;
    if (stop)
      end = middle;
    else
      begin = middle + 1;
  }
  return begin;
//: nan_first | drops: belongs behind all numbers
//: a NaN comes first with you. Any comparison with it is false: ask what stops the search, not what
//: goes on, and nothing stops it.
  int64_t begin = 0, end = n;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    const bool stop = right ? !(sorted[middle] <= value) : !(sorted[middle] < value);
    if (stop)
      end = middle;
    else
      begin = middle + 1;
  }
  return begin;
//: sides
//: you exchanged the two sides: without `right` a value belongs before those that are equal to it.
  int64_t begin = 0, end = n;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    const bool stop = !right ? sorted[middle] > value : sorted[middle] >= value;
    if (stop)
      end = middle;
    else
      begin = middle + 1;
  }
  return begin;
//: exchanged
//: you go left where the answer lies to the right. If the element in the middle is not below the
//: value, nothing behind it is the first.
  int64_t begin = 0, end = n;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    const bool stop = right ? sorted[middle] > value : sorted[middle] >= value;
    if (!stop)
      end = middle;
    else
      begin = middle + 1;
  }
  return begin;
//: one_step
//: you look at the middle once. The search goes on until one place is left.
  int64_t begin = 0, end = n;
  if (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    const bool stop = right ? sorted[middle] > value : sorted[middle] >= value;
    if (stop)
      end = middle;
    else
      begin = middle + 1;
  }
  return begin;
//: any_equal
//: you return the first equal element that you meet. There may be others before it: go on.
  int64_t begin = 0, end = n;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    const bool stop = right ? sorted[middle] > value : sorted[middle] >= value;
    if (sorted[middle] == value) return right ? middle + 1 : middle;
    if (stop)
      end = middle;
    else
      begin = middle + 1;
  }
  return begin;
//: two_further
//: you pass one place too many: the one behind the middle may be the answer.
  int64_t begin = 0, end = n;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    const bool stop = right ? sorted[middle] > value : sorted[middle] >= value;
    if (stop)
      end = middle;
    else
      begin = middle + 2;
  }
  return begin;
//: behind_the_row
//: you read `sorted[n]`, which is behind the row. With `begin <= end` and `middle - 1`, `end` is
//: the last place that may be read: n - 1.
  int64_t begin = 0, end = n;
  while (begin <= end) {
    const int64_t middle = begin + (end - begin) / 2;
    const bool stop = right ? sorted[middle] > value : sorted[middle] >= value;
    if (stop)
      end = middle - 1;
    else
      begin = middle + 1;
  }
  return begin;
//: moved_by_one
//: you move the result by one. A search that misses is right for some values and wrong for others:
//: the place is lost in the loop.
  int64_t begin = 0, end = n;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    const bool stop = right ? sorted[middle] > value : sorted[middle] >= value;
    if (stop)
      end = middle - 1;
    else
      begin = middle + 1;
  }
  return begin + 1;
//: one_after_the_other
//: you look at one element after the other. That finds the place, and reads half of a row on
//: average: halve what is left.
  for (int64_t i = 0; i < n; ++i) {
    if (right ? sorted[i] > value : sorted[i] >= value) return i;
  }
  return n;
//: from_the_end
//: you go through the row from its end, one element after the other. Halve what is left: a row of a
//: million elements takes some twenty looks.
  int64_t place = n;
  while (place > 0 && (right ? sorted[place - 1] > value : sorted[place - 1] >= value)) --place;
  return place;
//: in_jumps
//: you go through the row in jumps of one length. Their number grows with the row: halve what is
//: left instead.
  int64_t i = 0;
  while (i + 8 < n && !(right ? sorted[i + 8] > value : sorted[i + 8] >= value)) i += 8;
  while (i < n && !(right ? sorted[i] > value : sorted[i] >= value)) ++i;
  return i;
//: along_the_equals
//: from an equal element you go to the first or last one step by step. A row of equal elements is
//: then read whole: go on halving.
  int64_t begin = 0, end = n;
  while (begin < end) {
    int64_t at = begin + (end - begin) / 2;
    if (sorted[at] == value) {
      while (right && at < n && sorted[at] == value) ++at;
      while (!right && at > 0 && sorted[at - 1] == value) --at;
      return at;
    }
    if (sorted[at] < value)
      begin = at + 1;
    else
      end = at;
  }
  return begin;
//: in_float32
//: you compare in float32. T may hold more digits: double, or whole numbers.
  const float wanted = float(value);
  int64_t begin = 0, end = n;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    const bool stop = right ? float(sorted[middle]) > wanted : float(sorted[middle]) >= wanted;
    if (stop)
      end = middle;
    else
      begin = middle + 1;
  }
  return begin;
//: looks_behind
//: you look at `sorted[n]`, which is behind the row. The last element is `sorted[n - 1]`.
  if (n > 0 && sorted[n] == value) return n;
  int64_t begin = 0, end = n;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    const bool stop = right ? sorted[middle] > value : sorted[middle] >= value;
    if (stop)
      end = middle;
    else
      begin = middle + 1;
  }
  return begin;
//: first_of_none
//: you look at the first element of a row that has none. Ask about n first.
  if (sorted[0] > value) return 0;
  int64_t begin = 0, end = n;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    const bool stop = right ? sorted[middle] > value : sorted[middle] >= value;
    if (stop)
      end = middle;
    else
      begin = middle + 1;
  }
  return begin;
//: standard_comparison
//: you leave the comparison to the standard library, which asks whether an element is below the
//: value. With a NaN that is false as well, so the NaN comes first: it belongs behind all numbers.
  if (right) return std::upper_bound(sorted, sorted + n, value) - sorted;
  return std::lower_bound(sorted, sorted + n, value) - sorted;
//: one_further_for_right
//: with `right` you go one further than without. There may be several equal elements: all of them
//: are passed.
  int64_t begin = 0, end = n;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    if (sorted[middle] >= value)
      end = middle;
    else
      begin = middle + 1;
  }
  return begin + (right && begin < n && sorted[begin] == value);
//: counts_all
//: you count the elements in front of it, all of them. Halve what is left: of a million
//: elements it takes some twenty looks.
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) count += right ? sorted[i] <= value : sorted[i] < value;
  return value != value ? n : count;
//: minus_one_for_none
//: you return -1 where there is none. A value above all others belongs behind the last one:
//: `n`.
  int64_t begin = 0, end = n;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    const bool stop = right ? sorted[middle] > value : sorted[middle] >= value;
    if (stop) end = middle;
    else begin = middle + 1;
  }
  return begin == n ? -1 : begin;
//: from_place_1
//: you begin at place 1. The first element is at place 0, and an empty row has no other place.
  int64_t begin = 1, end = n;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    const bool stop = right ? sorted[middle] > value : sorted[middle] >= value;
    if (stop) end = middle;
    else begin = middle + 1;
  }
  return begin;
//: sixteen_rounds
//: you halve sixteen times at most, which is enough for 65536 elements. The row may be longer:
//: go on until one place is left.
  int64_t begin = 0, end = n;
  for (int round = 0; round < 16 && begin < end; ++round) {
    const int64_t middle = begin + (end - begin) / 2;
    const bool stop = right ? sorted[middle] > value : sorted[middle] >= value;
    if (stop) end = middle;
    else begin = middle + 1;
  }
  return begin;
//: one_more_for_right
//: with `right` you add 1 to the place. Of several equal elements, or none, the place behind
//: them is another.
  int64_t begin = 0, end = n;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    if (sorted[middle] >= value) end = middle;
    else begin = middle + 1;
  }
  return right && begin < n ? begin + 1 : begin;
//: in_whole_numbers
//: you compare whole numbers. What stands behind the point counts too, and infinity is no whole
//: number.
  int64_t begin = 0, end = n;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    const bool stop = right ? int64_t(sorted[middle]) > int64_t(value) : int64_t(sorted[middle]) >= int64_t(value);
    if (stop) end = middle;
    else begin = middle + 1;
  }
  return begin;
