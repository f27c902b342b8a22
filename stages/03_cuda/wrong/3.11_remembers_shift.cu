      bool inside = query < num_q && key < num_k;
      score = inside ? mask.score(score, query, key) : T(-infinity());
      T larger = fmax(largest, fold_row(score, [](T a, T b) { return fmax(a, b); }));
      T shift = isinf(larger) ? T(0) : larger;  // infinity - infinity would be no number
      T weight = exp(score - shift), keep = exp(largest - shift);
      total = keep * total + fold_row(weight, [](T a, T b) { return a + b; });
      largest = shift;
      add_weighted_rows(sums, keep, weight, values, start);
