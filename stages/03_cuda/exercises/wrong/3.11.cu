//: no_mask | drops: elsewhere `mask.score(score, query, key)`
//: you do not ask the mask. A query then looks at keys that it must not see.
      bool inside = query < num_q && key < num_k;
      score = inside ? score : T(-infinity());
      T larger = fmax(largest, fold_row(score, [](T a, T b) { return fmax(a, b); }));
      T shift = isinf(larger) ? T(0) : larger;  // infinity - infinity would be no number
      T weight = exp(score - shift), keep = exp(largest - shift);
      total = keep * total + fold_row(weight, [](T a, T b) { return a + b; });
      largest = larger;
      add_weighted_rows(sums, keep, weight, values, start);
//: no_edges | drops: where query or key do not exist (num_q, num_k) it becomes -infinity
//: keys beyond the last one count. Their score is 0, as outside of the matrices stand zeros, and
//: exp(0) is a weight.
      bool inside = query < num_q;
      score = inside ? mask.score(score, query, key) : T(-infinity());
      T larger = fmax(largest, fold_row(score, [](T a, T b) { return fmax(a, b); }));
      T shift = isinf(larger) ? T(0) : larger;  // infinity - infinity would be no number
      T weight = exp(score - shift), keep = exp(largest - shift);
      total = keep * total + fold_row(weight, [](T a, T b) { return a + b; });
      largest = larger;
      add_weighted_rows(sums, keep, weight, values, start);
//: no_edge_of_queries
//: you ask the mask about queries that do not exist: that is memory behind the mask.
      bool inside = key < num_k;
      score = inside ? mask.score(score, query, key) : T(-infinity());
      T larger = fmax(largest, fold_row(score, [](T a, T b) { return fmax(a, b); }));
      T shift = isinf(larger) ? T(0) : larger;  // infinity - infinity would be no number
      T weight = exp(score - shift), keep = exp(largest - shift);
      total = keep * total + fold_row(weight, [](T a, T b) { return a + b; });
      largest = larger;
      add_weighted_rows(sums, keep, weight, values, start);
//: old_sums | drops: scales the row's results
//: you scale the total and not the results so far. Both were made with the old largest.
      bool inside = query < num_q && key < num_k;
      score = inside ? mask.score(score, query, key) : T(-infinity());
      T larger = fmax(largest, fold_row(score, [](T a, T b) { return fmax(a, b); }));
      T shift = isinf(larger) ? T(0) : larger;  // infinity - infinity would be no number
      T weight = exp(score - shift), keep = exp(largest - shift);
      total = keep * total + fold_row(weight, [](T a, T b) { return a + b; });
      largest = larger;
      add_weighted_rows(sums, T(1), weight, values, start);
//: old_total | drops: scales what came before
//: you scale the results and not the total so far. Both were made with the old largest.
      bool inside = query < num_q && key < num_k;
      score = inside ? mask.score(score, query, key) : T(-infinity());
      T larger = fmax(largest, fold_row(score, [](T a, T b) { return fmax(a, b); }));
      T shift = isinf(larger) ? T(0) : larger;  // infinity - infinity would be no number
      T weight = exp(score - shift), keep = exp(largest - shift);
      total = total + fold_row(weight, [](T a, T b) { return a + b; });
      largest = larger;
      add_weighted_rows(sums, keep, weight, values, start);
//: own_largest | drops: the 16 threads of a row agree on both
//: each thread takes its own score for the largest. The 16 of a row have to agree, or their weights
//: do not fit together.
      bool inside = query < num_q && key < num_k;
      score = inside ? mask.score(score, query, key) : T(-infinity());
      T larger = fmax(largest, score);
      T shift = isinf(larger) ? T(0) : larger;  // infinity - infinity would be no number
      T weight = exp(score - shift), keep = exp(largest - shift);
      total = keep * total + fold_row(weight, [](T a, T b) { return a + b; });
      largest = larger;
      add_weighted_rows(sums, keep, weight, values, start);
