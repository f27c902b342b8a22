  sum_exp(x, n, max_of(x, n), out);
