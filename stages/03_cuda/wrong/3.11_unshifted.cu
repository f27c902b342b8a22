      bool inside = query < num_q && key < num_k;
      score = inside ? mask.score(score, query, key) : T(-infinity());
      T weight = exp(score);
      total += fold_row(weight, [](T a, T b) { return a + b; });
      largest = 0;
      add_weighted_rows(sums, T(1), weight, values, start);