//: own_total
//: you add your own weight to the total. The row has 16 threads, each with a key: fold.
      bool inside = query < num_q && key < num_k;
      score = inside ? mask.score(score, query, key) : T(-infinity());
      T larger = fmax(largest, fold_row(score, [](T a, T b) { return fmax(a, b); }));
      T shift = isinf(larger) ? T(0) : larger;  // infinity - infinity would be no number
      T weight = exp(score - shift), keep = exp(largest - shift);
      total = keep * total + weight;
      largest = larger;
      add_weighted_rows(sums, keep, weight, values, start);
//: no_guard | drops: Where the largest is infinite, subtract 0
//: you subtract an infinity from an infinity, which is no number: a query that sees no key has no
//: largest score. Subtract 0 then.
      bool inside = query < num_q && key < num_k;
      score = inside ? mask.score(score, query, key) : T(-infinity());
      T larger = fmax(largest, fold_row(score, [](T a, T b) { return fmax(a, b); }));
      T shift = larger;  // infinity - infinity would be no number
      T weight = exp(score - shift), keep = exp(largest - shift);
      total = keep * total + fold_row(weight, [](T a, T b) { return a + b; });
      largest = larger;
      add_weighted_rows(sums, keep, weight, values, start);
//: forgets_largest | drops: stand for all keys before this tile
//: you never remember the new largest, so the next tile scales everything by exp(-infinity), and
//: what came before is gone.
      bool inside = query < num_q && key < num_k;
      score = inside ? mask.score(score, query, key) : T(-infinity());
      T larger = fmax(largest, fold_row(score, [](T a, T b) { return fmax(a, b); }));
      T shift = isinf(larger) ? T(0) : larger;  // infinity - infinity would be no number
      T weight = exp(score - shift), keep = exp(largest - shift);
      total = keep * total + fold_row(weight, [](T a, T b) { return a + b; });
      add_weighted_rows(sums, keep, weight, values, start);
//: remembers_shift
//: you remember the 0 that stands in for an infinite largest as if it were a score. The scores of
//: later tiles may be far below it; the largest so far is still -infinity.
      bool inside = query < num_q && key < num_k;
      score = inside ? mask.score(score, query, key) : T(-infinity());
      T larger = fmax(largest, fold_row(score, [](T a, T b) { return fmax(a, b); }));
      T shift = isinf(larger) ? T(0) : larger;  // infinity - infinity would be no number
      T weight = exp(score - shift), keep = exp(largest - shift);
      total = keep * total + fold_row(weight, [](T a, T b) { return a + b; });
      largest = shift;
      add_weighted_rows(sums, keep, weight, values, start);
//: in_a_branch | drops: all threads must call it
//: some threads do not call `add_weighted_rows`. It has barriers, at which all threads of the block
//: must arrive.
      bool inside = query < num_q && key < num_k;
      score = inside ? mask.score(score, query, key) : T(-infinity());
      T larger = fmax(largest, fold_row(score, [](T a, T b) { return fmax(a, b); }));
      T shift = isinf(larger) ? T(0) : larger;  // infinity - infinity would be no number
      T weight = exp(score - shift), keep = exp(largest - shift);
      total = keep * total + fold_row(weight, [](T a, T b) { return a + b; });
      largest = larger;
      if (inside) add_weighted_rows(sums, keep, weight, values, start);
//: unshifted | drops: The thread's weight is exp(score - new largest)
//: you take exp of the scores as they are. From about 89 on that is infinite in float32.
      bool inside = query < num_q && key < num_k;
      score = inside ? mask.score(score, query, key) : T(-infinity());
      T weight = exp(score);
      total += fold_row(weight, [](T a, T b) { return a + b; });
      largest = 0;
      add_weighted_rows(sums, T(1), weight, values, start);
