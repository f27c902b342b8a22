//: weight_of_the_hidden
//: A hidden key is given the weight 0 by a condition, and not by exp(-infinity). The exponential of
//: what does not count is never looked at; the mask's -infinity is asked for in a second place.
      bool inside = query < num_q && key < num_k;
      if (inside) score = mask.score(score, query, key);
      bool counts = inside && score != -infinity();
      T highest = fold_row(counts ? score : T(-infinity()), [](T a, T b) { return fmax(a, b); });
      T before = largest;
      largest = fmax(largest, highest);
      T shift = isinf(largest) ? T(0) : largest;
      T weight = counts ? exp(score - shift) : T(0), keep = exp(before - shift);
      total = total * keep + fold_row(weight, [](T a, T b) { return a + b; });
      add_weighted_rows(sums, keep, weight, values, start);