//: minus_ten_thousand
//: you give a key that does not count the score -10000. Others may be smaller, and then it counts
//: more than they do: -infinity.
      bool inside = query < num_q && key < num_k;
      score = inside ? mask.score(score, query, key) : T(-1e4f);
      T larger = fmax(largest, fold_row(score, [](T a, T b) { return fmax(a, b); }));
      T shift = isinf(larger) ? T(0) : larger;  // infinity - infinity would be no number
      T weight = exp(score - shift), keep = exp(largest - shift);
      total = keep * total + fold_row(weight, [](T a, T b) { return a + b; });
      largest = larger;
      add_weighted_rows(sums, keep, weight, values, start);
//: score_of_zero
//: you give a key that does not exist the score 0. exp(0) is a weight: the score is -infinity.
      bool inside = query < num_q && key < num_k;
      score = inside ? mask.score(score, query, key) : T(0);
      T larger = fmax(largest, fold_row(score, [](T a, T b) { return fmax(a, b); }));
      T shift = isinf(larger) ? T(0) : larger;  // infinity - infinity would be no number
      T weight = exp(score - shift), keep = exp(largest - shift);
      total = keep * total + fold_row(weight, [](T a, T b) { return a + b; });
      largest = larger;
      add_weighted_rows(sums, keep, weight, values, start);
//: causal_alone
//: you ask only whether a key comes too late. `mask.score` also knows the mask that was handed
//: over.
      bool inside = query < num_q && key < num_k;
      score = inside ? (mask.causal && key > query ? T(-infinity()) : score) : T(-infinity());
      T larger = fmax(largest, fold_row(score, [](T a, T b) { return fmax(a, b); }));
      T shift = isinf(larger) ? T(0) : larger;  // infinity - infinity would be no number
      T weight = exp(score - shift), keep = exp(largest - shift);
      total = keep * total + fold_row(weight, [](T a, T b) { return a + b; });
      largest = larger;
      add_weighted_rows(sums, keep, weight, values, start);
//: mask_twice
//: you ask the mask twice: what it adds to a score is added twice.
      bool inside = query < num_q && key < num_k;
      score = inside ? mask.score(mask.score(score, query, key), query, key) : T(-infinity());
      T larger = fmax(largest, fold_row(score, [](T a, T b) { return fmax(a, b); }));
      T shift = isinf(larger) ? T(0) : larger;  // infinity - infinity would be no number
      T weight = exp(score - shift), keep = exp(largest - shift);
      total = keep * total + fold_row(weight, [](T a, T b) { return a + b; });
      largest = larger;
      add_weighted_rows(sums, keep, weight, values, start);
//: largest_weight
//: you add the largest weight of the row to the total. It is the sum of the 16.
      bool inside = query < num_q && key < num_k;
      score = inside ? mask.score(score, query, key) : T(-infinity());
      T larger = fmax(largest, fold_row(score, [](T a, T b) { return fmax(a, b); }));
      T shift = isinf(larger) ? T(0) : larger;  // infinity - infinity would be no number
      T weight = exp(score - shift), keep = exp(largest - shift);
      total = keep * total + fold_row(weight, [](T a, T b) { return fmax(a, b); });
      largest = larger;
      add_weighted_rows(sums, keep, weight, values, start);
//: kept_twice
//: you scale the total twice.
      bool inside = query < num_q && key < num_k;
      score = inside ? mask.score(score, query, key) : T(-infinity());
      T larger = fmax(largest, fold_row(score, [](T a, T b) { return fmax(a, b); }));
      T shift = isinf(larger) ? T(0) : larger;  // infinity - infinity would be no number
      T weight = exp(score - shift), keep = exp(largest - shift);
      total = keep * keep * total + fold_row(weight, [](T a, T b) { return a + b; });
      largest = larger;
      add_weighted_rows(sums, keep, weight, values, start);
//: largest_of_the_tile
//: you take the largest score of this tile alone. The one so far may be larger: take the larger of
//: both.
      bool inside = query < num_q && key < num_k;
      score = inside ? mask.score(score, query, key) : T(-infinity());
      T larger = fold_row(score, [](T a, T b) { return fmax(a, b); });
      T shift = isinf(larger) ? T(0) : larger;  // infinity - infinity would be no number
      T weight = exp(score - shift), keep = exp(largest - shift);
      total = keep * total + fold_row(weight, [](T a, T b) { return a + b; });
      largest = larger;
      add_weighted_rows(sums, keep, weight, values, start);
//: from_the_key
//: you hand over the key as where the values begin. The tile begins at `start`.
      bool inside = query < num_q && key < num_k;
      score = inside ? mask.score(score, query, key) : T(-infinity());
      T larger = fmax(largest, fold_row(score, [](T a, T b) { return fmax(a, b); }));
      T shift = isinf(larger) ? T(0) : larger;  // infinity - infinity would be no number
      T weight = exp(score - shift), keep = exp(largest - shift);
      total = keep * total + fold_row(weight, [](T a, T b) { return a + b; });
      largest = larger;
      add_weighted_rows(sums, keep, weight, values, key);
//: one_key_too_many
//: you let the key num_k pass. Keys count from 0.
      bool inside = query < num_q && key <= num_k;
      score = inside ? mask.score(score, query, key) : T(-infinity());
      T larger = fmax(largest, fold_row(score, [](T a, T b) { return fmax(a, b); }));
      T shift = isinf(larger) ? T(0) : larger;  // infinity - infinity would be no number
      T weight = exp(score - shift), keep = exp(largest - shift);
      total = keep * total + fold_row(weight, [](T a, T b) { return a + b; });
      largest = larger;
      add_weighted_rows(sums, keep, weight, values, start);
//: float
//: you compute the weight in a float. T may be a double.
      bool inside = query < num_q && key < num_k;
      score = inside ? mask.score(score, query, key) : T(-infinity());
      T larger = fmax(largest, fold_row(score, [](T a, T b) { return fmax(a, b); }));
      T shift = isinf(larger) ? T(0) : larger;  // infinity - infinity would be no number
      float weight = exp(score - shift), keep = exp(largest - shift);
      total = keep * total + fold_row(weight, [](T a, T b) { return a + b; });
      largest = larger;
      add_weighted_rows(sums, keep, weight, values, start);
//: not_below_zero
//: you let the largest not fall below 0. Where all scores are far below it, every exponential
//: vanishes.
      bool inside = query < num_q && key < num_k;
      score = inside ? mask.score(score, query, key) : T(-infinity());
      T larger = fmax(fmax(largest, T(0)), fold_row(score, [](T a, T b) { return fmax(a, b); }));
      T shift = isinf(larger) ? T(0) : larger;  // infinity - infinity would be no number
      T weight = exp(score - shift), keep = exp(largest - shift);
      total = keep * total + fold_row(weight, [](T a, T b) { return a + b; });
      largest = larger;
      add_weighted_rows(sums, keep, weight, values, start);
//: mask_turned
//: you ask the mask with query and key exchanged.
      bool inside = query < num_q && key < num_k;
      score = inside ? mask.score(score, key, query) : T(-infinity());
      T larger = fmax(largest, fold_row(score, [](T a, T b) { return fmax(a, b); }));
      T shift = isinf(larger) ? T(0) : larger;  // infinity - infinity would be no number
      T weight = exp(score - shift), keep = exp(largest - shift);
      total = keep * total + fold_row(weight, [](T a, T b) { return a + b; });
      largest = larger;
      add_weighted_rows(sums, keep, weight, values, start);
//: a_large_number
//: you give a key that does not count a number far below 0. The scores of all others may be further
//: below: -infinity.
      bool inside = query < num_q && key < num_k;
      score = inside ? mask.score(score, query, key) : T(-1e30f);
      T larger = fmax(largest, fold_row(score, [](T a, T b) { return fmax(a, b); }));
      T shift = isinf(larger) ? T(0) : larger;  // infinity - infinity would be no number
      T weight = exp(score - shift), keep = exp(largest - shift);
      total = keep * total + fold_row(weight, [](T a, T b) { return a + b; });
      largest = larger;
      add_weighted_rows(sums, keep, weight, values, start);
